public import Model

/// An interest of a member: joined groups that are similar to one another.
public struct Interest: Sendable, Equatable {
    /// Indexes of the member's groups that make it up, ascending.
    public var groups: [UInt32]
    /// Its part of those of the member's groups that bring something, 0 to 1: what it may claim of a list.
    ///
    /// A group brings something if it has neighbours in a relation that counts.
    public var share: Double
    /// The group with the most members; of equal ones, the first.
    public var largest: UInt32
    /// Whether it collects groups that are similar to no other group of the member.
    public var isMixed: Bool

    /// Its name: the topic that most of its groups have, more than half; else the title or id of its largest group.
    ///
    /// Of several such topics the most frequent, of equally frequent ones the first in the alphabet.
    public func name(in model: VisibleModel) -> String {
        guard !isMixed else { return "mixed" }
        var counts: [String: Int] = [:]
        for group in groups {
            for topic in Set(model.topics(of: Int(group))) { counts[topic, default: 0] += 1 }
        }
        let common = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }
        if let common, 2 * common.value > groups.count { return common.key }
        let title = model.title(of: Int(largest))
        return title.isEmpty ? model.id(of: Int(largest)) : title
    }
}

extension Interest {
    /// The index of the interest of each of a member's groups.
    ///
    /// - Parameter groups: the groups of all the interests, ascending.
    static func numbers(of groups: [UInt32], in interests: [Interest]) -> [Int] {
        let positions = GroupPositions(groups)
        var numbers = [Int](repeating: 0, count: groups.count)
        for (number, interest) in interests.enumerated() {
            for group in interest.groups { if let position = positions[group] { numbers[position] = number } }
        }
        return numbers
    }
}
