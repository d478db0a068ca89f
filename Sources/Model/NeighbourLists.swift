/// A neighbour as a model version keeps it: 12 bytes, little-endian, in this order.
@frozen
public struct Neighbour: Sendable, Equatable, BitwiseCopyable {
    /// The neighbour's group index in the same version; before there is one, its row in the matrix.
    public var index: UInt32
    /// How many entries (photos or members) the two groups have in common.
    public var common: UInt32
    /// The similarity in single precision; lists are ordered by the exact value, best first.
    public var score: Float

    /// A neighbour.
    @inlinable
    public init(index: UInt32, common: UInt32, score: Float) {
        self.index = index
        self.common = common
        self.score = score
    }

    /// The plain cosine c / √(nᵢ nⱼ), whatever the measure; 0 if a size is.
    ///
    /// - Parameters:
    ///   - size: entries of the group whose list this neighbour is in, in the relation of the list.
    ///   - otherSize: entries of the neighbour.
    @inlinable
    public func cosine(sizes size: Double, _ otherSize: Double) -> Double {
        size > 0 && otherSize > 0 ? Double(common) / (size * otherSize).squareRoot() : 0
    }

    /// Bytes a neighbour takes.
    public static let byteCount = 12
}

/// The neighbours of every group in one relation, as they are found and written.
public struct NeighbourTable: Sendable, Equatable {
    /// Where each group's list begins: groups + 1 offsets into `neighbours`.
    public var offsets: [Int]
    /// All lists, one after the other; each best first, equal scores in ascending order of the group index.
    public var neighbours: [Neighbour]

    /// Lists as they are.
    public init(offsets: [Int], neighbours: [Neighbour]) {
        self.offsets = offsets
        self.neighbours = neighbours
    }

    /// A table without a neighbour, for so many groups.
    public static func empty(groupCount: Int) -> NeighbourTable {
        NeighbourTable(offsets: [Int](repeating: 0, count: groupCount + 1), neighbours: [])
    }

    /// The list of one group, best first.
    public func list(of group: Int) -> ArraySlice<Neighbour> { neighbours[offsets[group]..<offsets[group + 1]] }

    /// How many neighbours the longest list has.
    public var longestCount: Int { zip(offsets, offsets.dropFirst()).reduce(0) { max($0, $1.1 - $1.0) } }

    /// The mean of the best scores, over groups that have a neighbour; 1 if none has.
    ///
    /// Scores of a relation are divided by it before relations are blended, so that neither
    /// outweighs the other by its scale alone.
    public var meanBestScore: Double {
        var sum = 0.0
        var lists = 0
        for group in 0..<(offsets.count - 1) where offsets[group] < offsets[group + 1] {
            sum += Double(neighbours[offsets[group]].score)
            lists += 1
        }
        return lists == 0 || sum <= 0 ? 1 : sum / Double(lists)
    }
}

/// The neighbours of one group in one relation, read in place: best first, equal scores in ascending order of the
/// index.
public struct NeighbourList: RandomAccessCollection, Sendable {
    private let region: ByteRegion
    private let start: Int
    /// How many there are.
    public let count: Int

    init(_ range: Range<Int>, in region: ByteRegion) {
        self.region = region
        start = range.lowerBound
        count = range.count / Neighbour.byteCount
    }

    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of neighbours.
    public var endIndex: Int { count }

    /// The neighbour at an index, 0 being the best.
    public subscript(index: Int) -> Neighbour {
        precondition(index >= 0 && index < count, "no neighbour \(index) of \(count)")
        return region.load(start + index * Neighbour.byteCount, as: Neighbour.self)
    }

    /// Calls `body` with all neighbours in place: for loops that read whole lists.
    @inline(__always)
    public func withSpan<Result>(_ body: (Span<Neighbour>) -> Result) -> Result {
        region.withNeighbours(start..<start + count * Neighbour.byteCount, body)
    }
}

/// The lists of some groups in all relations, read in place: for loops that read all of them.
///
/// A model is larger than a processor's caches, so that lists come from memory. While one list is looked at, those
/// after it are on their way.
public struct NeighbourLists: Sendable {
    private let region: ByteRegion
    /// Where the lists lie in the region: group after group, of each one a relation.
    private let ranges: [Range<Int>]
    private let relationCount: Int
    /// Groups that are left out of the lists; nil for none.
    private let hidden: GroupSet?
    /// How many neighbours there are in all lists together, hidden ones included.
    public let neighbourCount: Int
    /// How many neighbours the longest list has, hidden ones included.
    public let longestCount: Int

    /// How many lists ahead the beginning is asked for, and how many the rest: so that not too much is at once.
    private static let lead = (beginning: 4, rest: 2)
    /// How many bytes the beginning has.
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
    /// - Parameter body: is told first whose list it is, by the index of the group in the list of groups, and in which
    ///   relation, by its index in `ModelVersion.relations`.
    public func forEach(_ body: (_ group: Int, _ relation: Int, Span<Neighbour>) -> Void) {
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
