import Basics
import CatalogStore
import Changes
import Foundation
import Model
import ModelStore
import TestSupport
import Testing

@testable import Recompute

@Suite("The quality of the version before")
struct QualityTests {
    /// The time of the first version, in Unix seconds.
    private static let first: Int64 = 1_700_000_000
    private static let week: Int64 = 7 * 86_400

    /// Ten clusters of four groups in a ring, ten popular groups of 20 members each, and a group that sleeps.
    ///
    /// Each of the twelve members of a cluster is in two adjacent groups of it. So the other two groups, and no others,
    /// are neighbours of the member's.
    private func community() throws -> SmallCommunity {
        let community = try SmallCommunity()
        var (groups, lines) = ("group_id,last_active_at\nquiet,2019-05-01\n", "group_id,user_id,joined_at\n")
        var time: Int64 = 1_640_000_000
        func join(_ group: String, _ user: String) {
            time += 100_000
            lines += "\(group),\(user),\(time)\n"
        }
        for cluster in 0..<10 {
            groups += (0..<4).map { "g\(cluster)-\($0),\n" }.joined() + "top\(cluster),\n"
            for member in 0..<12 {
                join("g\(cluster)-\(member % 4)", "m\(cluster)-\(member)")
                join("g\(cluster)-\((member + 1) % 4)", "m\(cluster)-\(member)")
            }
            // The times of one group are not known.
            for fan in 0..<20 {
                if cluster == 9 {
                    lines += "top9,fan9-\(fan),\n"
                } else {
                    join("top\(cluster)", "fan\(cluster)-\(fan)")
                }
            }
        }
        try community.importing(.groups, groups)
        try community.importing(.memberships, lines + "quiet,sleeper,1500000000\n")
        return community
    }

    /// Imports what happens after the first version: 60 members join the next group of their cluster, 20 of whom also
    /// join a popular one; 30 join the group that sleeps, and 30 a new one.
    private func live(_ community: SmallCommunity) throws {
        // The first join may have been counted, if a clock was ahead.
        var lines = "group_id,user_id,joined_at\ng0-0,fan1-0,\(Self.first + 100)\n"
        for number in 0..<120 {
            let (cluster, member) = (number / 12, number % 12)
            func join(_ group: String) { lines += "\(group),m\(cluster)-\(member),\(Self.first + 3600)\n" }
            switch number % 4 {
            case 0, 2:
                join("g\(cluster)-\((member + 2) % 4)")
                if number < 40 { join("top0") }
            case 1: join("quiet")
            default: join("new")
            }
        }
        try community.importing(.groups, "group_id,created_at\nnew,\(Self.first + 60)\n")
        try community.importing(.memberships, lines)
    }

    private func recompute(
        _ community: SmallCommunity, at seconds: Int64, observer: RecordingObserver = .init(),
        change: (inout RecomputeParameters) -> Void = { _ in }
    ) throws -> Manifest {
        var parameters = RecomputeParameters(threads: 2)
        parameters.isForced = true
        change(&parameters)
        let job = RecomputeJob(
            catalogPath: community.catalogPath, store: community.store, parameters: parameters,
            startedAtMilliseconds: seconds * 1000)
        return try job.run(observer: observer).manifest
    }

    @Test("counts the groups that members joined since among the first of their lists, on any number of threads")
    func known() throws {
        let community = try community()
        let before = try recompute(community, at: Self.first)
        #expect(before.quality == nil)
        try live(community)
        let qualities = try [1, 2].map { threads in
            let manifest = try recompute(community, at: Self.first + Self.week) {
                $0.threads = threads
                $0.isDryRun = true
            }
            return try #require(manifest.quality)
        }
        #expect(qualities[0] == qualities[1])
        let quality = try #require(qualities[0].last)
        #expect(quality.version == before.version && qualities[0].count == 1)
        #expect(quality.members == 90 && quality.joins == 110 && quality.joinsOfOtherGroups == 30)
        #expect(quality.joinsWithoutTime == 20 && quality.joinsWithNewTime == 0 && quality.reason == nil)
        let figures = try #require(quality.figures)
        #expect(figures.hitRate == 60.0 / 90 && figures.popularHitRate == 20.0 / 90 && figures.impersonal == 0)
        // Wilson's interval, by hand.
        #expect(abs(figures.hitRateLow - 0.5642) < 0.001 && abs(figures.hitRateHigh - 0.7555) < 0.001)
        for share in [figures.coverage, figures.mostShown, figures.overlap] { #expect(share > 0 && share <= 1) }
        #expect(
            quality.words == "66.7% (56.4% to 75.5%) of 90 members joined a group of their list, 22.2% a popular one")
    }

