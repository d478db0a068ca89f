import Basics
import RecordReading
import TestSupport
import Testing

@testable import CatalogStore

@Suite("Files of another kind than the one named")
struct ImportOtherKindTests {
    /// A kind that is named, and the kind of the file.
    struct Pair: CustomTestStringConvertible {
        let named, actual: ImportKind

        var testDescription: String { "\(actual.name) as \(named.name)" }

        static let all = ImportKind.all().flatMap { named in
            ImportKind.all().filter { $0 != named }.map { Pair(named: named, actual: $0) }
        }
    }

    /// Returns a file of a kind with one row; `ids` begin its external ids.
    private func file(_ kind: ImportKind, onlyRequired: Bool, ids: String) -> String {
        let columns = kind.columns.filter { $0.isRequired || !onlyRequired }
        let values = columns.map { value($0, ids) }
        return "\(columns.map(\.name).joined(separator: ","))\n\(values.joined(separator: ","))\n"
    }

    /// Returns the same row as JSON Lines, behind a record with the required fields only.
    private func jsonLines(_ kind: ImportKind, ids: String) -> String {
        func object(_ columns: [ImportKind.Column]) -> String {
            "{\(columns.map { "\"\($0.name)\":\"\(value($0, ids))\"" }.joined(separator: ","))}\n"
        }
        return object(kind.columns.filter(\.isRequired)) + object(kind.columns)
    }

    private func value(_ column: ImportKind.Column, _ ids: String) -> String {
        switch column.type {
        case .id, .owner: ids + column.name
        case .text, .list: "words"
        case .time: "2025-06-01T12:00:00Z"
        case .visibility: "private"
        case .joinPolicy: "invite"
        case .yesOrNo: "yes"
        case .degrees: "1.5"
        case .pixels: "30"
        case .mark: ""
        }
    }

    @Test(
        "Every kind as every other one: refused, except where the columns fit both; nothing changes",
        arguments: Pair.all)
    func pair(pair: Pair) throws {
        let test = try CatalogUnderTest()
        for kind in ImportKind.all() { try test.importing(kind, file(kind, onlyRequired: false, ids: "old-")) }
        let before = try test.everything()
        let namedColumns = Set(pair.named.columnNames)
        for onlyRequired in [true, false] {
            let text = file(pair.actual, onlyRequired: onlyRequired, ids: "old-")
            let header = try #require(text.split(separator: "\n").first).split(separator: ",").map(String.init)
            let error = catalogError { try test.importing(pair.named, text) }
            // The oracle: no column is passed over.
            let fits =
                pair.named.columns.allSatisfy { !$0.isRequired || header.contains($0.name) }
                && namedColumns.isSuperset(of: header)
            #expect((error == nil) == fits, "\(header): \(error?.message ?? "imported")")
            if fits { continue }
            #expect(error?.code == .badData)
            #expect(try test.everything() == before)
        }
        // In JSON Lines, the first record may fit, and a later one tells.
        let json = jsonLines(pair.actual, ids: "old-")
        #expect(
            catalogError {
                try test.importing(pair.named, json, ending: "jsonl") { $0.maximumRejectedShare = 0 }
            } != nil)
        if pair.named != .photos || pair.actual != .favourites { #expect(try test.everything() == before) }
    }

    @Test(
        "A refusal names the likely kind, the columns and the option, and the option permits the import",
        arguments: [
            (ImportKind.photos, "photo_id,user_id,added_at\np,u,2025-01-01\n", "favourites", "added_at"),
            (.photos, "group_id,photo_id\ng,p\n", "pools", "group_id"),
            (.groups, "group_id,user_id\ng,u\n", "memberships", "user_id"),
            (.groups, "group_id, USER_ID ,Joined_At\ng,u,\n", "memberships", "user_id,joined_at"),
            (.users, "user_id,photo_id\nu,p\n", "favourites", "photo_id"),
            (.users, "user_id,photo_id,tags\nu,p,x\n", "photos", "photo_id,tags"),
            (.memberships, "group_id,user_id,posted_at\ng,u,2025-01-01\n", "posts", "posted_at"),
            (.photos, "photo_id,vector\np,1 2\n", "vectors", "vector"),
        ])
    func permitted(kind: ImportKind, text: String, likely: String, columns: String) throws {
        let test = try CatalogUnderTest()
        let error = try #require(catalogError { try test.importing(kind, text) })
        for words in ["this looks like \(likely), not \(kind.name)", "--ignore \(columns) ", "nothing was changed"] {
            #expect(error.message.contains(words), "\(error.message)")
        }
        #expect(try test.content(kind).isEmpty)
        #expect(catalogError { try test.importing(kind, text) { $0.isDryRun = true } } != nil)
        let summary = try test.importing(kind, text) { options in
            options.ignoredColumns = Set(columns.split(separator: ",").map(String.init))
        }
        #expect(summary.rows == 1 && summary.unknownColumns.isEmpty)
    }

    @Test(
        "Files that share columns with another kind are imported as before",
        arguments: [
            (ImportKind.memberships, "group_id,user_id\ng,u\n"), (.photos, "photo_id,user_id\np,u\n"),
            (.favourites, "photo_id,user_id\np,u\n"),
            // Columns of two kinds, as from a join, in which the named kind has one of its own.
            (.memberships, "group_id,user_id,joined_at,title,visibility\ng,u,2025-01-01,G,public\n"),
            (.groups, "group_id,title,user_id\ng,G,u\n"), (.photos, "photo_id,user_id,tags,added_at\np,u,x,2025\n"),
            (.pools, "group_id,photo_id,added_at,user_id,tags\ng,p,2025-01-01,u,x\n"),
            (.photos, "photo_id,user_id,group_id\np,u,g\n"),
            (.posts, "group_id,user_id,posted_at,joined_at\ng,u,2025-01-01,2024-01-01\n"),
        ])
    func shared(kind: ImportKind, text: String) throws {
        #expect(try CatalogUnderTest().importing(kind, text).rows == 1)
    }

    @Test("A refused file counts as no file of the kind: groups that only memberships name stay public")
    func undescribed() throws {
        let test = try CatalogUnderTest()
        let memberships = "group_id,user_id,joined_at\na,u,2025-01-01\n"
        try test.importing(.memberships, memberships)
        #expect(catalogError { try test.importing(.groups, memberships) } != nil)
        try test.importing(.memberships, "group_id,user_id\nb,u\n")
        #expect(try test.lines("SELECT group_id || visibility FROM groups ORDER BY 1") == ["a0", "b0"])
        // A file of groups that is refused for another reason counts, and so does one before.
        #expect(catalogError { try test.importing(.groups, "group_id,secret\na,1\n") } != nil)
        #expect(catalogError { try test.importing(.groups, memberships) } != nil)
        let later = try test.importing(.memberships, "group_id,user_id\nc,u\n")
        #expect(later.unshown == ["groups": 1])
    }

    @Test("A column that was named with another name counts as the kind's own")
    func renamed() throws {
        let test = try CatalogUnderTest()
        let summary = try test.importing(.memberships, "group_id,user_id,posted_at\ng,u,2025-01-01\n") {
            $0.sourceNames = ["joined_at": "posted_at"]
        }
        #expect(summary.rows == 1 && summary.unknownColumns.isEmpty)
        #expect(
            catalogError {
                try test.importing(.groups, "gid,user_id\ng,u\n") { $0.sourceNames = ["group_id": "gid"] }
            } != nil)
    }
}
