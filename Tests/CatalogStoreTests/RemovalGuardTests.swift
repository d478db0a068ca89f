import Basics
import Changes
import Model
import TestSupport
import Testing

@testable import CatalogStore

@Suite("Guards of files that name what is removed")
struct RemovalGuardTests {
    private let test: CatalogUnderTest

    init() throws {
        test = try CatalogUnderTest()
        let numbers = 1...40
        try test.importing(.groups, "group_id\n" + numbers.map { "g\($0)\n" }.joined())
        try test.importing(.users, "user_id\n" + numbers.map { "u\($0)\n" }.joined())
        try test.importing(.photos, "photo_id,user_id\n" + numbers.map { "p\($0),u\($0)\n" }.joined())
        try test.importing(.memberships, "group_id,user_id\n" + numbers.map { "g\($0),u\($0)\n" }.joined())
    }

    private func rows(_ kind: ImportKind, _ text: String, _ ending: String = "csv", ignoring: Set<String> = [])
        throws -> [[String]]
    {
        try NamedRows.rows(
            of: kind, .standard, inFiles: [test.file(Array(text.utf8), ending)], ignoring: ignoring)
    }

    @Test(
        "A file of another kind is refused, and the command that reads it is named",
        arguments: [
            (ImportKind.users, "group_id,user_id\ng1,u1\n", "delete membership"),
            (.groups, "group_id,user_id,joined_at\ng1,u1,\n", "delete membership"),
            (.photos, "group_id,photo_id\ng1,p1\n", "delete pool"),
            (.photos, "photo_id,user_id\np1,u1\n", "delete favourite"),
            (.users, "photo_id,user_id,tags\np1,u1,x\n", "delete photo"),
            (.memberships, "group_id,user_id,posted_at\ng1,u1,2026-01-01\n", "delete post"),
            (.photos, "photo_id,vector\np1,1 2\n", "--ignore vector"),
        ])
    func kinds(kind: ImportKind, text: String, words: String) throws {
        let error = try #require(catalogError { _ = try rows(kind, text) })
        #expect(error.code == .badData && error.message.contains(words), "\(error)")
        let names = Set(try #require(text.split(separator: "\n").first).split(separator: ",").map(String.init))
        let others = names.subtracting(kind.columns.prefix(kind.idCount).map(\.name))
        #expect(try rows(kind, text, ignoring: others).count == 1)
    }

    @Test("The file that was imported, and one with the ids alone, name what is removed")
    func own() throws {
        #expect(try rows(.photos, "photo_id,user_id,visibility\np1,u1,public\n") == [["p1"]])
        #expect(try rows(.groups, "group_id,title\ng1,T\n") == [["g1"]])
        #expect(try rows(.posts, "user_id,group_id\nu1,g1\n") == [["g1", "u1"]])
        #expect(try rows(.users, "{\"user_id\":\"u1\"}\n", "jsonl") == [["u1"]])
        #expect(
            catalogError {
                _ = try rows(.users, "{\"user_id\":\"u1\"}\n{\"user_id\":\"u2\",\"group_id\":\"g\"}\n", "jsonl")
            }
                != nil)
    }

    @Test(
        "A bad line is refused with its place",
        arguments: [
            ("user_id\n", "line 1: there is no row"), ("user_id\nu1\n  \n", "line 3: user_id has only blanks"),
            ("user_id,name\nu1,\n\\N,x\n", "line 3: user_id is empty"),
            ("user_id\nu1\nERROR 2013 (HY000): Lost\n", "line 3"), ("user_id,name\nu1,x\nu2\n", "line 3"),
            ("user_id\tname\nu1\tx\n\\.\nu2\tx\n", "line 4"), ("", "line 1"),
            ("user_id\n" + String(repeating: "abc\n", count: 1021) + "abcd", "cut off"),
        ])
    func bad(text: String, words: String) throws {
        let error = try #require(catalogError { _ = try rows(.users, text) })
        #expect(error.code == .badData && error.message.contains(words), "\(error)")
    }

