package import Model

/// The pairs of groups that are too similar to one another, made once a version.
///
/// A pair is too similar if its plain cosine, shrunk by c / (c + h) for c common entries, reaches a ceiling. Without
/// shrinking, two groups with their only photo or member in common would have a cosine of 1, though they need not be
/// alike.
package struct SimilarityCeiling: Sendable {
    /// The groups that have a partner, or `nil` if none has.
    ///
    /// Few groups have one, so that this set stays in the cache.
    private let paired: GroupSet?
    /// The start of each group's partners: groups + 1 offsets, or none if no group has a partner.
    private let offsets: [Int]
    /// The partners of all groups, one group after another, each in ascending order.
    private let partners: [UInt32]

    /// A ceiling that no pair reaches.
    package static let none = SimilarityCeiling(pairs: [], groupCount: 0)

    /// Finds the pairs of a model that reach a ceiling.
    ///
    /// - Parameters:
    ///   - ceiling: the least shrunk cosine of a pair that is too similar (inclusive), above 0.
    ///   - shrinkage: h, 0 or more.
    ///   - relations: the relations; features of photos do not make groups too similar.
    /// - Complexity: O(neighbours).
    init(_ ceiling: Double, shrinkage: Double, in model: VisibleModel, _ relations: RelationTable) {
        var pairs: [Pair] = []
        let all = Array(0..<UInt32(model.groupCount))
        model.lists(of: all, in: model.relations.map(relations.isTabled)).forEach { group, relationIndex, neighbours in
            let relation = model.relations[relationIndex]
            let least = Self.leastCommon(model.size(of: group, in: relation), ceiling: ceiling)
            for index in neighbours.indices where neighbours[index].common >= least {
                let neighbour = neighbours[index]
                let common = Double(neighbour.common)
                let cosine = model.cosine(of: neighbour, to: group, by: relation)
                guard cosine * (common / (common + shrinkage)) >= ceiling else { continue }
                // A pair may be in the list of only one of its groups.
                pairs.append(Pair(group: UInt32(group), partner: neighbour.index))
                pairs.append(Pair(group: neighbour.index, partner: UInt32(group)))
            }
        }
        self.init(pairs: pairs, groupCount: model.groupCount)
    }

    private struct Pair {
        let group: UInt32
        let partner: UInt32
    }

    private init(pairs: [Pair], groupCount: Int) {
        var partners: [UInt32] = []
        var offsets: [Int] = []
        if !pairs.isEmpty {
            offsets = [Int](repeating: 0, count: groupCount + 1)
            var last: Pair?
            for pair in pairs.sorted(by: { ($0.group, $0.partner) < ($1.group, $1.partner) }) {
                guard pair.group != last?.group || pair.partner != last?.partner else { continue }
                last = pair
                partners.append(pair.partner)
                offsets[Int(pair.group) + 1] = partners.count
            }
            for group in 0..<groupCount { offsets[group + 1] = max(offsets[group], offsets[group + 1]) }
        }
        self.offsets = offsets
        self.partners = partners
        paired = pairs.isEmpty ? nil : GroupSet(pairs.lazy.map(\.group), groupCount: groupCount)
    }

    /// Returns the groups that are too similar to a group, ascending.
    package func partners(of group: UInt32) -> ArraySlice<UInt32> {
        paired?.contains(group) == true ? partners[offsets[Int(group)]..<offsets[Int(group) + 1]] : []
    }

    /// Finds the pairs of a model that reach the ceiling of lists.
    package init(of filters: PlanConfiguration.Filters, in model: VisibleModel, _ relations: RelationTable) {
        guard filters.ceiling.isFinite else {
            self = .none
            return
        }
        self.init(filters.ceiling, shrinkage: filters.ceilingShrinkage, in: model, relations)
    }

    /// Returns the first elements, without every one whose group is too similar to that of an earlier one.
    ///
    /// - Parameters:
    ///   - elements: the elements of a list, best first.
    ///   - limit: the greatest number of elements.
    package func distinct<Element>(
        _ elements: some Sequence<Element>, limit: Int = .max, group: (Element) -> UInt32
    ) -> [Element] {
        var distinct = DistinctGroups(self)
        var first: [Element] = []
        for element in elements {
            guard first.count < limit else { break }
            if distinct.take(group(element)) { first.append(element) }
        }
        return first
    }

    /// Returns the fewest common entries with which a cosine can reach a ceiling.
    ///
    /// c / √(nᵢ nⱼ) ≥ ceiling needs c ≥ ceiling² nᵢ, because no nⱼ is below c. The result is rounded down, because a
    /// rounding error may put the product slightly above the exact integer.
    private static func leastCommon(_ size: UInt32, ceiling: Double) -> UInt32 {
        let least = (ceiling * ceiling * Double(size)).rounded(.down)
        return least < Double(UInt32.max) ? UInt32(least) : .max
    }
}

/// The groups of a list so far: every list has at most one of groups that are too similar to one another.
///
/// Groups are left out before a list is cut, so that others fill the places.
package struct DistinctGroups {
    private let ceiling: SimilarityCeiling
    /// The groups that are too similar to one of the list.
    private var leftOut: Set<UInt32> = []

    package init(_ ceiling: SimilarityCeiling) { self.ceiling = ceiling }

    /// Returns whether the list has no group that is too similar to this one.
    package func admits(_ group: UInt32) -> Bool { leftOut.isEmpty || !leftOut.contains(group) }

    /// Adds a group to the list, if the list admits it.
    ///
    /// - Returns: whether it is added.
    @discardableResult
    package mutating func take(_ group: UInt32) -> Bool {
        guard admits(group) else { return false }
        let partners = ceiling.partners(of: group)
        if !partners.isEmpty { leftOut.formUnion(partners) }
        return true
    }
}
