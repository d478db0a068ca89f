import Basics
import CatalogStore
import Testing

@Suite("Replacing")
struct ImportReplaceTests {
    /// Returns a catalog with four groups, users and photos each, and all their pairs.
    private func filled() throws -> CatalogUnderTest {
        let test = try CatalogUnderTest()
        try test.importing(.groups, "group_id,title\ng1,One\ng2,Two\ng3,Three\ng4,Four\n")
        try test.importing(.photos, "photo_id,user_id\np1,u1\np2,u2\np3,u3\np4,u4\n")
        let numbers = [1, 2, 3, 4]
        func pairs(_ letter: String) -> String {
            numbers.flatMap { group in numbers.map { "g\(group),\(letter)\($0)\n" } }.joined()
        }
        try test.importing(.memberships, "group_id,user_id\n" + pairs("u"))
        try test.importing(.pools, "group_id,photo_id\n" + pairs("p"))
        return test
    }

    @Test("removing groups removes their memberships and pools")
    func groups() throws {
        let test = try filled()
        let summary = try test.importing(.groups, "group_id,title\ng1,One\ng4,New\n", "group_id\ng5\n") {
            $0.replaces = true
        }
        #expect(summary.removed == 2 && summary.written == 2 && summary.unchanged == 1)
        #expect(try test.content(.groups).map { $0.prefix(5) } == ["g1|On", "g4|Ne", "g5|~|"])
        for kind in [ImportKind.memberships, .pools] {
            let groups = try test.content(kind).map { String($0.prefix(2)) }
            #expect(groups == ["g1", "g1", "g1", "g1", "g4", "g4", "g4", "g4"])
        }
        #expect(try test.content(.users).count == 4 && test.content(.photos).count == 4)
    }

