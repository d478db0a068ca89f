import Model
import ModelStore
import TestSupport

/// Users who joined a few groups each, and of whom some said something.
struct SampleMembers: MemberSource {
    struct User {
        var id: String
        var member: PublishedMember
        var groups: [UInt32] { member.joined }
    }

    private static let interests = ["", "birds", "birds;alte Bahnhöfe"]

    let users: [User]
    var userCount: Int { users.count }

    /// These users without feedback.
    init(_ users: [(id: String, groups: [UInt32])]) {
        self.users = users.map { User(id: $0.id, member: PublishedMember(joined: $0.groups)) }
    }

    /// As many users as asked for; the first joined nothing, the second everything.
    init(userCount: Int, groupCount: Int, seed: UInt64 = 3) {
        var generator = SeededGenerator(seed: seed)
        users = (0..<userCount).map { number in
            func groups(_ share: Double) -> [UInt32] {
                (0..<UInt32(groupCount)).filter { _ in Double.random(in: 0..<1, using: &generator) < share }
            }
            let share = number == 0 ? 0 : number == 1 ? 1 : Double.random(in: 0...0.2, using: &generator)
            var member = PublishedMember(joined: groups(share))
            if !member.joined.isEmpty, number.isMultiple(of: 3) { member.firstDay = UInt16(number % 20_000) }
            if Bool.random(using: &generator) {
                member.feedback = PublishedMember.Feedback(
                    dismissals: groups(0.01).map {
                        .init(group: $0, atMilliseconds: Int64(UInt32.random(in: 0 ... .max, using: &generator)) * 1000)
                    },
                    exposures: groups(0.02).map {
                        .init(group: $0, impressions: Double(UInt32.random(in: 1...9, using: &generator)) / 1000)
                    },
                    interestBytes: Array(Self.interests[Int.random(in: 0...2, using: &generator)].utf8)[...])
            }
            return User(id: number == 2 ? "é ✈\n" : "\(number)@N00", member: member)
        }
    }

    func id(ofUser number: Int) -> ArraySlice<UInt8> { Array(users[number].id.utf8)[...] }

    func groups(ofUser number: Int) -> ArraySlice<UInt32> { users[number].groups[...] }

    func firstDay(ofUser number: Int) -> UInt16? { users[number].member.firstDay }

    func feedback(ofUser number: Int) -> PublishedMember.Feedback { users[number].member.feedback }
}
