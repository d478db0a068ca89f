import Glibc
import Model
import ModelStore
import TestSupport

/// Users who joined a few groups each, and of whom some did and said something.
struct SampleMembers: MemberSource {
    struct User {
        var id: String
        var member: PublishedMember
    }

    private static let interests = ["", "birds", "birds;alte Bahnhöfe"]

    let users: [User]
    var userCount: Int { users.count }

    /// These users without feedback.
    init(_ users: [(id: String, groups: [UInt32])]) {
        self.users = users.map { User(id: $0.id, member: PublishedMember(joined: $0.groups.map { .init(group: $0) })) }
    }

    /// As many users as asked for; the first did nothing, the second joined everything.
    init(userCount: Int, groupCount: Int, seed: UInt64 = 3) {
        var generator = SeededGenerator(seed: seed)
        users = (0..<userCount).map { number in
            let share = number == 0 ? 0 : number == 1 ? 1 : Double.random(in: 0...0.2, using: &generator)
            let member =
                number == 0
                ? PublishedMember() : Self.random(joining: share, of: UInt32(groupCount), using: &generator)
            return User(id: number == 2 ? "é ✈\n" : "\(number)@N00", member: member)
        }
    }

    /// Returns a member with random fields, of which each may be empty.
    static func random(joining share: Double, of groupCount: UInt32, using generator: inout SeededGenerator)
        -> PublishedMember
    {
        /// Each group with the chance `share`, from the gaps between such groups: a draw for each of them, not for all.
        func groups(_ share: Double) -> [UInt32] {
            guard share < 1 else { return Array(0..<groupCount) }
            var groups: [UInt32] = []
            var next = 0.0
            while true {
                next += (log(1 - Double.random(in: 0..<1, using: &generator)) / log(1 - share)).rounded(.down)
                guard next < Double(groupCount) else { return groups }
                groups.append(UInt32(next))
                next += 1
            }
        }
        /// A time at either end of what there is, or around the version's.
        func time() -> UInt32 {
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: .random(in: 0 ... .max, using: &generator)
            case 1: Bool.random(using: &generator) ? 0 : .max
            default: .random(in: 1_700_000_000...1_800_000_000, using: &generator)
            }
        }
        func ended(_ share: Double) -> [PublishedMember.Ended] {
            groups(share).map { .init(group: $0, seconds: time()) }
        }
        var member = PublishedMember(
            joined: groups(share).map { .init(group: $0, seconds: Bool.random(using: &generator) ? time() : nil) })
        guard Bool.random(using: &generator) else { return member }
        member.left = ended(0.05)
        member.feedback = PublishedMember.Feedback(
            dismissals: groups(0.05).map { .init(group: $0, atMilliseconds: Int64(time()) * 1000) },
            undismissed: ended(0.02),
            exposures: groups(0.05).map {
                .init(group: $0, impressions: Double(UInt32.random(in: 1...9, using: &generator)) / 1000)
            },
            interestBytes: Array(Self.interests[Int.random(in: 0...2, using: &generator)].utf8)[...],
            interestsStamp: Bool.random(using: &generator) ? .random(in: .min ... .max, using: &generator) : nil,
            hints: EvidenceKind.allCases.flatMap { kind in
                groups(0.03).map { GroupHint(kind, group: $0, units: time(), count: time()) }
            })
        if Bool.random(using: &generator) { member.feedback.arms = ["calm": "other", "Öl": "a\u{0}"] }
        member.feedback.isUnlisted = Bool.random(using: &generator)
        if Bool.random(using: &generator) {
            let end = [nil, 0, Int64(time())].randomElement(using: &generator) ?? nil
            member.feedback.pause = Pause(atSeconds: Int64(time()), endSeconds: end)
        }
        return member
    }

    func id(ofUser number: Int) -> ArraySlice<UInt8> { Array(users[number].id.utf8)[...] }

    func appendValue(ofUser number: Int, by coding: MemberCoding, to bytes: inout [UInt8]) -> Bool {
        coding.append(users[number].member, to: &bytes)
    }
}
