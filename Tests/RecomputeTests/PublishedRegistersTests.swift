import CatalogStore
import Changes
import Foundation
import Model
import ModelStore
import Recompute
import SQLite
import TestSupport
import Testing

/// What a recompute publishes of members, compared with a plain reference.
@Suite("Published members")
struct PublishedRegistersTests {
    /// A time before each recompute, in Unix milliseconds.
    private static let now: Int64 = 1_795_000_000_123

    private static let kinds: [Interaction.Kind] = [.join, .leave, .dismiss, .undismiss]

    /// A community without private groups, and what its members did, in the order in which it was recorded.
    private func community(seed: UInt64) throws -> (SmallCommunity, [(user: String, record: InteractionRecord)]) {
        var generator = SeededGenerator(seed: seed)
        let community = try SmallCommunity()
        let (groups, users) = ((0..<20).map { "g\($0)" }, (0..<30).map { "u\($0)" })
        try community.importing(
            .groups, "group_id,visibility\n" + groups.map { "\($0),public\n" }.joined() + "secret,private\n")
        let pairs = (groups + ["secret"]).flatMap { group in
            users.filter { _ in Int.random(in: 0..<3, using: &generator) == 0 }.map { user in
                // Some times are unknown, some are before 1970, and some are still to come.
                let seconds: Int64 =
                    [-86_400, 4_000_000_000, Self.now / 1000 + 301, Self.now / 1000 - 5].randomElement(
                        using: &generator)
                    ?? 0
                let time = Int.random(in: 0..<3, using: &generator) == 0 ? "" : String(seconds)
                return "\(group),\(user),\(time)\n"
            }
        }
        try community.importing(.memberships, "group_id,user_id,joined_at\n" + pairs.joined())
        let stated = users.prefix(10).map { "\($0),birds;\($0)\n" }
        try community.importing(.users, "user_id,interests\n" + stated.joined())
        let catalog = try Catalog(path: community.catalogPath, mode: .recording)
        var records: [(user: String, record: InteractionRecord)] = []
        for number in 0..<1500 {
            let user = Int.random(in: 0..<40, using: &generator)
            // Few times, so that many events are in one second or at one millisecond.
            let record = InteractionRecord(
                id: String(number), Self.kinds.randomElement(using: &generator) ?? .join,
                groupID: groups.randomElement(using: &generator) ?? "",
                atMilliseconds: Self.now - Int64.random(in: 0..<12, using: &generator) * 300)
            records.append(("u\(user)", record))
        }
        let changes = records.map { Change.member(MemberChange(ofUser: $0.user, .record([$0.record]))) }
        #expect(try catalog.take(changes) == 0)
        return (community, records)
    }

