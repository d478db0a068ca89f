import Model

/// What the lists of a relation have in common, found once a version.
struct ListTraits: Sendable {
    private let relation: Relation
    /// The length of the longest list: the others end where there is nothing more.
    private let longest: Int
    /// Whether scores are plain cosines, by which lists then are in order: for all that can be seen from both ends of each.
    private let isPlain: Bool

    // Of scores in single precision, and some more.
    private static let tolerance = 1e-6

    /// - Complexity: O(groups).
    init(of relation: Relation, in model: ModelVersion) {
        self.relation = relation
        var longest = 0
        var isPlain = true
        for group in 0..<model.groupCount {
            let list = model.neighbours(of: group, by: relation)
            longest = max(longest, list.count)
            guard isPlain, let first = list.first, let last = list.last else { continue }
            isPlain = [first, last].allSatisfy { neighbour in
                let cosine = model.cosine(of: neighbour, to: group, by: relation)
                return abs(Double(neighbour.score) - cosine) <= Self.tolerance * cosine
            }
        }
        self.longest = longest
        self.isPlain = isPlain
    }

    /// Whether a group's own list may lack a group whose plain cosine to it reaches a ceiling: only if the list is full,
    /// and either not in the order of plain cosines or above the ceiling to its end.
    func mayLackNeighbours(of group: UInt32, in model: ModelVersion, ceiling: Double) -> Bool {
        let list = model.neighbours(of: Int(group), by: relation)
        guard list.count == longest, let last = list.last else { return false }
        return !isPlain || Double(last.score) >= ceiling * (1 - 2 * Self.tolerance)
    }
}
