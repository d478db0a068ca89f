import Basics

/// A neighbour as a model file stores it: 12 bytes, little-endian, in this order.
@frozen
package struct Neighbour: Sendable, Equatable, BitwiseCopyable {
    /// The neighbour's group index in the same version; before the version exists, its row in the matrix.
    package var index: UInt32
    /// The number of entries (photos or members) that the two groups have in common.
    package var common: UInt32
    /// The similarity in single precision; lists are ordered by the exact value, best first.
    package var score: Float

    @inlinable
    package init(index: UInt32, common: UInt32, score: Float) {
        self.index = index
        self.common = common
        self.score = score
    }

    /// Returns the plain cosine c / √(nᵢ nⱼ), whatever the measure; 0 if either size is 0.
    ///
    /// - Parameter size: the entries of the group whose list has this neighbour, in the relation of the list.
    @inlinable
    package func cosine(sizes size: Double, _ otherSize: Double) -> Double {
        size > 0 && otherSize > 0 ? Double(common) / (size * otherSize).squareRoot() : 0
    }

    /// The number of bytes of a neighbour.
    package static let byteCount = 12
}

/// The neighbours of every group in one relation, as they are computed and written.
package struct NeighbourTable: Sendable, Equatable {
    /// The start of each group's list: groups + 1 offsets into `neighbours`.
    package var offsets: [Int]
    /// All lists, one after the other; each is best first, with equal scores in ascending order of the group index.
    package var neighbours: [Neighbour]

    package init(offsets: [Int], neighbours: [Neighbour]) {
        self.offsets = offsets
        self.neighbours = neighbours
    }

    /// Returns a table in which no group has a neighbour.
    package static func empty(groupCount: Int) -> NeighbourTable {
        NeighbourTable(offsets: [Int](repeating: 0, count: groupCount + 1), neighbours: [])
    }

    /// Returns the list of one group, best first.
    package func list(of group: Int) -> ArraySlice<Neighbour> { neighbours[offsets[group]..<offsets[group + 1]] }

    /// The number of neighbours in the longest list.
    package var longestCount: Int { zip(offsets, offsets.dropFirst()).reduce(0) { max($0, $1.1 - $1.0) } }

    /// The mean of the best scores, over groups that have a neighbour; 1 if none has, or if the sum is not positive.
    ///
    /// Scores are divided by this mean before relations are blended. Otherwise one relation could outweigh another by
    /// its scale alone.
    package var meanBestScore: Double {
        var sum = 0.0
        var lists = 0
        for group in 0..<(offsets.count - 1) where offsets[group] < offsets[group + 1] {
            sum += Double(neighbours[offsets[group]].score)
            lists += 1
        }
        return lists == 0 || sum <= 0 ? 1 : sum / Double(lists)
    }
}

/// The neighbours of one group in one relation, read in place.
///
/// The neighbours are best first, with equal scores in ascending order of the index.
package struct NeighbourList: RandomAccessCollection, Sendable {
    private let region: ByteRegion
    private let start: Int
    package let count: Int

    init(_ range: Range<Int>, in region: ByteRegion) {
        self.region = region
        start = range.lowerBound
        count = range.count / Neighbour.byteCount
    }

    /// The first index, which is always 0.
    package var startIndex: Int { 0 }
    package var endIndex: Int { count }

    /// The neighbour at an index; the best is at 0.
    package subscript(index: Int) -> Neighbour {
        precondition(index >= 0 && index < count, "no neighbour \(index) of \(count)")
        return region.load(start + index * Neighbour.byteCount, as: Neighbour.self)
    }
}

/// The lists of several groups in all relations, read in place by loops over all of them.
///
/// A model is larger than the processor's caches, and lists come from memory. Later lists are therefore prefetched
/// while one list is read.
package struct NeighbourLists: Sendable {
    private let region: ByteRegion
    /// The byte ranges of the lists in the region: group after group, with one range for each relation.
    private let ranges: [Range<Int>]
    private let relationCount: Int
    /// The groups that are left out of the lists, or nil for none.
    private let hidden: GroupSet?
    /// The number of neighbours in all lists together, hidden ones included.
    package let neighbourCount: Int
    /// The number of neighbours in the longest list, hidden ones included.
    package let longestCount: Int

    /// The number of lists ahead at which a list's beginning and its rest are prefetched.
    ///
    /// Two distances keep the number of prefetches in flight small.
    private static let lead = (beginning: 4, rest: 2)
    /// The number of bytes in the beginning of a list.
    private static let beginningBytes = 512

    init(_ ranges: [Range<Int>], relationCount: Int, in region: ByteRegion, without hidden: GroupSet?) {
        self.region = region
        self.ranges = ranges
        self.relationCount = relationCount
        self.hidden = hidden
        var (sum, longest) = (0, 0)
        for range in ranges {
            sum += range.count
            longest = max(longest, range.count)
        }
        neighbourCount = sum / Neighbour.byteCount
        longestCount = longest / Neighbour.byteCount
    }

    /// Calls `body` with the neighbours of each list, best first.
    ///
    /// - Parameter body: a closure that gets the position of the group in the list of groups, the index of the relation
    ///   in `ModelVersion.relations`, and the neighbours.
    package func forEach(_ body: (_ group: Int, _ relation: Int, Span<Neighbour>) -> Void) {
        var shown: [Neighbour] = []
        for range in ranges.prefix(Self.lead.beginning) { region.prefetch(range.prefix(Self.beginningBytes)) }
        for (number, range) in ranges.enumerated() {
            if number + Self.lead.beginning < ranges.count {
                region.prefetch(ranges[number + Self.lead.beginning].prefix(Self.beginningBytes))
            }
            if number + Self.lead.rest < ranges.count {
                region.prefetch(ranges[number + Self.lead.rest].dropFirst(Self.beginningBytes))
            }
            let (group, relation) = number.quotientAndRemainder(dividingBy: relationCount)
            region.withNeighbours(range) { neighbours in
                guard let hidden else { return body(group, relation, neighbours) }
                shown.removeAll(keepingCapacity: true)
                for index in neighbours.indices where !hidden.contains(neighbours[index].index) {
                    shown.append(neighbours[index])
                }
                body(group, relation, shown.span)
            }
        }
    }
}

/// The neighbour lists of one relation, read in place.
struct RelationReader: Sendable {
    /// The mean of the best scores.
    let scale: Double
    /// The relation's weight in members' lists.
    let evidenceWeight: Double
    /// The number of neighbours in all lists together.
    let total: Int
    private let region: ByteRegion
    private let offsetsStart: Int
    private let recordsStart: Int

    /// Checks that offsets ascend, that neighbours are other groups of this version, and that scores do not ascend.
    init(_ region: ByteRegion, range: Range<Int>, scaleOffset: Int, groupCount: Int, relation: Relation)
        throws(Failure)
    {
        let name = relation.rawValue
        let tableBytes = (groupCount + 1) * 8
        guard tableBytes <= range.count, (range.count - tableBytes).isMultiple(of: Neighbour.byteCount) else {
            throw .corrupt(section: name, reason: "its length fits no number of neighbours")
        }
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

    private func check(list group: Int, groupCount: Int, name: String) throws(Failure) {
        // The bit patterns of numbers that are not negative are in the order of the numbers. The patterns of negative
        // numbers (and negative zero), infinity and NaN are greater than that of the largest number.
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

    /// Returns the byte range of a group's list in the region.
    @inline(__always)
    func range(ofList group: Int) -> Range<Int> {
        recordsStart + Int(offset(group)) * Neighbour.byteCount..<recordsStart + Int(offset(group + 1))
            * Neighbour.byteCount
    }
}
