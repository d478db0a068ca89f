import Basics

/// Encoders for the sections of a model file that hold signals.
enum SignalEncoding {
    /// Encodes trending groups, 20 bytes each.
    static func trending(_ groups: [TrendingGroup]) -> [UInt8] {
        var bytes: [UInt8] = []
        for group in groups {
            bytes.append(littleEndian: group.group)
            bytes.append(littleEndian: group.score.bitPattern)
            bytes.append(littleEndian: group.joiners)
            bytes.append(littleEndian: group.posters)
            bytes.append(littleEndian: group.usualWeek.bitPattern)
        }
        return bytes
    }

    /// Encodes curated groups, 24 bytes each.
    static func curated(_ groups: [CuratedGroup]) -> [UInt8] {
        var bytes: [UInt8] = []
        for group in groups {
            bytes.append(littleEndian: group.group)
            bytes.append(littleEndian: group.position)
            bytes.append(littleEndian: group.startsAt ?? .min)
            bytes.append(littleEndian: group.expiresAt ?? .min)
        }
        return bytes
    }

    /// Encodes the reach of groups, 12 bytes each.
    static func reach(_ groups: [GroupReach]) -> [UInt8] {
        var bytes: [UInt8] = []
        for group in groups {
            for number in [group.joins, group.offered, group.opened] { bytes.append(littleEndian: number) }
        }
        return bytes
    }

    /// Returns the groups of every topic, each with weight 1.
    static func topics(of groups: [GroupFacts]) -> [String: [Posting]] {
        var index: [String: [Posting]] = [:]
        for (number, group) in groups.enumerated() {
            for topic in Set(group.topics.map { Term.normalized($0) }) where !topic.isEmpty {
                index[topic, default: []].append(Posting(group: UInt32(number), weight: 1))
            }
        }
        return index
    }

    /// Encodes an index in the layout of `PostingIndex`; sorts the lists and leaves out keys without postings.
    static func index(_ lists: [String: [Posting]], section: ModelLayout.SectionName) throws(Failure) -> [UInt8] {
        let ordered = lists.filter { !$0.value.isEmpty }
            .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        guard !ordered.isEmpty else { return [] }
        let total = ordered.reduce(0) { $0 + $1.value.count }
        guard total <= Int(UInt32.max) else { throw .tooLarge("\(section.rawValue) of \(total) postings") }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(PostingIndex.headerByteCount + ordered.count * 24 + total * PostingIndex.postingByteCount)
        bytes.append(littleEndian: UInt32(ordered.count))
        bytes.append(littleEndian: UInt32(total))
        var end: UInt32 = 0
        bytes.append(littleEndian: end)
        for list in ordered {
            end += UInt32(list.value.count)
            bytes.append(littleEndian: end)
        }
        for list in ordered {
            let best = list.value.sorted { $0.weight != $1.weight ? $0.weight > $1.weight : $0.group < $1.group }
            for posting in best {
                bytes.append(littleEndian: posting.group)
                bytes.append(littleEndian: posting.weight.bitPattern)
            }
        }
        return bytes + (try ModelEncoding.texts(ordered.map(\.key), section: section))
    }
}

/// The checked sections of a model file that hold signals.
struct SignalReader: Sendable {
    static let trendingByteCount = 20
    static let curatedByteCount = 24
    static let reachByteCount = 12

    let trending: [TrendingGroup]
    let curated: [CuratedGroup]
    let topics: PostingIndex
    let tags: PostingIndex
    let places: PostingIndex
    private let region: ByteRegion
    private let seasons: Range<Int>
    private let reach: Range<Int>?

    init(_ region: ByteRegion, _ table: SectionTable, groupCount: Int) throws(Failure) {
        self.region = region
        topics = try PostingIndex(region, range: table[.topicIndex], groupCount: groupCount, section: .topicIndex)
        tags = try PostingIndex(region, range: table[.tags], groupCount: groupCount, section: .tags)
        places = try PostingIndex(region, range: table[.places], groupCount: groupCount, section: .places)
        for index in 0..<places.keyCount where PlaceCell(key: places.key(index)) == nil {
            throw .corrupt(section: "places", reason: "key \(index) is no cell")
        }
        seasons = try Self.checkedSeasons(region, table[.seasons], groupCount: groupCount)
        trending = try Self.trending(region, table[.trending], groupCount: groupCount)
        curated = try Self.curated(region, table[.curated], groupCount: groupCount)
        reach = table.found(.reach)
        guard reach.map({ $0.count == groupCount * Self.reachByteCount }) ?? true else {
            throw .corrupt(section: "reach", reason: "it is not of three numbers a group")
        }
    }

