import CatalogStore
import Changes
import Foundation
import Model
import ModelStore
import Basics
import Recompute
import TestSupport
import Testing

/// What a recompute publishes beside neighbours.
@Suite("Published signals")
struct SignalTests {
    /// Groups with ten members each, so that there is something to publish, none of which has a date.
    private func community() throws -> SmallCommunity {
        let community = try SmallCommunity()
        try community.importing(
            .groups,
            "group_id,visibility,topics\nbees,public,Insects;Macro\ncats,public,\nnew,public,\nsecret,private,Macro\n")
        let lines = ["bees", "cats", "secret"].flatMap { group in (0..<10).map { "\(group),u\($0)\n" } }
        try community.importing(.memberships, "group_id,user_id\n" + lines.joined())
        return community
    }

    private func model(_ community: SmallCommunity, at start: Int64? = nil) throws -> ModelVersion {
        let job = RecomputeJob(
            catalogPath: community.catalogPath, store: community.store, parameters: .init(threads: 2),
            startedAtMilliseconds: (start ?? now) * 1000)
        return try community.store.load(job.run(observer: RecordingObserver()).manifest.version).model
    }

    /// 2026-11-21T00:00:00Z.
    private let now: Int64 = 1_795_219_200

    private func index(_ id: String, _ model: ModelVersion) throws -> UInt32 {
        UInt32(try #require(model.index(ofID: id)))
    }

    @Test("without dates, tags and locations nothing trends, there are no seasons, and no tag points to a group")
    func nothing() throws {
        let model = try model(community())
        #expect(model.trending.isEmpty && !model.hasSeasons && model.tags.isEmpty && model.places.isEmpty)
        #expect(model.curated.isEmpty && model.reach(of: 0) == nil)
        #expect(model.groups(withTopic: "macro") == [try index("bees", model)])
    }

    @Test("Offers and openings count once a member, within four weeks; joins by their dates", arguments: [false, true])
    func reach(publishesMembers: Bool) throws {
        let community = try community()
        try community.importing(
            .memberships, "group_id,user_id,joined_at\nbees,j1,2026-11-20\nbees,j2,2026-10-25\nbees,j3,2026-10-01\n")
        let catalog = try Catalog(path: community.catalogPath, mode: .recording)
        func tell(_ user: String, _ events: [(kind: Interaction.Kind, group: String, days: Int64)]) throws {
            let records = events.enumerated().map { number, event in
                InteractionRecord(
                    id: "\(number)", event.kind, groupID: event.group,
                    atMilliseconds: (now - event.days * 86_400) * 1000)
            }
            try catalog.take([.member(MemberChange(ofUser: user, .record(records)))])
        }
        try tell("ann", [(.impression, "bees", 1), (.impression, "bees", 2), (.click, "bees", 1), (.click, "bees", 1)])
        try tell("bob", [(.impression, "bees", 27), (.impression, "cats", 29), (.click, "cats", 3)])
        try tell("eve", [(.impression, "bees", 3), (.impression, "secret", 3)])
        var parameters = RecomputeParameters(threads: 2)
        parameters.publishesMembers = publishesMembers
        let job = RecomputeJob(
            catalogPath: community.catalogPath, store: community.store, parameters: parameters,
            startedAtMilliseconds: now * 1000)
        let model = try community.store.load(job.run(observer: RecordingObserver()).manifest.version).model
        #expect(model.reach(of: Int(try index("bees", model))) == GroupReach(joins: 2, offered: 3, opened: 1))
        #expect(model.reach(of: Int(try index("cats", model))) == GroupReach())
        // A version that is made later counts the weeks before it, although nothing was imported since.
        let later = try self.model(community, at: now + 40 * 86_400)
        #expect(later.reach(of: Int(try index("bees", later))) == GroupReach())
    }

    @Test("a group is active until its last join or post, if its file is older; a date to come does not count")
    func lastActivity() throws {
        let community = try community()
        try community.importing(
            .groups,
            "group_id,last_active_at\nbees,2020-01-01\ncats,2026-11-19\nnew,1970-01-01\nsecret,2020-01-01\n")
        try community.importing(
            .memberships, "group_id,user_id,joined_at\nbees,u1,2026-11-20\nbees,u2,2026-12-24\ncats,u1,2026-01-01\n")
        try community.importing(.pools, "group_id,photo_id,added_at\ncats,p1,2026-11-18\nnew,p1,2026-11-18\n")
        let model = try model(community)
        let days = try ["bees", "cats", "new"].map { id in
            model.lastActiveAt(of: Int(try index(id, model))).flatMap { UnixTime(seconds: $0) }?.description.prefix(10)
        }
        #expect(days == ["2026-11-20", "2026-11-19", nil])
    }

    @Test(
        "a burst of joiners and posters trends, in public groups and of public photos only",
        arguments: [0, 30 * 86_400])
    func trending(catalogAge: Int64) throws {
        let community = try community()
        // The catalog may be a month old: its last date is the present then.
        let last = now - catalogAge
        let joins = ["new", "secret"].flatMap { group in
            (0..<8).map { "\(group),n\($0),\(last - Int64($0) * 3600)\n" }
        }
        // Every week as many members join "cats": nothing unusual.
        let steady = (0..<63).map { "cats,s\($0),\(last - Int64($0) * 86_400)\n" }
        try community.importing(.memberships, "group_id,user_id,joined_at\n" + (joins + steady).joined())
        let photos = (0..<6).map { "p\($0),\($0 < 3 ? "n0" : "n\($0)"),\($0 == 5 ? "private" : "public")\n" }
        try community.importing(.photos, "photo_id,user_id,visibility\n" + photos.joined())
        try community.importing(
            .pools, "group_id,photo_id,added_at\n" + (0..<6).map { "new,p\($0),\(last)\n" }.joined())
        let model = try model(community)
        #expect(model.trending.map(\.group) == [try index("new", model)])
        // p0 to p2 are one person's, p5 is private.
        #expect(model.trending[0].joiners == 8 && model.trending[0].posters == 3 && model.trending[0].usualWeek == 0)
    }

    @Test("a date in the future does not count, and does not hide what trends")
    func future() throws {
        let community = try community()
        let joins = (0..<8).map { "new,n\($0),\(now - 60)\n" }
        try community.importing(
            .memberships, "group_id,user_id,joined_at\n" + joins.joined() + "new,z,\(now + 90 * 86_400)\n")
        let model = try model(community)
        #expect(model.trending.map(\.joiners) == [8])
    }

    @Test(
        "seasons need two years of dates, and private groups do not influence them",
        arguments: [1, 2, 3])
    func seasons(years: Int) throws {
        let community = try community()
        var lines: [String] = []
        for month in 0..<(years * 12) {
            let time = try #require(
                UnixTime("\(2023 + month / 12)-\(month % 12 < 9 ? "0" : "")\(month % 12 + 1)-01T12:00:00Z")
            ).seconds
            for group in ["bees", "cats", "secret"] {
                let count = group == "cats" ? 30 : month % 12 == 6 ? 60 : 5
                for person in 0..<count {
                    lines.append("\(group),m\(month)-\(person),\(time + Int64(person) * 3600)\n")
                }
            }
        }
        // The first of the next month, so that the last month is whole.
        let end = try #require(UnixTime("\(2023 + years)-01-01")).seconds
        lines.append("cats,last,\(end)\n")
        try community.importing(.memberships, "group_id,user_id,joined_at\n" + lines.joined())
        let model = try model(community)
        let bees = Int(try index("bees", model))
        guard years > 1 else {
            #expect(!model.hasSeasons && (0..<12).allSatisfy { model.seasonalFactor(of: bees, month: $0) == 1 })
            return
        }
        // July, against a community that is itself busier then.
        #expect(model.seasonalFactor(of: bees, month: 6) > 1.5)
        #expect((0..<12).filter { $0 != 6 }.allSatisfy { model.seasonalFactor(of: bees, month: $0) < 1.1 })
    }

