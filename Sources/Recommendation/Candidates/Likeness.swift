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
    private let ceiling: Double

    /// - Parameters:
    ///   - joined: indexes of the groups joined.
    ///   - ceiling: inclusive; infinite if nothing is too similar.
    ///   - traits: of the lists of the model.
    init(to joined: [UInt32], in model: ModelVersion, ceiling: Double, _ traits: [ListTraits]) {
        self.model = model
        self.ceiling = ceiling
        let suspects = joined.filter { group in
            traits.contains { $0.mayLackNeighbours(of: group, in: model, ceiling: ceiling) }
        }
        self.suspects = GroupPlaces(suspects)
        isEmpty = suspects.isEmpty || !ceiling.isFinite
    }

    /// A joined group that a group's own lists say it is too similar to; nil if there is none.
    ///
    /// - Complexity: O(neighbours of the group).
    func tooSimilar(to group: UInt32) -> UInt32? {
        guard !isEmpty else { return nil }
        for relation in Relation.allCases {
            let least = CosineBound.leastCommon(model.size(of: Int(group), in: relation), ceiling: ceiling)
            let found = model.neighbours(of: Int(group), by: relation).withSpan { neighbours -> UInt32? in
                for place in neighbours.indices where Double(neighbours[place].common) >= least {
                    let neighbour = neighbours[place]
                    if suspects[neighbour.index] != nil,
                        model.cosine(of: neighbour, to: Int(group), by: relation) >= ceiling
                    {
                        return neighbour.index
                    }
                }
                return nil
            }
            if let found { return found }
        }
        return nil
    }
}
