/// A model version, read in place from its bytes.
///
/// Everything is checked when it is opened, so that reading it afterwards cannot fail. Groups have
/// an index, 0 ..< `groupCount`, in ascending order of the bytes of their external ids.
public struct ModelVersion: Sendable {
    /// The number of groups.
    public let groupCount: Int
    private let region: ByteRegion
    private let ids: TextColumn
    private let titles: TextColumn
    private let topicTexts: TextColumn
    private let factsStart: Int
    private let photos: RelationReader
    private let members: RelationReader
    let signals: SignalReader

    /// Opens the bytes of a model file.
    ///
    /// - Throws: `ModelError` that says what is wrong with them.
    /// - Complexity: O(bytes): every offset, index and text is checked.
    public init(_ region: ByteRegion) throws(ModelError) {
        let table = try SectionTable(region)
        let facts = try table[.facts]
        guard facts.count.isMultiple(of: ModelLayout.factsByteCount) else {
            throw .corrupt(section: "facts", reason: "its length is no multiple of \(ModelLayout.factsByteCount)")
        }
        let groupCount = facts.count / ModelLayout.factsByteCount
        let scales = try table[.scales]
        guard scales.count == Relation.allCases.count * 8 else {
            throw .corrupt(section: "scales", reason: "it is not of one number a relation")
        }
        self.groupCount = groupCount
        self.region = region
        factsStart = facts.lowerBound
        ids = try TextColumn(region, range: table[.ids], count: groupCount, section: .ids)
        titles = try TextColumn(region, range: table[.titles], count: groupCount, section: .titles)
        topicTexts = try TextColumn(region, range: table[.topics], count: groupCount, section: .topics)
        photos = try RelationReader(
            region, range: table[.photos], scaleOffset: scales.lowerBound, groupCount: groupCount, relation: .photos)
        members = try RelationReader(
            region, range: table[.members], scaleOffset: scales.lowerBound + 8, groupCount: groupCount,
            relation: .members)
        signals = try SignalReader(region, table, groupCount: groupCount)
        try checkGroups()
    }

    private func checkGroups() throws(ModelError) {
        for index in 0..<groupCount {
            let bytes = ids.byteRange(index)
            guard (1...255).contains(bytes.count) else {
                throw .corrupt(section: "ids", reason: "the id of group \(index) has \(bytes.count) bytes")
            }
            guard unsafe region.withBytes(bytes, { unsafe !$0.contains(0) }) else {
                throw .corrupt(section: "ids", reason: "the id of group \(index) has a zero byte")
            }
            guard index == 0 || ids.isAscending(at: index) else {
                throw .corrupt(section: "ids", reason: "group \(index) is out of order")
            }
            guard JoinPolicy(rawValue: region.load(start(ofFactsOf: index) + 24, as: UInt8.self)) != nil else {
                throw .corrupt(section: "facts", reason: "group \(index) has an unknown join policy")
            }
        }
    }

    /// A group's external id.
    public func id(of index: Int) -> String { ids[checked(index)] }

    /// A group's title; may be empty.
    public func title(of index: Int) -> String { titles[checked(index)] }

    /// A group's topics, in its own order.
    public func topics(of index: Int) -> [String] {
        topicTexts[checked(index)].split(separator: ";").map(String.init)
    }

    /// All facts of a group.
    public func facts(of index: Int) -> GroupFacts {
        let start = start(ofFactsOf: index)
        return GroupFacts(
            id: ids[index], title: titles[index], topics: topics(of: index),
            photoCount: UInt32(littleEndian: region.load(start, as: UInt32.self)),
            memberCount: UInt32(littleEndian: region.load(start + 4, as: UInt32.self)),
            joinPolicy: joinPolicy(of: index),
            createdAt: createdAt(of: index), lastActiveAt: lastActiveAt(of: index))
    }

    /// When a group was founded, in Unix seconds, if known.
    public func createdAt(of index: Int) -> Int64? { time(of: index, at: 8) }

