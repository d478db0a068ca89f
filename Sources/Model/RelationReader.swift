/// The neighbour lists of one relation, read in place.
struct RelationReader: Sendable {
    let relation: Relation
    /// The mean of the best scores.
    let scale: Double
    /// What the relation counts in members' lists.
    let evidenceWeight: Double
    /// How many neighbours all lists have together.
    let total: Int
    private let region: ByteRegion
    private let offsetsStart: Int
    private let recordsStart: Int

    /// Checks that offsets ascend, that lists name groups of this version and go best first.
    init(_ region: ByteRegion, range: Range<Int>, scaleOffset: Int, groupCount: Int, relation: Relation)
        throws(ModelError)
    {
        let name = relation.rawValue
        let tableBytes = (groupCount + 1) * 8
        guard tableBytes <= range.count, (range.count - tableBytes).isMultiple(of: Neighbour.byteCount) else {
            throw .corrupt(section: name, reason: "its length fits no number of neighbours")
        }
        self.relation = relation
        self.region = region
        scale = Double(bitPattern: UInt64(littleEndian: region.load(scaleOffset, as: UInt64.self)))
        guard scale.isFinite, scale > 0 else {
            throw .corrupt(section: "scales", reason: "the scale of \(name) is not a positive number")
        }
        evidenceWeight = Double(bitPattern: UInt64(littleEndian: region.load(scaleOffset + 8, as: UInt64.self)))
        guard evidenceWeight.isFinite, evidenceWeight >= 0 else {
            throw .corrupt(section: "scales", reason: "the weight of \(name) is not a number of 0 or more")
        }
        offsetsStart = range.lowerBound
        recordsStart = range.lowerBound + tableBytes
        total = (range.count - tableBytes) / Neighbour.byteCount
        guard offset(0) == 0, offset(groupCount) == UInt64(total) else {
            throw .corrupt(section: name, reason: "its offsets do not span its neighbours")
        }
        for group in 0..<groupCount {
            guard offset(group) <= offset(group + 1), offset(group + 1) <= UInt64(total) else {
                throw .corrupt(section: name, reason: "offset \(group + 1) is out of order")
            }
            try check(list: group, groupCount: groupCount, name: name)
        }
    }

    private func check(list group: Int, groupCount: Int, name: String) throws(ModelError) {
        // Numbers that are not negative stand in the order of their bit patterns; patterns of negative
        // numbers (and of the negative zero), of infinity and of NaN lie above that of the largest.
        var ceiling = Float.greatestFiniteMagnitude.bitPattern
        for neighbour in NeighbourList(range(ofList: group), in: region) {
            guard neighbour.index < groupCount, neighbour.index != group else {
                throw .corrupt(section: name, reason: "a neighbour of group \(group) is no other group")
            }
            guard neighbour.score.bitPattern <= ceiling else {
                throw .corrupt(section: name, reason: "the scores of group \(group) do not descend")
            }
            ceiling = neighbour.score.bitPattern
        }
    }

    @inline(__always)
    private func offset(_ index: Int) -> UInt64 {
        UInt64(littleEndian: region.load(offsetsStart + index * 8, as: UInt64.self))
    }

    /// Where a group's list lies in the region.
    @inline(__always)
    func range(ofList group: Int) -> Range<Int> {
        recordsStart + Int(offset(group)) * Neighbour.byteCount..<recordsStart + Int(offset(group + 1))
            * Neighbour.byteCount
    }
}