    /// Returns what members did with a group; nil if the version does not say.
    func reach(of group: Int) -> GroupReach? {
        guard let start = reach.map({ $0.lowerBound + group * Self.reachByteCount }) else { return nil }
        func number(_ place: Int) -> UInt32 {
            UInt32(littleEndian: region.load(start + place * 4, as: UInt32.self))
        }
        return GroupReach(joins: number(0), offered: number(1), opened: number(2))
    }

    /// Whether the version has monthly factors.
    var hasSeasons: Bool { !seasons.isEmpty }

    /// Returns a group's factor in a month (0 for January), in percent.
    func percent(of group: Int, month: Int) -> UInt8 {
        hasSeasons ? region.load(seasons.lowerBound + group * 12 + month, as: UInt8.self) : 100
    }

    private static func checkedSeasons(_ region: ByteRegion, _ range: Range<Int>, groupCount: Int)
        throws(Failure) -> Range<Int>
    {
        guard range.isEmpty || range.count == groupCount * 12 else {
            throw .corrupt(section: "seasons", reason: "it is not of twelve factors a group")
        }
        for offset in range where !SeasonalFactors.bounds.contains(region.load(offset, as: UInt8.self)) {
            throw .corrupt(section: "seasons", reason: "a factor of group \((offset - range.lowerBound) / 12) is none")
        }
        return range
    }

    private static func trending(_ region: ByteRegion, _ range: Range<Int>, groupCount: Int)
        throws(Failure) -> [TrendingGroup]
    {
        guard range.count.isMultiple(of: trendingByteCount) else {
            throw .corrupt(section: "trending", reason: "its length fits no number of groups")
        }
        var groups: [TrendingGroup] = []
        var seen: Set<UInt32> = []
        for start in stride(from: range.lowerBound, to: range.upperBound, by: trendingByteCount) {
            func word(_ index: Int) -> UInt32 { UInt32(littleEndian: region.load(start + index * 4, as: UInt32.self)) }
            let group = TrendingGroup(
                group: word(0), score: Float(bitPattern: word(1)), joiners: word(2), posters: word(3),
                usualWeek: Float(bitPattern: word(4)))
            guard group.group < groupCount, seen.insert(group.group).inserted else {
                throw .corrupt(section: "trending", reason: "entry \(groups.count) is no group, or occurs twice")
            }
            let ceiling = groups.last?.score ?? .greatestFiniteMagnitude
            guard group.score > 0, group.score <= ceiling, group.usualWeek >= 0, group.usualWeek.isFinite else {
                throw .corrupt(section: "trending", reason: "the figures of entry \(groups.count) are out of bounds")
            }
            groups.append(group)
        }
        return groups
    }

    private static func curated(_ region: ByteRegion, _ range: Range<Int>, groupCount: Int)
        throws(Failure) -> [CuratedGroup]
    {
        guard range.count.isMultiple(of: curatedByteCount) else {
            throw .corrupt(section: "curated", reason: "its length fits no number of groups")
        }
        var groups: [CuratedGroup] = []
        var seen: Set<UInt32> = []
        for start in stride(from: range.lowerBound, to: range.upperBound, by: curatedByteCount) {
            func time(_ offset: Int) -> Int64? {
                let time = Int64(littleEndian: region.load(start + offset, as: Int64.self))
                return time == .min ? nil : time
            }
            let group = CuratedGroup(
                group: UInt32(littleEndian: region.load(start, as: UInt32.self)),
                position: UInt32(littleEndian: region.load(start + 4, as: UInt32.self)), startsAt: time(8),
                expiresAt: time(16))
            guard group.group < groupCount, seen.insert(group.group).inserted else {
                throw .corrupt(section: "curated", reason: "entry \(groups.count) is no group, or occurs twice")
            }
            guard group.position >= groups.last?.position ?? 0 else {
                throw .corrupt(section: "curated", reason: "the positions do not ascend at entry \(groups.count)")
            }
            groups.append(group)
        }
        return groups
    }
}
