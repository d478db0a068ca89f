import ModelStore
import TestSupport

/// Users who joined a few groups each.
struct SampleProfiles: ProfileSource {
    let users: [(id: String, groups: [UInt32])]
    var userCount: Int { users.count }

    /// These users.
    init(_ users: [(id: String, groups: [UInt32])]) { self.users = users }

    /// As many users as asked for; the first joined nothing, the second everything.
    init(userCount: Int, groupCount: Int, seed: UInt64 = 3) {
        var generator = SeededGenerator(seed: seed)
        users = (0..<userCount).map { number in
            let share = number == 0 ? 0 : number == 1 ? 1 : Double.random(in: 0...0.2, using: &generator)
            let groups = (0..<UInt32(groupCount)).filter { _ in Double.random(in: 0..<1, using: &generator) < share }
            return (number == 2 ? "é ✈\n" : "\(number)@N00", groups)
        }
    }

    func id(ofUser number: Int) -> ArraySlice<UInt8> { Array(users[number].id.utf8)[...] }

    func groups(ofUser number: Int) -> ArraySlice<UInt32> { users[number].groups[...] }
}
