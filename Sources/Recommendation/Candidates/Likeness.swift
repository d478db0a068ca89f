import Model

/// Whether groups are too similar to those that a member has joined: their plain cosine reaches a ceiling.
///
/// A pair may be stored in either direction; here the lists of the group in question are read.
struct Likeness {
    private let model: ModelVersion
    private let joined: GroupPlaces
    /// A bit for every joined group, by its hash: nearly all neighbours are told from joined groups by one look.
    private var bits = [UInt64](repeating: 0, count: 128)
    private let ceiling: Double

    /// - Parameter ceiling: inclusive; infinite if nothing is too similar.
    init(to joined: [UInt32], in model: ModelVersion, ceiling: Double) {
        self.model = model
        self.ceiling = ceiling
        self.joined = GroupPlaces(joined)
        for group in joined {
            let bit = Self.bit(of: group)
            bits[bit >> 6] |= 1 << UInt64(bit & 63)
        }
    }

    @inline(__always)
    private static func bit(of group: UInt32) -> Int { Int((group &* 0x9E37_79B1) >> 19) }

    /// A joined group that a group's own lists say it is too similar to; nil if there is none.
    ///
    /// - Complexity: O(neighbours of the group).
    func tooSimilar(to group: UInt32) -> UInt32? {
        guard ceiling.isFinite else { return nil }
        for relation in Relation.allCases {
            let found = model.neighbours(of: Int(group), by: relation).withSpan { neighbours -> UInt32? in
                for place in neighbours.indices {
                    let neighbour = neighbours[place]
                    let bit = Self.bit(of: neighbour.index)
                    guard bits[bit >> 6] & (1 << UInt64(bit & 63)) != 0, joined[neighbour.index] != nil,
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