    /// When something last happened in a group, in Unix seconds, if known.
    public func lastActiveAt(of index: Int) -> Int64? { time(of: index, at: 16) }

    private func time(of index: Int, at offset: Int) -> Int64? {
        let start = start(ofFactsOf: index)
        let time = Int64(littleEndian: region.load(start + offset, as: Int64.self))
        return time == .min ? nil : time
    }

    /// How one joins a group.
    public func joinPolicy(of index: Int) -> JoinPolicy {
        let start = start(ofFactsOf: index)
        return JoinPolicy(rawValue: region.load(start + 24, as: UInt8.self)) ?? .open
    }

    /// Calls `body` with the bytes of a group's external id, which stay where they are for that long only.
    public func withIDBytes<Result>(of index: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        unsafe region.withBytes(ids.byteRange(checked(index))) { unsafe body($0) }
    }

    /// n(i): a group's entries in a relation.
    public func size(of index: Int, in relation: Relation) -> UInt32 {
        let field = relation == .photos ? 0 : 4
        let start = start(ofFactsOf: index)
        return UInt32(littleEndian: region.load(start + field, as: UInt32.self))
    }

    /// n of some groups: group after group, of each one a relation.
    ///
    /// Of all of them at once: reads with nothing else in between wait for memory together.
    public func sizes(of groups: [UInt32]) -> [UInt32] {
        let relations = Relation.allCases
        var sizes: [UInt32] = []
        sizes.reserveCapacity(groups.count * relations.count)
        for group in groups {
            for relation in relations { sizes.append(size(of: Int(group), in: relation)) }
        }
        return sizes
    }

    /// The index of the group with an external id, compared byte by byte; nil if the version has none.
    ///
    /// - Complexity: O(log groups).
    public func index(ofID id: String) -> Int? {
        let place = lowerBound(of: id)
        return place < groupCount && ids.compare(place, with: id.utf8Span.span) == 0 ? place : nil
    }

    /// The index of the first group whose id does not stand before `id`; `groupCount` if there is none.
    public func lowerBound(of id: String) -> Int {
        let bytes = id.utf8Span.span
        var low = 0
        var high = groupCount
        while low < high {
            let middle = (low + high) / 2
            if ids.compare(middle, with: bytes) < 0 { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// A group's neighbours in a relation, best first.
    public func neighbours(of index: Int, by relation: Relation) -> NeighbourSlice {
        reader(relation).list(checked(index))
    }

    /// The lists of some groups: group after group, of each one a relation, in the order of `Relation.allCases`.
    public func lists(of groups: [UInt32]) -> NeighbourLists {
        var ranges: [Range<Int>] = []
        ranges.reserveCapacity(groups.count * Relation.allCases.count)
        for group in groups {
            let index = checked(Int(group))
            ranges.append(photos.range(ofList: index))
            ranges.append(members.range(ofList: index))
        }
        return NeighbourLists(ranges, in: region)
    }

    /// The plain cosine of a group and a neighbour in one of its lists, c / √(nᵢ nⱼ), whatever the measure.
    public func cosine(of neighbour: Neighbour, to index: Int, by relation: Relation) -> Double {
        neighbour.cosine(
            sizes: Double(size(of: index, in: relation)), Double(size(of: Int(neighbour.index), in: relation)))
    }

    /// The mean of the best scores of a relation: dividing by it makes relations comparable.
    public func meanBestScore(of relation: Relation) -> Double { reader(relation).scale }

    /// How many neighbours a relation lists in all.
    public func neighbourCount(of relation: Relation) -> Int { reader(relation).total }

    private func reader(_ relation: Relation) -> RelationReader {
        switch relation {
        case .photos: photos
        case .members: members
        }
    }

    /// Where a group's fixed-size facts begin.
    private func start(ofFactsOf index: Int) -> Int { factsStart + checked(index) * ModelLayout.factsByteCount }

    func checked(_ index: Int) -> Int {
        precondition(index >= 0 && index < groupCount, "no group \(index) of \(groupCount)")
        return index
    }
}
