@testable import Changes
@testable import Service
import CatalogStore
import Model
import ModelStore
import Recommendation
import SQLite
import TestSupport
import Testing

@Suite("Profiles from the catalog and from published versions")
struct MemberProfileTests {
    private let folder: TemporaryDirectory
    private let catalog: Catalog
    private let planner: Planner
    private let manifest: Manifest
    private let model: ModelVersion

    /// A catalog with the groups a to d, of which d is private and not in the model.
    init() throws {
        folder = try TemporaryDirectory()
        let path = folder.path + "/catalog.sqlite"
        catalog = try Catalog(path: path, mode: .writing)
        try Database(path: path, mode: .readWrite).execute(
            """
            INSERT INTO groups (group_key, group_id, visibility)
            VALUES (1, 'a', 0), (2, 'b', 0), (3, 'c', 0), (4, 'd', 1);
            INSERT INTO users (user_key, user_id, interests) VALUES (1, 'ann', 'birds;snow'), (2, 'bob', NULL);
            INSERT INTO memberships VALUES (1, 1, 5), (4, 1, 5);
            """)
        let encoded = try EncodedModel(groups: ["a", "b", "c"].map { GroupFacts(id: $0) }, tables: [:])
        model = try ModelVersion(ByteRegion(copying: encoded.fileBytes))
        planner = Planner(model: model, key: RotationKey(0, 0))
        manifest = Manifest(
            version: try VersionName("v1"), createdAtMilliseconds: 0,
            catalog: .init(schemaVersion: 1, changeCount: 1), groups: .init(included: 3, leftOutPrivate: 1),
            relations: [], steps: [], sections: [])
    }

    private func interaction(_ id: String, _ kind: Interaction.Kind, _ group: String, at instant: Int64)
        -> InteractionRecord
    {
        InteractionRecord(id: id, kind, groupID: group, atMilliseconds: instant)
    }

    private func known(_ user: String, at instant: Int64 = 9000) throws -> MemberProfile? {
        try MemberProfile(ofUser: user, from: catalog.facts, for: planner, atMilliseconds: instant)
    }

    @Test("The catalog's memberships and interests count, with interactions replayed on top, but for unknown groups")
    func ofCatalog() throws {
        let interactions = [
            interaction("1", .join, "b", at: 8000), interaction("2", .leave, "a", at: 4000),
            interaction("3", .dismiss, "c", at: 7000),
        ]
        try catalog.take([.member(MemberChange(ofUser: "ann", .record(interactions)))])
        let profile = try #require(try known("ann"))
        #expect(profile.joined.map(\.group) == [0, 1] && profile.joined.map(\.atMilliseconds) == [5000, 8000])
        #expect(profile.dismissals == [Dismissal(group: 2, atMilliseconds: 7000)])
        #expect(profile.topics == ["birds", "snow"])
        #expect(try known("bob") == MemberProfile(userID: "bob"))
        #expect(try known("eve") == nil)
    }

    @Test("Since when a member is known is the same from the catalog, from a version, and with a join since")
    func knownSince() throws {
        #expect(try known("ann")?.knownSinceMilliseconds == 5000)
        #expect(try known("bob")?.knownSinceMilliseconds == nil)
        func published(_ seconds: UInt32?) -> MemberState {
            let member = PublishedMember(joined: [.init(group: 0, seconds: seconds), .init(group: 1, seconds: 8)])
            return MemberState(member, of: manifest, for: planner, atMilliseconds: 9000)
        }
        func since(_ state: MemberState) -> Int64? { state.profile(ofUser: "ann").knownSinceMilliseconds }
        #expect([nil, 0, 5].map { since(published($0)) } == [0, 0, 5000])
        #expect(published(5).profile(ofUser: "ann").joined.map(\.atMilliseconds) == [5000, 8000])
        var recent = RecentMemberChanges()
        recent.interactions = [interaction("1", .leave, "a", at: 6000), interaction("2", .join, "c", at: 7000)]
        func after(_ seconds: UInt32?) -> MemberState {
            var state = published(seconds)
            state.replay(recent, for: planner, atMilliseconds: 9000)
            return state
        }
        #expect([nil, 0, 5].map { since(after($0)) } == [0, 0, 5000])
        // A leave that is older than the membership changes nothing.
        let joined = [5, 7].map { after($0).profile(ofUser: "ann").joined.map(\.group) }
        #expect(joined == [[1, 2], [0, 1, 2]])
        // One membership without a time is older than any.
        try Database(path: catalog.path, mode: .readWrite).execute("UPDATE memberships SET joined_at = NULL")
        #expect(try known("ann")?.knownSinceMilliseconds == 0)
    }

