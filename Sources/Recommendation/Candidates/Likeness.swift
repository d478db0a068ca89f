import Model

/// Whether groups are too similar to those that a member has joined: their plain cosine reaches a ceiling.
///
/// A joined group's own lists tell nearly all of them. A pair that they lack can only be stored with the other group,
/// whose lists are read here, and only if the joined group's list is full and does not end below the ceiling.
struct Likeness {
    private let model: ModelVersion
    /// Joined groups whose own lists may lack a group that is too similar.
    private let suspects: GroupPlaces
    private let isEmpty: Bool
    /// A bit for each of them, by its hash: nearly all neighbours are told from them by one look.
    private var bits = [UInt64](repeating: 0, count: 128)
    private let ceiling: Double

    /// - Parameters:
    ///   - joined: indexes of the groups joined.
    ///   - ceiling: inclusive; infinite if nothing is too similar.
    ///   - longest: the length of the longest list of each relation.
    init(to joined: [UInt32], in model: ModelVersion, ceiling: Double, longest: [Relation: Int]) {
        self.model = model
        self.ceiling = ceiling
        let suspects = joined.filter { group in
            Relation.allCases.contains { relation in
                let list = model.neighbours(of: Int(group), by: relation)
                guard list.count == longest[relation], let last = list.last, let first = list.first else {
                    return false
                }
                return !Self.isPlain(first, group, relation, model) || !Self.isPlain(last, group, relation, model)
                    || model.cosine(of: last, to: Int(group), by: relation) >= ceiling
            }
        }
        self.suspects = GroupPlaces(suspects)
        isEmpty = suspects.isEmpty || !ceiling.isFinite
        for group in suspects {
            let bit = Self.bit(of: group)
            bits[bit >> 6] |= 1 << UInt64(bit & 63)
        }
    }

    /// Whether a score is the plain cosine, by which its list then is in order.
    private static func isPlain(_ neighbour: Neighbour, _ group: UInt32, _ relation: Relation, _ model: ModelVersion)
        -> Bool
    {
        let cosine = model.cosine(of: neighbour, to: Int(group), by: relation)
        return abs(Double(neighbour.score) - cosine) <= 1e-6 * cosine
    }

    @inline(__always)
    private static func bit(of group: UInt32) -> Int { Int((group &* 0x9E37_79B1) >> 19) }

    /// A joined group that a group's own lists say it is too similar to; nil if there is none.
    ///
    /// - Complexity: O(neighbours of the group).
    func tooSimilar(to group: UInt32) -> UInt32? {
        guard !isEmpty else { return nil }
        for relation in Relation.allCases {
            let found = model.neighbours(of: Int(group), by: relation).withSpan { neighbours -> UInt32? in
                for place in neighbours.indices {
                    let neighbour = neighbours[place]
                    let bit = Self.bit(of: neighbour.index)
                    guard bits[bit >> 6] & (1 << UInt64(bit & 63)) != 0, suspects[neighbour.index] != nil,
                        model.cosine(of: neighbour, to: Int(group), by: relation) >= ceiling
                    else { continue }
                    return neighbour.index
                }
                return nil
            }
            if let found { return found }
        }
        return nil
    }
}
