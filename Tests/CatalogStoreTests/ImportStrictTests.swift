import Basics
import CatalogStore
import Testing

@Suite("Bad lines and strict imports")
struct ImportStrictTests {
    @Test("bad lines go to the rejects file with source, line and reason, and the rest is imported")
    func rejects() throws {
        let test = try CatalogUnderTest()
        let long = String(repeating: "x", count: 256)
        let summary = try test.importing(
            .groups,
            """
            group_id,title,visibility,created_at
            ok1,"two
            lines",public,2024-01-01
            ,empty,public,2024-01-01
            bad1,t,secret,2024-01-01
            ok3,t,public,yesterday
            \(long),t,public,2024-01-01
            bad3,t
            ok2,t,PUBLIC,2024-01-01
            """)
        #expect(summary.rows == 3 && summary.rejected == 4 && summary.written == 3)
        let rejects = try test.rejects()
        #expect(rejects.allSatisfy { $0.count == 6 && $0[0].hasSuffix("/file1.csv") })
        #expect(rejects.map { $0[1] } == ["4", "5", "7", "8"])
        let reasons = ["group_id is empty", "secret", "256 bytes", "2 fields"]
        #expect(zip(rejects, reasons).allSatisfy { $0[2].contains($1) }, "\(rejects)")
        #expect(try test.content(.groups).map { $0.prefix(3) } == ["ok1", "ok2", "ok3"])
    }

    @Test(
        "bad pairs and photos are rejected with the reason",
        arguments: [
            (ImportKind.memberships, "group_id,user_id,joined_at\ng,,1\n", "user_id is empty"),
            (.memberships, "group_id,user_id,joined_at\n,u,1\n", "group_id is empty"),
            (.pools, "group_id,photo_id,added_at\ng,,\n", "photo_id is empty"),
        ])
    func reasons(kind: ImportKind, text: String, reason: String) throws {
        let test = try CatalogUnderTest()
        let summary = try test.importing(kind, text)
        #expect(summary.rows == 0 && summary.rejected == 1 && summary.created.isEmpty)
        let rejects = try test.rejects()
        #expect(rejects.count == 1 && rejects[0][2].contains(reason), "\(rejects)")
        #expect(try test.everything().values.allSatisfy(\.isEmpty))
        #expect(try test.catalog.facts.changeCount() == 0)
        // A rejected line stops a strict import.
        let error = try #require(catalogError { try test.importing(kind, text) { $0.isStrict = true } })
        #expect(error.code == .badData && error.message.contains("file2.csv, line 2: "))
    }

    @Test(
        "values of optional columns that cannot be read are unknown, and stop a strict import",
        arguments: [
            (ImportKind.memberships, "group_id,user_id,joined_at\ng,u,soon\n", "joined_at \"soon\""),
            (.photos, "photo_id,latitude\np,90.5\n", "latitude \"90.5\""),
            (.photos, "photo_id,longitude\np,-180.01\n", "longitude"),
            (.photos, "photo_id,width\np,4.5\n", "width \"4.5\""),
            (.photos, "photo_id,height\np,1000001\n", "from 1 to 1000000"),
            (.photos, "photo_id,taken_at\np,2024-13-01\n", "taken_at"),
            (.groups, "group_id,join_policy\ng,maybe\n", "open, approval, invite"),
        ])
    func unreadable(kind: ImportKind, text: String, reason: String) throws {
        let test = try CatalogUnderTest()
        // An unknown user or group would stop the import, too.
        try test.importing(kind, text)
        let error = try #require(catalogError { try test.importing(kind, text) { $0.isStrict = true } })
        #expect(error.code == .badData && error.message.contains("file2.csv, line 2: "))
        #expect(error.message.contains(reason))
        let summary = try test.importing(kind, text)
        #expect(summary.rows == 1 && summary.rejected == 0 && summary.findings.map(\.count) == [1])
    }