    @Test("removing users removes their memberships, and their photos have no owner")
    func users() throws {
        let test = try filled()
        let summary = try test.importing(.users, "user_id\nu2\nu3\n") { $0.replaces = true }
        #expect(summary.removed == 2)
        #expect(try test.content(.users) == ["u2|~|~|~", "u3|~|~|~"])
        #expect(try test.content(.memberships).count == 8)
        #expect(try test.content(.memberships).allSatisfy { $0.contains("|u2|") || $0.contains("|u3|") })
        #expect(try test.content(.photos).map { $0.prefix(5) } == ["p1|~|", "p2|u2", "p3|u3", "p4|~|"])
        #expect(
            try test.lines("SELECT count(*) FROM photos WHERE user_key NOT IN (SELECT user_key FROM users)") == ["0"])
    }

    @Test("removing photos removes them from pools; owners stay")
    func photos() throws {
        let test = try filled()
        let summary = try test.importing(.photos, "photo_id\np1\np2\np9\n") { $0.replaces = true }
        #expect(summary.removed == 2 && summary.written == 1)
        #expect(try test.content(.photos).map { $0.prefix(2) } == ["p1", "p2", "p9"])
        #expect(try test.content(.pools).allSatisfy { $0.contains("|p1|") || $0.contains("|p2|") })
        #expect(try test.content(.pools).count == 8 && test.content(.users).count == 4)
    }

    @Test("replacing removes memberships and pool entries over several files and batches", arguments: [1, 2, 100])
    func pairs(batchRows: Int) throws {
        let test = try filled()
        for (kind, letter) in [(ImportKind.memberships, "u"), (.pools, "p")] {
            let header = kind.columnNames.joined(separator: ",") + "\n"
            let first = (1...4).map { "g1,\(letter)\($0),\n" }.joined()
            let second =
                (1...4).map { "g3,\(letter)\($0),500000007\n" }.joined() + "g1,\(letter)1,500000009\ng5,\(letter)1,\n"
            let summary = try test.importing(kind, header + first, header + second) {
                $0.replaces = true
                $0.batchRows = batchRows
            }
            #expect(summary.removed == 8 && summary.written == 6)
            let expected =
                ["g1|\(letter)1|500000009"] + (2...4).map { "g1|\(letter)\($0)|~" }
                + (1...4).map { "g3|\(letter)\($0)|500000007" }
                + ["g5|\(letter)1|~"]
            #expect(try test.content(kind) == expected)
        }
        #expect(try test.content(.groups).count == 5 && test.content(.users).count == 4)
    }

    @Test("removing more than half is refused, and nothing is changed", arguments: ImportKind.ofGroups)
    func shrinking(kind: ImportKind) throws {
        let test = try filled()
        let before = (try test.everything(), try test.catalog.facts.changeCount())
        let text =
            switch kind {
            case .groups: "group_id,title\ng1,Changed\nnew,New\n"
            case .users: "user_id,name\nu1,Changed\nnew,New\n"
            case .photos: "photo_id,user_id,tags\np1,stranger,t\nnew,stranger,t\n"
            case .memberships:
                "group_id,user_id,joined_at\n" + (0..<7).map { "g\($0 / 4 + 1),u\($0 % 4 + 1),500000005\n" }.joined()
                    + "new,new,500000001\n"
            case .pools:
                "group_id,photo_id,added_at\n" + (0..<7).map { "g\($0 / 4 + 1),p\($0 % 4 + 1),500000005\n" }.joined()
                    + "new,new,500000001\n"
            default: preconditionFailure("there is no kind \(kind.name)")
            }
        let error = try #require(catalogError { try test.importing(kind, text) { $0.replaces = true } })
        #expect(error.code == .badData)
        let counts = kind == .memberships || kind == .pools ? "9 of 16" : "3 of 4"
        #expect(
            error.message.contains("would remove \(counts) \(kind.name)")
                && error.message.contains("--allow-shrinking"))
        #expect(try test.everything() == before.0)
        #expect(try test.catalog.facts.changeCount() == before.1)
        // As many new rows do not hide that the old ones would go.
        let others = (0..<40).map { kind == .memberships || kind == .pools ? "o\($0),o\($0)\n" : "o\($0)\n" }
        let header = kind.columnNames.prefix(kind == .memberships || kind == .pools ? 2 : 1).joined(separator: ",")
        let many = catalogError {
            try test.importing(kind, header + "\n" + others.joined()) { $0.replaces = true }
        }
        #expect(many?.message.contains("more than half") == true, "\(String(describing: many))")
        #expect(try test.everything() == before.0)
        // The same connection can replace once it is allowed to.
        let summary = try test.importing(kind, text) {
            $0.replaces = true
            $0.allowsShrinking = true
        }
        #expect(summary.removed == (kind == .memberships || kind == .pools ? 9 : 3))
    }

    @Test("removing exactly half is allowed; a file without rows is refused")
    func half() throws {
        let test = try CatalogUnderTest()
        try test.importing(.users, "user_id\na\nb\n")
        #expect(catalogError { try test.importing(.users, "user_id\n") { $0.replaces = true } }?.code == .badData)
        #expect(try test.importing(.users, "user_id\na\n") { $0.replaces = true }.removed == 1)
        #expect(
            try test.importing(.users, "user_id\n") {
                $0.replaces = true; $0.allowsShrinking = true
            }.removed == 1)
        #expect(catalogError { try test.importing(.users, "user_id\n") { $0.replaces = true } }?.code == .badData)
    }

    @Test("a replacing import that fails late leaves everything as it was", arguments: ImportKind.ofGroups)
    func allOrNothing(kind: ImportKind) throws {
        let test = try filled()
        let before = (try test.everything(), try test.catalog.facts.changeCount())
        let isPair = kind == .memberships || kind == .pools
        let header = kind.columnNames.prefix(isPair ? 2 : 1).joined(separator: ",")
        let letter = kind.columnNames[isPair ? 1 : 0].prefix(1)
        let rows = (1...9).map { (isPair ? "g1," : "") + "\(letter)\(isPair ? $0 % 4 + 1 : $0)\n" }.joined()
        let text = header + "\n" + rows + (isPair ? ",\n" : "\"\"\n")
        let error = catalogError {
            try test.importing(kind, text) {
                $0.replaces = true
                $0.allowsShrinking = true
                $0.isStrict = true
                $0.batchRows = 2
            }
        }
        #expect(error?.code == .badData)
        #expect(try test.everything() == before.0)
        #expect(try test.catalog.facts.changeCount() == before.1)
    }
}
