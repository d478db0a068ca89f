/// The lists of groups in an answer: those whose elements have a `rank` and a `groupId`.
struct RankedLists {
    /// The groups of each list in their order, by where the list stands.
    private(set) var lists: [String: [String]] = [:]

    init(_ tree: JSONTree) { collect(tree, at: "") }

    private mutating func collect(_ tree: JSONTree, at place: String) {
        switch tree {
        case .object(let members):
            for (name, value) in members { collect(value, at: "\(place).\(name)") }
        case .list(let elements):
            let groups = elements.compactMap { $0["rank"] == nil ? nil : $0["groupId"]?.text }
            if !groups.isEmpty, groups.count == elements.count {
                lists[place] = groups
            } else {
                for (index, element) in elements.enumerated() { collect(element, at: "\(place)[\(index)]") }
            }
        case .null, .boolean, .number, .text: break
        }
    }

    /// The groups of each list without their order.
    var sets: [String: Set<String>] { lists.mapValues { Set($0) } }

    /// The mean over the lists of both of |A ∩ B| ÷ max(|A|, |B|), with A and B the first groups of a list in one and
    /// in the other; nil if neither has a list.
    func overlap(with other: RankedLists, depth: Int) -> Double? {
        let places = Set(lists.keys).union(other.lists.keys)
        guard !places.isEmpty else { return nil }
        let shares = places.map { place in
            let left = Set((lists[place] ?? []).prefix(depth)), right = Set((other.lists[place] ?? []).prefix(depth))
            return Double(left.intersection(right).count) / Double(max(left.count, right.count))
        }
        return shares.reduce(0, +) / Double(shares.count)
    }

    /// The groups that are in no list of the same place of another answer; lists in the order of their places.
    func groups(notIn other: RankedLists) -> [String] {
        lists.sorted { $0.key < $1.key }.flatMap { place, groups in
            let known = Set(other.lists[place] ?? [])
            return groups.filter { !known.contains($0) }
        }
    }
}