    @Test("strict keeps nothing at all, however many batches came before", arguments: ImportKind.ofGroups)
    func strictBatches(kind: ImportKind) throws {
        let test = try CatalogUnderTest()
        let ids = ["a", "b", "c", "d"]
        let isPair = kind == .memberships || kind == .pools
        if isPair {
            try test.importing(.groups, "group_id\ng\n")
            try test.importing(
                kind == .memberships ? .users : .photos,
                (kind == .memberships ? "user_id\n" : "photo_id\n") + ids.joined(separator: "\n"))
        }
        let changes = try test.catalog.facts.changeCount()
        let header = kind.columnNames.prefix(isPair ? 2 : 1).joined(separator: ",")
        let rows = (ids + [""]).map { (isPair ? "g," : "") + ($0.isEmpty && !isPair ? "\"\"" : $0) }
        let error = try #require(
            catalogError {
                try test.importing(kind, ([header] + rows).joined(separator: "\n") + "\n") {
                    $0.isStrict = true
                    $0.batchRows = 3
                }
            })
        #expect(error.code == .badData && error.message.contains("line 6: "), "\(error)")
        #expect(try test.content(kind).isEmpty)
        #expect(try test.catalog.facts.changeCount() == changes)
        // No transaction is left open: the connection can be used again.
        #expect(try test.importing(kind, ([header] + rows.prefix(4)).joined(separator: "\n") + "\n").written == 4)
    }

    @Test(
        "strict refuses unknown ids, with the line of the first",
        arguments: [
            (ImportKind.memberships, "group_id,user_id\ng,u\ng,nobody\nnogroup,u\n", "line 3: there is no user nobody"),
            (.memberships, "group_id,user_id\ng,u\nnogroup,nobody\n", "line 3: there is no group nogroup"),
            (.pools, "group_id,photo_id\ng,p\n\ng,p\ng,none\n", "line 5: there is no photo none"),
            (.photos, "photo_id,user_id\nq,u\nr,nobody\n", "line 3: there is no user nobody"),
        ])
    func unknown(kind: ImportKind, text: String, message: String) throws {
        let test = try CatalogUnderTest()
        try test.importing(.groups, "group_id\ng\n")
        try test.importing(.photos, "photo_id,user_id\np,u\n")
        let before = (try test.everything(), try test.catalog.facts.changeCount())
        let error = try #require(catalogError { try test.importing(kind, text) { $0.isStrict = true } })
        #expect(error.code == .badData && error.message.contains(message), "\(error)")
        #expect(try test.everything() == before.0)
        #expect(try test.catalog.facts.changeCount() == before.1)
        // Without strict mode, they are created.
        #expect(try test.importing(kind, text).rejected == 0)
    }

    @Test("strict names the right file and line after several batches and files")
    func strictLinesAcrossFiles() throws {
        let test = try CatalogUnderTest()
        try test.importing(.groups, "group_id\ng\n")
        try test.importing(.users, "user_id\n" + (0..<20).map { "u\($0)\n" }.joined())
        let first = "group_id,user_id\n" + (0..<10).map { "g,u\($0)\n" }.joined()
        let second = "group_id,user_id\n" + (10..<15).map { "g,u\($0)\n" }.joined() + "g,stranger\n"
        let error = try #require(
            catalogError {
                try test.importing(.memberships, first, second) {
                    $0.isStrict = true
                    $0.batchRows = 4
                    $0.identifierBytes = 0
                }
            })
        #expect(error.message.contains("file4.csv, line 7: there is no user stranger"), "\(error)")
        #expect(try test.content(.memberships).isEmpty)
    }

    @Test("a rejects file that cannot be written is an error that says what to do")
    func rejectsFileFails() throws {
        let test = try CatalogUnderTest()
        let error = try #require(
            catalogError {
                try test.importing(.users, "user_id\n\"\"\n") { $0.rejectsPath = "/nonexistent/rejects.tsv" }
            })
        #expect(error.code == .fileFailed && error.message.contains("--rejects"))
    }
}
