import Basics
@testable import CatalogStore
import Model
import TestSupport
import Testing

@Suite("Posts: a member may post in a group at several times")
struct PostTests {
    private func community() throws -> CatalogUnderTest {
        let test = try CatalogUnderTest()
        try test.importing(.groups, "group_id\ng\nh\n")
        let summary = try test.importing(
            .posts,
            """
            group_id,user_id,posted_at,post_id,answers
            g,ann,500000002,p2,p1
            g,ann,500000001,p1,
            g,bob,500000003,p3,p1
            h,ann,500000004,p4,
            g,ann,500000001,p1,

            """)
        #expect(summary.rows == 5 && summary.written == 4 && summary.rejected == 0 && summary.unknownColumns.isEmpty)
        return test
    }

    private static let posts = ["g|ann|500000001|0", "g|ann|500000002|1", "g|bob|500000003|1", "h|ann|500000004|0"]

    @Test("The times of a pair are kept, the same post again changes nothing, and an answer is known as one")
    func imports() throws {
        let test = try community()
        #expect(try test.content(.posts) == Self.posts)
        let again = try test.importing(.posts, "group_id,user_id,posted_at,answers\ng,ann,500000001,p0\n") {
            $0.isStrict = true
        }
        #expect(again.written == 1)
        #expect(try test.content(.posts).first == "g|ann|500000001|1")
        let statistics = try CatalogStatistics(of: test.catalog.facts)
        #expect(try #require(statistics.relations.first { $0.name == "posts" }).rows == 4)
        let examination = try CatalogExamination(of: test.catalog.facts)
        #expect(examination.dangling.isEmpty && examination.withoutIndex.isEmpty)
    }

    @Test("Posts at the same second are one and counted, and words for no are no answers")
    func sameSecond() throws {
        let test = try community()
        let text = "group_id,user_id,posted_at,answers\ng,cat,500000001,p\ng,cat,500000001,\ng,cat,500000002,0\n"
        for written in [2, 0] {
            let summary = try test.importing(.posts, text)
            #expect(summary.written == written && summary.duplicates == 1)
        }
        let words = ["0", "false", "No", "NULL", "None", "f"].enumerated()
        try test.importing(
            .posts,
            "group_id,user_id,posted_at,answers\n" + words.map { "h,cat,\(500_000_001 + $0),\($1)\n" }.joined())
        let cats = try test.content(.posts).filter { $0.contains("|cat|") }
        #expect(cats.filter { $0.hasSuffix("|1") } == ["g|cat|500000001|1"] && cats.count == 8)
    }

    @Test("A post without a time is rejected, because another one could be the same")
    func withoutTime() throws {
        let test = try community()
        let summary = try test.importing(.posts, "group_id,user_id,posted_at\ng,cat,\ng,cat,soon\ng,cat,0\n")
        #expect(summary.rejected == 3 && summary.written == 0)
        #expect(summary.examples.first?.reason.contains("each of the posts needs its time") == true)
        #expect(throws: Failure.self) { try test.importing(.posts, "group_id,user_id\ng,ann\n") }
        #expect(try test.content(.posts) == Self.posts)
    }

    @Test("A replacing import removes single posts, and a named pair goes with all of its posts")
    func removal() throws {
        let test = try community()
        let fewer = try test.importing(
            .posts, "group_id,user_id,posted_at,answers\ng,ann,500000001,\ng,bob,500000003,x\nh,ann,500000004,\n"
        ) { $0.replaces = true }
        #expect(fewer.removed == 1 && fewer.unchanged == 3)
        #expect(try test.content(.posts) == [Self.posts[0], Self.posts[2], Self.posts[3]])
        try test.importing(.posts, "group_id,user_id,posted_at\ng,ann,500000009\n")
        let pair = try test.catalog.removal.remove(.posts, [["g", "ann"], ["h", "bob"]])
        #expect(pair.removed == 2 && pair.unknown == ["h bob"])
        let user = try test.catalog.removal.remove(.users, [["ann"]])
        #expect(user.others == ["posts": 1])
        #expect(try test.content(.posts) == [Self.posts[2]])
    }

    @Test("A forgotten member leaves no post, and no file brings one back")
    func forgetting() throws {
        let test = try community()
        let catalog = try Catalog(path: test.path, mode: .recording)
        #expect(try catalog.facts.traces(ofMember: "ann").rows == ["users": 1, "posts": 3])
        #expect(
            try catalog.removal.forget(["ann"], withPhotos: false, atMilliseconds: 1).summary.others == ["posts": 3])
        let again = try test.importing(.posts, "group_id,user_id,posted_at\ng,ann,500000001\n")
        #expect(again.forgotten == 1)
        #expect(try test.content(.posts) == [Self.posts[2]])
    }

    @Test("Two ids of one member, or of one group, become one with the posts of both")
    func renaming() throws {
        let test = try community()
        try test.importing(.posts, "group_id,user_id,posted_at,answers\ng,bob,500000002,\ng,bob,500000001,\n")
        let catalog = try Catalog(path: test.path, mode: .recording)
        _ = try catalog.rename(.users, from: "bob", to: "ann")
        #expect(
            try test.content(.posts)
                == ["g|ann|500000001|0", "g|ann|500000002|1", "g|ann|500000003|1", "h|ann|500000004|0"])
        _ = try catalog.rename(.groups, from: "h", to: "g")
        #expect(try test.content(.posts).map { $0.prefix(15) }.last == "g|ann|500000004")
    }
}
