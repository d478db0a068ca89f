import Model

/// The lists of some groups in one relation.
///
/// A model is larger than a processor's caches, so that reading lists is mostly waiting for memory. A little of every line is
/// read first, with nothing in between: those waits overlap, and what is read afterwards is near.
struct NeighbourLists {
    /// In the order of the groups.
    let slices: [NeighbourSlice]
    /// How many neighbours there are in all.
    let neighbourCount: Int

    /// - Parameter groups: indexes of groups of the model.
    init(of groups: some Collection<UInt32>, in model: ModelVersion, by relation: Relation) {
        slices = groups.map { model.neighbours(of: Int($0), by: relation) }
        neighbourCount = slices.reduce(0) { $0 + $1.count }
        var seen: UInt32 = 0
        for slice in slices {
            seen |= slice.withSpan { neighbours in
                var bits: UInt32 = 0
                // Of 12 bytes each: five are less than a line of 64.
                for place in stride(from: 0, to: neighbours.count, by: 5) { bits |= neighbours[place].index }
                return bits
            }
        }
        // What was read is checked, lest the reads be left out for having no effect.
        precondition(
            seen.leadingZeroBitCount >= UInt32(model.groupCount).leadingZeroBitCount, "a neighbour is no group")
    }
}