    @Test("More than a tenth needs a word; a dry run says what would go, and changes nothing")
    func share() throws {
        let before = try test.everything()
        func remove(_ count: Int, _ options: RemovalOptions) throws -> RemovalSummary {
            try test.catalog.removal.remove(.users, (1...count).map { ["u\($0)"] }, options)
        }
        let guarded = RemovalOptions(isDryRun: false, allowsShrinking: false)
        let error = try #require(catalogError { _ = try remove(5, guarded) })
        #expect(error.message.contains("5 of 40 users, more than a tenth"), "\(error)")
        #expect(try test.everything() == before)
        let dry = try remove(5, RemovalOptions(isDryRun: true, allowsShrinking: false))
        #expect(dry.removed == 5 && dry.others == ["memberships": 5, "photos": 5] && dry.failure?.code == .badData)
        #expect(try remove(4, RemovalOptions(isDryRun: true, allowsShrinking: false)).failure == nil)
        #expect(try test.everything() == before)
        #expect(try remove(4, guarded).removed == 4)
        #expect(try remove(40, RemovalOptions()).removed == 36)
    }

    @Test("Forgetting has the same bound and the same dry run")
    func forgetting() throws {
        let catalog = try Catalog(path: test.path, mode: .recording)
        let before = try test.everything()
        func forget(_ ids: [String], dry: Bool, all: Bool) throws -> RemovalSummary {
            try catalog.removal.forget(
                ids, withPhotos: true, RemovalOptions(isDryRun: dry, allowsShrinking: all), atMilliseconds: 1
            ).summary
        }
        let five = (1...5).map { "u\($0)" }
        #expect(catalogError { _ = try forget(five, dry: false, all: false) }?.code == .badData)
        let dry = try forget(five + ["ghost"], dry: true, all: false)
        #expect(dry.removed == 5 && dry.others == ["memberships": 5, "photos": 5] && dry.unknown == ["ghost"])
        #expect(dry.failure != nil)
        #expect(try test.everything() == before && catalog.facts.ledger().times.isEmpty)
        #expect(try forget(five, dry: false, all: true).removed == 5)
        // Somebody who is forgotten already is nobody unknown.
        #expect(try forget(["u1"], dry: false, all: false).unknown.isEmpty)
    }

    @Test("What names a forgotten member is unknown, and leaves no note", arguments: ImportKind.all())
    func forgotten(kind: ImportKind) throws {
        let catalog = try Catalog(path: test.path, mode: .recording)
        _ = try catalog.removal.forget(["u1"], withPhotos: false, atMilliseconds: 1)
        let tables = kind.columns.prefix(kind.idCount).map(\.name)
        guard tables.contains(where: { $0.hasPrefix("user") || $0.hasPrefix("follow") }) else { return }
        let row = tables.map { $0.hasPrefix("group") ? "g2" : $0.hasPrefix("photo") ? "p2" : "u1" }
        #expect(try catalog.removal.named(kind, [row]).isEmpty)
        let summary = try catalog.removal.remove(kind, [row], stamp: 5)
        #expect(summary.unknownCount == 1 && summary.removed == 0)
        #expect(try catalog.facts.traces(ofMember: "u1").rows.isEmpty)
    }

    @Test("Groups and users that come twice count once; the last row counts")
    func repeated() throws {
        let groups = try test.importing(.groups, "group_id,title\nnew,A\nnew,B\ng1,C\n")
        #expect(groups.rows == 3 && groups.written == 2 && groups.duplicates == 1 && groups.unchanged == 0)
        #expect(try test.lines("SELECT title FROM groups WHERE group_id = 'new'") == ["B"])
        let users = try test.importing(.users, "user_id\nu1\nu1\nu1\n")
        #expect(users.duplicates == 2 && users.unchanged == 1)
    }

    @Test("An import without a row is none, unless it may replace everything by nothing")
    func empty() throws {
        for kind in ImportKind.all() {
            let header = kind.columnNames.joined(separator: ",") + "\n"
            let error = try #require(catalogError { try test.importing(kind, header) }, "\(kind.name)")
            #expect(error.code == .badData && error.message.contains("line 1: there is no row"), "\(error)")
        }
        let part = try test.importing(.groups, "group_id\n", "group_id\ng1\n")
        #expect(part.rows == 1)
        #expect(catalogError { try test.importing(.groups, "group_id\n") { $0.replaces = true } } != nil)
        let all = try test.importing(.groups, "group_id\n") { ($0.replaces, $0.allowsShrinking) = (true, true) }
        #expect(all.removed == 40)
    }
}
