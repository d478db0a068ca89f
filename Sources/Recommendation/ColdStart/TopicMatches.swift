/// How many of some topics each group is about.
struct TopicMatches {
    /// Groups that are about two of them or more.
    private(set) var inSeveral: Set<UInt32> = []
    private var counts: [UInt32: Int] = [:]

    /// Counts.
    ///
    /// - Parameter groupsOfTopics: the groups of each topic, ascending.
    /// - Complexity: O(topics · groups of the topics).
    init(_ groupsOfTopics: [[UInt32]]) {
        guard groupsOfTopics.count > 1 else { return }
        var positions = [Int](repeating: 0, count: groupsOfTopics.count)
        while true {
            var least = UInt32.max
            for (topic, groups) in groupsOfTopics.enumerated() where positions[topic] < groups.count {
                least = min(least, groups[positions[topic]])
            }
            guard least < .max else { return }
            var count = 0
            for (topic, groups) in groupsOfTopics.enumerated()
            where positions[topic] < groups.count && groups[positions[topic]] == least {
                positions[topic] += 1
                count += 1
            }
            guard count > 1 else { continue }
            inSeveral.insert(least)
            counts[least] = count
        }
    }

    /// How many of the topics a group of at least one of them is about.
    subscript(group: UInt32) -> Int { counts[group] ?? 1 }
}

extension [UInt32] {
    /// Whether a number is among these, which ascend.
    func hasSorted(_ number: UInt32) -> Bool {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low] == number
    }
}
