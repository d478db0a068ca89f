import CatalogStore
import Foundation
import Model
import ModelStore
import Recommendation
import Recompute
import Similarity
import TestSupport
import Testing

/// Groups where the same members talk, and how much is said in each.
@Suite("Conversation in groups")
struct ConversationTests {
    private static let now: Int64 = 1_795_219_200
    private static let week: Int64 = 7 * 86_400

    private func recompute(_ community: SmallCommunity) throws -> LoadedVersion {
        let job = RecomputeJob(
            catalogPath: community.catalogPath, store: community.store, parameters: .init(threads: 2),
            startedAtMilliseconds: Self.now * 1000)
        return try community.store.load(job.run(observer: RecordingObserver()).manifest.version)
    }

    @Test("A community without posts has no such relation, and another one has it once members post")
    func absence() throws {
        let community = try SmallCommunity()
        try community.importing(.groups, "group_id,visibility\na,public\nb,public\n")
        try community.importing(.memberships, "group_id,user_id\na,u\nb,u\na,v\nb,v\n")
        let without = try recompute(community)
        #expect(without.model.relations == RelationTable.standard.requiredRelations)
        #expect(without.manifest[RelationDescription.conversation.relation] == nil)
        try community.importing(.posts, "group_id,user_id,posted_at\na,u,\(Self.now)\nb,u,\(Self.now)\n")
        let with = try recompute(community)
        #expect(with.model.relations == RelationTable.standard.requiredRelations + [.init(rawValue: "conversation")])
    }

    @Test("Each pair of groups has the score of the members who post in both, however often they post")
    func neighbours() throws {
        let community = try SmallCommunity()
        var generator = SeededGenerator(seed: 5)
        let groups = (0..<30).map { String(format: "g%02d", $0) }
        var (posts, speakers) = ("group_id,user_id,posted_at\n", [Set<UInt32>](repeating: [], count: 30))
        for number in 0..<900 {
            let group = Int.random(in: 0..<30, using: &generator)
            let user = Int.random(in: 0..<40, using: &generator)
            if group != 7 { speakers[group].insert(UInt32(user)) }
            posts += "\(groups[group]),u\(user),\(Self.now - Int64(number) * 5000)\n"
        }
        try community.importing(
            .groups, "group_id,visibility\n" + groups.map { "\($0),\($0 == "g07" ? "private" : "public")\n" }.joined())
        try community.importing(.posts, posts)
        let version = try recompute(community)
        let relation = RelationDescription.conversation.relation
        let rows = (0..<30).filter { $0 != 7 }.map { speakers[$0].sorted() }
        let matrix = try BinaryMatrix(
            columnCount: 40, rowOffsets: rows.reduce(into: [0]) { $0.append($0.last! + $1.count) },
            columnIndices: rows.flatMap(\.self))
        let parameters = RecomputeParameters(threads: 1)[relation]
        let expected = NeighbourSearch(parameters: parameters, threads: 1).run(on: matrix)
        for row in rows.indices {
            #expect(version.model.size(of: row, in: relation) == UInt32(rows[row].count))
            let found = version.model.neighbours(of: row, by: relation).map(\.self)
            let wanted = Array(expected.neighbours[expected.offsets[row]..<expected.offsets[row + 1]])
            #expect(found == wanted && !found.isEmpty)
        }
    }

    @Test("Posts of the last eight weeks are counted for shown groups, with the answers among them")
    func facts() throws {
        let community = try SmallCommunity()
        try community.importing(
            .groups, "group_id,visibility\nbusy,public\nquiet,public\nsecret,private\nold,public\n")
        try community.importing(.memberships, "group_id,user_id\nbusy,u0\nbusy,u1\nbusy,u2\nbusy,u3\nquiet,u0\n")
        var posts = "group_id,user_id,posted_at,answers\n"
        // 16 posts, of which 12 are answers; those of the future and of before the eight weeks do not count.
        for number in 0..<16 {
            posts += "busy,u\(number % 2),\(Self.now - Int64(number) * 3000),\(number < 12 ? "p" : "")\n"
            posts += "old,u1,\(Self.now - 8 * Self.week - Int64(number)),\nsecret,u1,\(Self.now - Int64(number)),\n"
        }
        posts += "busy,u0,\(Self.now + 5),\nquiet,u0,\(Self.now - 8 * Self.week + 1),\n"
        try community.importing(.posts, posts)
        let version = try recompute(community)
        let model = VisibleModel(version.model)
        func talk(_ id: String) throws -> GroupTalk { model.talk(of: try #require(model.index(ofID: id))) }
        #expect(try talk("busy").postsPerWeek == 2 && talk("busy").answersPerPost == 3)
        #expect(try talk("quiet") == GroupTalk(posts: 1))
        #expect(try talk("old") == GroupTalk())
        #expect(model.index(ofID: "secret") == nil)
        // A post is activity; a time in the future is not.
        #expect(model.lastActiveAt(of: try #require(model.index(ofID: "quiet"))) == nil)
        let planner = Planner(model: version.model, key: RotationKey(1, 2))
        let request = PlanRequest(
            profile: MemberProfile(userID: "x"), atMilliseconds: Self.now * 1000,
            filter: GroupFilter(minimumPostsPerWeek: 2))
        #expect(planner.plan(request).items.allSatisfy { model.id(of: Int($0.group)) == "busy" })
    }
}
