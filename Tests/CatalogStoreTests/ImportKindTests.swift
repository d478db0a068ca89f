import Basics
@testable import CatalogStore
import Model
import RecordReading
import TestSupport
import Testing

@Suite("Importing each kind")
struct ImportKindTests {
    @Test("groups from CSV, columns in any order, unknown ones reported")
    func groups() throws {
        let test = try CatalogUnderTest()
        let summary = try test.importing(
            .groups,
            """
            title,colour,visibility,group_id,last_active_at,topics,join_policy,created_at,description
            "Birds, of Berlin",red,private,b,2024-01-02T03:04:05Z,birds; city ;;berlin,invite,1700000000,"two
            lines and a ""quote""\"
            Macro,,public,a,,,open,,
            """)
        #expect(
            try test.content(.groups) == [
                "a|Macro|~|0|~|0|~|~",
                "b|Birds, of Berlin|two\nlines and a \"quote\"|1|birds;city;berlin|2|1700000000|1704164645",
            ])
        #expect(summary.rows == 2 && summary.written == 2 && summary.rejected == 0 && summary.unchanged == 0)
        #expect(summary.unknownColumns.map(\.name) == ["colour"])
        let records = try test.catalog.facts.groups()
        try #require(records.count == 2)
        #expect(records.map(\.id) == ["a", "b"])
        #expect(records[1].topics == ["birds", "city", "berlin"] && records[1].joinPolicy == .invite)
        #expect(records[1].visibility == .private && records[1].createdAt == 1_700_000_000)
        #expect(records[0].createdAt == nil && records[0].topics.isEmpty)
        #expect(try test.catalog.facts.group(withID: "b") == records[1])
        #expect(try test.catalog.facts.group(withID: "c") == nil)
    }

    @Test("users from TSV, photos from JSON Lines, whose owners are created")
    func usersAndPhotos() throws {
        let test = try CatalogUnderTest()
        try test.importing(.users, "user_id\tname\tinterests\nu1\tAnn\tmacro;night\nu2\t\t\n", ending: "tsv")
        #expect(try test.content(.users) == ["u1|Ann|macro;night|~", "u2|~|~|~"])
        let summary = try test.importing(
            .photos,
            """
            {"photo_id":"p1","user_id":"u1","taken_at":"2024-06-01","tags":["sea","sun"],"latitude":-33.5,\
            "longitude":151.25}
            {"photo_id":"p2","visibility":"private","user_id":"u3","uploaded_at":1700000000,"camera":"X"}
            {"photo_id":3}
            """, ending: "jsonl")
        #expect(
            try test.content(.photos) == [
                "3|~|0|~|~|~|~|~|~|~", "p1|u1|0|1717200000|~|sea;sun|-33.5|151.25|~|~",
                "p2|u3|1|~|1700000000|~|~|~|~|~",
            ])
        #expect(summary.created == ["users": 1] && summary.unknownColumns.map(\.name) == ["camera"])
        #expect(try test.content(.users) == ["u1|Ann|macro;night|~", "u2|~|~|~", "u3|~|~|~"])
    }

    @Test("Sizes of pictures are kept; 0 stands for an unknown one")
    func sizes() throws {
        let test = try CatalogUnderTest()
        try test.importing(.groups, "group_id\ng\n")
        try test.importing(
            .photos, "photo_id,width,height,visibility\np,4000,3000,public\nq,0,,public\nr,9,9,private\n")
        try test.importing(.pools, "group_id,photo_id\ng,p\ng,q\ng,r\n")
        #expect(
            try test.catalog.facts.publicPhotos(ofGroup: "g", limit: 5) == [
                PooledPhoto(id: "q"), PooledPhoto(id: "p", width: 4000, height: 3000),
            ])
    }

    @Test("Only semicolons separate the items of a list, in every kind and format")
    func listSeparators() throws {
        let test = try CatalogUnderTest()
        try test.importing(.groups, "group_id,topics\ng,\"New York, NY; black|white ;;\"\n")
        try test.importing(.users, "user_id\tinterests\nu\tNew York, NY;a|b\n", ending: "tsv")
        try test.importing(.photos, #"{"photo_id":"p","tags":["New York, NY","a|b"]}"#, ending: "jsonl")
        #expect(try test.catalog.facts.groups().map(\.topics) == [["New York, NY", "black|white"]])
        #expect(try test.content(.users) == ["u|~|New York, NY;a|b|~"])
        #expect(try test.content(.photos) == ["p|~|0|~|~|New York, NY;a|b|~|~|~|~"])
    }

    @Test("memberships and pools create the public groups, users and photos they name")
    func pairs() throws {
        let test = try CatalogUnderTest()
        let memberships = try test.importing(
            .memberships, "joined_at,user_id,group_id\n1700000000,u1,g1\n,u2,g1\n2024-01-02T03:04:05Z,u1,g2\n")
        #expect(memberships.rows == 3 && memberships.written == 3 && memberships.created == ["groups": 2, "users": 2])
        #expect(try test.content(.memberships) == ["g1|u1|1700000000", "g1|u2|~", "g2|u1|1704164645"])
        let pools = try test.importing(
            .pools,
            """
            {"group_id":"g1","photo_id":"p1"}
            {"photo_id":"p1","added_at":500000005,"group_id":"g3"}
            """, ending: "jsonl")
        #expect(pools.created == ["groups": 1, "photos": 1])
        #expect(try test.content(.pools) == ["g1|p1|~", "g3|p1|500000005"])
        #expect(try test.catalog.facts.groups().allSatisfy { $0.visibility == .public })
        #expect(try test.content(.photos) == ["p1|~|0|~|~|~|~|~|~|~"])
        #expect(try test.catalog.facts.counts().map(\.rows) == [3, 2, 1, 0, 0, 3, 2, 0])
    }

    @Test(
        "a required column that is missing is an error that names it",
        arguments: [
            (ImportKind.groups, "group_id"), (.users, "user_id"), (.photos, "photo_id"), (.memberships, "group_id"),
            (.pools, "photo_id"),
        ])
    func missingColumn(kind: ImportKind, column: String) throws {
        let test = try CatalogUnderTest()
        let others = kind.columnNames.filter { $0 != column }.joined(separator: ",")
        let error = try #require(catalogError { try test.importing(kind, others + "\n") })
        #expect(error.code == .badData && error.message.contains(column) && error.message.contains("file1.csv, line 1"))
        #expect(try test.catalog.facts.changeCount() == 0)
    }

    @Test("the first bytes decide the format if the name does not")
    func formats() throws {
        let test = try CatalogUnderTest()
        try test.importing(.users, "user_id\tname\nt,1\tx\n", ending: "txt")
        try test.importing(.users, "{\"user_id\":\"j\"}\n", ending: "dat")
        try test.importing(.users, "user_id,name\nc,y\n", ending: "")
        try test.importing(.users, "user_id\tname\nforced\tz\n", ending: "csv") { $0.dialect.format = .tsv }
        #expect(try test.content(.users) == ["c|y|~|~", "forced|z|~|~", "j|~|~|~", "t,1|x|~|~"])
    }

    @Test("files that cannot be read are errors that name them, and nothing is written")
    func unreadable() throws {
        let test = try CatalogUnderTest()
        let good = try test.file(Array("user_id\nu\n".utf8))
        let unreadable: [(path: String, code: Failure.Code)] = [
            (test.directory.path, .badData), (test.directory.path + "/absent.csv", .fileFailed),
        ]
        for (bad, code) in unreadable {
            let importer = try Importer(into: test.catalog, kind: .users, options: .init(rejectsPath: test.rejectsPath))
            let error = try #require(catalogError { _ = try importer.run([good, bad]) })
            #expect(error.code == code && error.message.contains(bad))
        }
        #expect(try test.content(.users) == [])
    }

    @Test("progress reports the bytes read and their total")
    func progress() throws {
        let test = try CatalogUnderTest()
        let text = "user_id\n" + (0..<40_000).map { "user\($0)\n" }.joined()
        let path = try test.file(Array(text.utf8))
        var reports: [ImportProgress] = []
        let importer = try Importer(
            into: test.catalog, kind: .users, options: .init(rejectsPath: test.rejectsPath)
        ) { reports.append($0) }
        _ = try importer.run([path])
        #expect(reports.map(\.rows) == [16384, 32768])
        #expect(reports.allSatisfy { $0.totalBytes == text.utf8.count && $0.bytesRead <= text.utf8.count })
    }
}