    @Test("tags and locations point to groups of public photos that have as many photos as the thresholds require")
    func content() throws {
        let community = try community()
        var photos = "photo_id,visibility,tags,latitude,longitude\n"
        var pools = "group_id,photo_id\n"
        for number in 0..<12 {
            photos += "b\(number),public,Bee;macro;only\(number),47.37,8.54\n"
            photos += "c\(number),public,cat;indoors,\(number * 5),\(number * 9)\n"
            photos += "s\(number),private,hidden,1,1\n"
            pools += "bees,b\(number)\ncats,c\(number)\nsecret,c\(number)\ncats,s\(number)\n"
        }
        try community.importing(.photos, photos)
        try community.importing(.pools, pools)
        let model = try model(community)
        #expect(model.tags == ["bee", "cat", "indoors", "macro"])
        #expect(model.groups(withTag: "BEE").map(\.group) == [try index("bees", model)])
        #expect(model.groups(withTag: "cat").map(\.group) == [try index("cats", model)])
        #expect(model.places == [PlaceCell(latitude: 47.37, longitude: 8.54)].compactMap { $0 })
    }

    @Test("curated groups are published unless they have expired, are private or do not exist")
    func curation() throws {
        let community = try community()
        let catalog = try Catalog(path: community.catalogPath, mode: .writing)
        for (group, startsAt, expiresAt) in [("new", now + 60, now + 90), ("cats", nil, now), ("bees", nil, now + 1)] {
            let action = SiteChange.Action.curate(position: nil, startsAt: startsAt, expiresAt: expiresAt)
            #expect(try catalog.take([.site(SiteChange(ofGroup: group, action, atMilliseconds: 0))]) == 0)
        }
        let model = try model(community)
        #expect(
            model.curated == [
                CuratedGroup(group: try index("new", model), position: 1, startsAt: now + 60, expiresAt: now + 90),
                CuratedGroup(group: try index("bees", model), position: 3, expiresAt: now + 1),
            ])
    }
}