    @Test("Published impressions fade; newer changes are replayed on top, or everything before them is forgotten")
    func published() throws {
        let halfLife = Int64(planner.configuration.feedback.impressionHalfLifeDays * 86_400_000)
        let member = PublishedMember(
            joined: [.init(group: 0)],
            feedback: .init(
                dismissals: [Dismissal(group: 1, atMilliseconds: 5000)],
                exposures: [Exposure(group: 2, impressions: 4)], interestBytes: Array("birds".utf8)[...]))
        let known = MemberState(member, of: manifest, for: planner, atMilliseconds: halfLife)
        let before = known.profile(ofUser: "ann")
        // No dismissal is later than the version that has it.
        let dismissals = [Dismissal(group: 1, atMilliseconds: manifest.createdAtMilliseconds)]
        #expect(before.joined.map(\.group) == [0] && before.dismissals == dismissals)
        #expect(before.exposures == [Exposure(group: 2, impressions: 2)] && before.topics == ["birds"])
        var recent = RecentMemberChanges()
        recent.interactions = [
            interaction("1", .leave, "a", at: 6000), interaction("2", .join, "c", at: 7000),
            interaction("3", .join, "gone", at: 7000),
        ]
        func profile() -> MemberProfile {
            var state = known
            state.replay(recent, for: planner, atMilliseconds: halfLife)
            return state.profile(ofUser: "ann")
        }
        var after = profile()
        #expect(after.joined.map(\.group) == [2] && after.dismissals == before.dismissals)
        #expect(after.exposures == before.exposures && after.topics == before.topics)
        recent.forgetsEarlier = true
        recent.interests = []
        after = profile()
        #expect(after.joined.map(\.group) == [2] && after.dismissals.isEmpty)
        #expect(after.exposures.isEmpty && after.topics.isEmpty)
    }

    @Test("After the site removed a member from a group, only what came later counts, whatever its time")
    func removedFromGroup() throws {
        let member = PublishedMember(joined: [.init(group: 0), .init(group: 1)])
        var state = MemberState(member, of: manifest, for: planner, atMilliseconds: 9000)
        var recent = RecentMemberChanges()
        recent.removals = ["a", "b"].map {
            RecentMemberChanges.RemovedEntry(groupID: $0, table: RelationSource.memberships.table)
        }
        recent.interactions = [interaction("1", .join, "b", at: 1)]
        state.replay(recent, for: planner, atMilliseconds: 9000)
        #expect(state.profile(ofUser: "ann").joined.map(\.group) == [1])
    }

    @Test("Decisions come from the catalog, and without a catalog from the version")
    func decisions() throws {
        let curate = SiteChange.Action.curate(position: nil, startsAt: nil, expiresAt: nil)
        try catalog.take([
            .site(SiteChange(ofGroup: "b", .hide, atMilliseconds: 1)),
            .site(SiteChange(ofGroup: "c", curate, atMilliseconds: 1)),
            .site(SiteChange(ofGroup: "b", curate, atMilliseconds: 1)),
        ])
        let decisions = try SiteDecisions(of: catalog.facts, in: model)
        #expect(decisions.hidden == [1] && decisions.curated == [CuratedGroup(group: 2, position: 1)])
        #expect(try SiteDecisions(of: nil, in: model) == .asPublished)
    }
}