    @Test("counts no membership that the version had already, and none to come", arguments: [true, false])
    func newTimes(publishesMembers: Bool) throws {
        let community = try community()
        let before = try recompute(community, at: Self.first) { $0.publishesMembers = publishesMembers }
        try live(community)
        let time = Self.first + 7200
        let fans = (0..<20).map { "top1,fan1-\($0),\(time)\ntop2,fan2-\($0),\(time)\n" }
        let members = (0..<12).map { "g0-\($0 % 4),m0-\($0),\(time)\n" }
        try community.importing(
            .memberships,
            "group_id,user_id,joined_at\n" + (fans + members).joined() + "top3,m0-0,\(Self.first + 9 * Self.week)\n")
        let after = try recompute(community, at: Self.first + Self.week)
        let quality = try #require(after.quality?.last)
        #expect(quality.version == before.version)
        guard publishesMembers else {
            // The sizes of groups tell that something is wrong, and not what.
            #expect(quality.figures == nil && quality.joinsWithNewTime ?? 0 > 40)
            #expect(quality.words.contains("have a new time or are gone"), "\(quality.words)")
            return
        }
        #expect(quality.members == 90 && quality.joins == 110 && quality.joinsWithNewTime == 52)
        #expect(quality.figures?.hitRate == 60.0 / 90 && quality.figures?.popularHitRate == 20.0 / 90)
        #expect(quality.words.hasSuffix("; 52 old memberships with a new time left out"), "\(quality.words)")
    }

    @Test("counts nobody who left a group and came back, although the version does not have its members")
    func cameBack() throws {
        let community = try community()
        _ = try recompute(community, at: Self.first)
        try live(community)
        let catalog = try Catalog(path: community.catalogPath, mode: .recording)
        for fan in 0..<10 {
            let records = [(Interaction.Kind.leave, 1000), (.join, 2000)].map { kind, seconds in
                InteractionRecord(
                    id: "\(kind)", kind, groupID: "top1", atMilliseconds: (Self.first + seconds) * 1000)
            }
            try catalog.take([.member(MemberChange(ofUser: "fan1-\(fan)", .record(records)))])
        }
        let quality = try #require(try recompute(community, at: Self.first + Self.week).quality?.last)
        #expect(quality.members == 90 && quality.joins == 110 && quality.joinsWithNewTime == 10)
        #expect(quality.figures?.hitRate == 60.0 / 90)
    }

    @Test("is kept in the manifests that follow, and not measured if that is turned off")
    func history() throws {
        let community = try community()
        let before = try recompute(community, at: Self.first)
        try live(community)
        let second = try recompute(community, at: Self.first + Self.week)
        let observer = RecordingObserver()
        let third = try recompute(community, at: Self.first + 2 * Self.week, observer: observer) {
            $0.measuresQuality = false
        }
        #expect(third.quality == second.quality && !observer.began.contains(JobStep.measureLists.name))
        let fourth = try recompute(community, at: Self.first + 3 * Self.week)
        #expect(fourth.quality?.map(\.version) == [before.version, third.version])
        let last = try #require(fourth.quality?.last)
        #expect(last.figures == nil && last.joins == 0 && last.words == "too few joins: 0 of at least 100")
        #expect(Manifest.qualities(in: try community.store.versions()) == fourth.quality)
    }

    @Test("is not there for a version that cannot be read, which is told and is no failure")
    func unreadable() throws {
        let community = try community()
        let before = try recompute(community, at: Self.first)
        try live(community)
        let model = "\(community.store.location)/versions/\(before.version)/model.coterie"
        try FileManager.default.removeItem(atPath: model)
        try Data("nothing".utf8).write(to: URL(fileURLWithPath: model))
        let observer = RecordingObserver()
        let after = try recompute(community, at: Self.first + Self.week, observer: observer)
        #expect(after.quality == nil && observer.warnings.contains { $0.contains("whose lists are not measured") })
        #expect(try community.store.current() == after.version)
    }

    @Test("is nothing in the manifest of an earlier program, and is left out by a program that does not know it")
    func otherPrograms() throws {
        let community = try community()
        let before = try recompute(community, at: Self.first)
        try live(community)
        let after = try recompute(community, at: Self.first + Self.week)
        #expect(try JSONDecoder().decode(Manifest.self, from: JSONEncoder().encode(after)) == after)
        let earlier = try JSONEncoder().encode(before)
        #expect(earlier.firstRange(of: Data("quality".utf8)) == nil)
        #expect(try JSONDecoder().decode(Manifest.self, from: earlier).quality == nil)
    }
}