    @Test("have the last event of each group, as a plain reference finds it", arguments: 0..<4)
    func registers(seed: UInt64) throws {
        let (community, records) = try community(seed: seed)
        let manifest = try community.recompute { $0.publishesMembers = true }.manifest
        let loaded = try community.store.load(manifest.version)
        let table = try #require(try community.store.members(of: loaded))
        try table.verify()
        let catalog = try Facts(path: community.catalogPath)
        var counts = (joined: 0, unknown: 0, left: 0, undismissed: 0)
        for user in (0..<40).map({ "u\($0)" }) {
            let member = try #require(try table.member(withID: user))
            let known = try #require(try catalog.member(withID: user))
            let latest = manifest.createdAtMilliseconds / 1000 + 300
            let joined = known.memberships.compactMap { membership -> PublishedMember.Joined? in
                guard let group = loaded.model.index(ofID: membership.groupID) else { return nil }
                let time = membership.joinedAt.flatMap { $0 > latest ? nil : UInt32(max(0, $0)) }
                return .init(group: UInt32(group), seconds: time)
            }
            #expect(member.joined == joined.sorted { $0.group < $1.group })
            func last(_ kinds: [Interaction.Kind], is kind: Interaction.Kind) -> [PublishedMember.Ended] {
                (0..<UInt32(loaded.model.groupCount)).compactMap { group in
                    let id = loaded.model.id(of: Int(group))
                    var last: InteractionRecord?
                    for (other, record) in records
                    where other == user && record.groupID == id && kinds.contains(record.kind) {
                        if record.atMilliseconds / 1000 >= (last?.atMilliseconds ?? .min) / 1000 { last = record }
                    }
                    guard let last, last.kind == kind else { return nil }
                    return .init(group: group, seconds: UInt32(last.atMilliseconds / 1000))
                }
            }
            let isIn = Set(joined.map(\.group))
            #expect(member.left == last([.join, .leave], is: .leave).filter { !isIn.contains($0.group) })
            let feedback = member.feedback
            #expect(feedback.undismissed == last([.dismiss, .undismiss], is: .undismiss))
            #expect(
                feedback.dismissals.map {
                    PublishedMember.Ended(group: $0.group, seconds: UInt32($0.atMilliseconds / 1000))
                }
                    == last([.dismiss, .undismiss], is: .dismiss))
            #expect(feedback.interests == known.interests && feedback.interestsStamp == nil)
            counts.joined += joined.count
            counts.unknown += joined.count { $0.seconds == nil }
            counts.left += member.left.count
            counts.undismissed += feedback.undismissed.count
        }
        #expect(counts.joined > 100 && counts.unknown > 10 && counts.left > 50 && counts.undismissed > 50)
        #expect(manifest.members?.valueCount == (try table.memberIDs().count))
    }

    @Test("have the stamp of their interests, also of those who said that they have none")
    func stamps() throws {
        let (community, _) = try community(seed: 9)
        let catalog = try Catalog(path: community.catalogPath, mode: .recording)
        let statements = [("u1", ["owls"]), ("u2", []), ("lurker", [])].enumerated().map { number, said in
            JournaledChange(
                origin: "o", sequence: Int64(number) + 1, stampMilliseconds: 1000 + Int64(number),
                change: .member(MemberChange(ofUser: said.0, .state(interests: said.1))))
        }
        #expect(try catalog.ingest.apply(journaled: statements).applied == 3)
        let loaded = try community.store.load(community.recompute { $0.publishesMembers = true }.manifest.version)
        let table = try #require(try community.store.members(of: loaded))
        func stated(_ user: String) throws -> PublishedMember.Feedback? { try table.member(withID: user)?.feedback }
        #expect(try stated("u1")?.interests == ["owls"] && stated("u1")?.interestsStamp == 1000)
        #expect(try stated("u2")?.interests == [] && stated("u2")?.interestsStamp == 1001)
        #expect(try stated("u3")?.interests == ["birds", "u3"] && stated("u3")?.interestsStamp == nil)
        #expect(try stated("lurker") == .init(interestsStamp: 1002))
    }

    @Test("are made anew after an import, as the next recompute would make them", arguments: 0..<3)
    func renewal(seed: UInt64) throws {
        let (community, _) = try community(seed: seed)
        let first = try community.recompute { $0.publishesMembers = true }.manifest
        func apply(at now: Int64) throws -> Int? {
            try CatalogLog.apply(
                to: community.catalogPath, community.store, relations: .standard, renewingMembersOn: 2, at: now
            ).renewed
        }
        // Nothing changed, or nothing about members.
        #expect(try apply(at: first.createdAtMilliseconds + 1) == nil)
        try community.importing(.groups, "group_id,visibility\nnew,public\n")
        #expect(try apply(at: first.createdAtMilliseconds + 1) == nil)
        try community.importing(
            .memberships, "group_id,user_id,joined_at\n" + (0..<20).map { "g\($0),u\($0 * 3),1700000000\n" }.joined())
        try community.importing(.users, "user_id,interests\nu2,trains\nu50,planes\n")
        let catalog = try Catalog(path: community.catalogPath, mode: .recording)
        let dismissal = InteractionRecord(id: "late", .dismiss, groupID: "g3", atMilliseconds: Self.now)
        #expect(try catalog.take([.member(MemberChange(ofUser: "u51", .record([dismissal])))]) == 0)
        // The time of the next recompute, so that impressions and times to come count as there.
        let next = first.createdAtMilliseconds + 3_600_000
        let count = try #require(try apply(at: next))
        #expect(try apply(at: next) == nil)
        let renewed = try community.store.load(first.version)
        let table = try #require(try community.store.members(of: renewed))
        let other = FolderStore(community.directory.path + "/other")
        let outcome = try community.recompute(into: other) { $0.publishesMembers = true }
        #expect(outcome.manifest.createdAtMilliseconds == next)
        let fresh = try other.load(outcome.manifest.version)
        let expected = try #require(try other.members(of: fresh))
        #expect(try table.memberIDs() == expected.memberIDs() && table.memberIDs().count == count)
        func groups(_ member: PublishedMember?, _ model: ModelVersion) -> [String] {
            let feedback = member?.feedback ?? .init()
            let pairs =
                (member?.joined ?? []).map { ($0.group, "in since \($0.seconds ?? 0)") }
                + (member?.left ?? []).map { ($0.group, "left at \($0.seconds)") }
                + feedback.dismissals.map { ($0.group, "dismissed at \($0.atMilliseconds)") }
                + feedback.undismissed.map { ($0.group, "taken back at \($0.seconds)") }
            let told = pairs.map { "\(model.id(of: Int($0))) \($1)" }
            return told + feedback.interests + ["\(feedback.exposures.map(\.impressions))"]
        }
        // The version that serves does not have the new group.
        for id in try table.memberIDs() {
            let (found, right) = (try table.member(withID: id), try expected.member(withID: id))
            #expect(groups(found, renewed.model) == groups(right, fresh.model), "\(id)")
        }
        #expect(try table.member(withID: "u51")?.feedback.dismissals.count == 1)
    }

    @Test("are not made anew from another catalog, which has more changes and other groups")
    func otherCatalog() throws {
        let (site, other) = (try SmallCommunity(), try SmallCommunity())
        for (community, letter, userCount) in [(site, "g", 30), (other, "h", 90)] {
            let groups = (0..<20).map { "\(letter)\($0)" }
            try community.importing(.groups, "group_id,visibility\n" + groups.map { "\($0),public\n" }.joined())
            let pairs = groups.enumerated().flatMap { number, group in
                (0..<userCount).filter { ($0 + number).isMultiple(of: 3) }.map { "\(group),u\($0)\n" }
            }
            try community.importing(.memberships, "group_id,user_id\n" + pairs.joined())
        }
        try other.importing(.users, "user_id,interests\nu1,trains\n")
        let version = try site.recompute { $0.publishesMembers = true }.manifest.version
        func memberIDs() throws -> [String]? { try site.store.members(of: site.store.load(version))?.memberIDs() }
        let before = try #require(try memberIDs())
        let outcome = try CatalogLog.apply(
            to: other.catalogPath, site.store, relations: .standard, renewingMembersOn: 1, at: Self.now)
        #expect(outcome.renewed == nil && outcome.warnings.contains { $0.contains("comes from another catalog") })
        #expect(try memberIDs() == before)
    }

    @Test("are not written in a dry run, and are the same for any number of threads")
    func threads() throws {
        let (community, _) = try community(seed: 3)
        #expect(try community.recompute { ($0.isDryRun, $0.publishesMembers) = (true, true) }.manifest.members == nil)
        let reports = try [1, 3].map { threads in
            let store = FolderStore("\(community.directory.path)/\(threads)")
            var parameters = RecomputeParameters(threads: threads)
            parameters.publishesMembers = true
            let job = RecomputeJob(
                catalogPath: community.catalogPath, store: store, parameters: parameters,
                startedAtMilliseconds: Self.now)
            return try job.run(observer: RecordingObserver()).manifest.members
        }
        #expect(reports[0] != nil && reports[0] == reports[1])
    }
}
