/// What a version says of its groups beyond their neighbours: what is going on, when, about what, where.
///
/// Whatever the catalog gives no evidence of is empty.
public struct GroupSignals: Sendable, Equatable {
    /// Groups that more people turn to than usual, best first; equal scores in ascending order of the index.
    public var trending: [TrendingGroup]
    /// How much busier than on average a group is in each month: 12 factors a group; empty if nothing is known.
    public var seasons: [SeasonalFactors]
    /// The groups that photos with a tag go to, by the tag as `Term.normalized` writes it.
    public var tags: [String: [Posting]]
    /// The groups that photos of a location go to.
    public var places: [PlaceCell: [Posting]]
    /// What curators chose, by position; equal positions in ascending order of the index.
    public var curated: [CuratedGroup]

    /// Signals; none unless given.
    public init(
        trending: [TrendingGroup] = [], seasons: [SeasonalFactors] = [], tags: [String: [Posting]] = [:],
        places: [PlaceCell: [Posting]] = [:], curated: [CuratedGroup] = []
    ) {
        self.trending = trending
        self.seasons = seasons
        self.tags = tags
        self.places = places
        self.curated = curated
    }
}

/// A group that more people turn to than usual.
public struct TrendingGroup: Sendable, Equatable {
    /// The group's index in the version.
    public var group: UInt32
    /// How unusual it is, above 0; the higher the more.
    public var score: Float
    /// Different people who joined in the last seven days.
    public var joiners: UInt32
    /// Different people who posted in the last seven days.
    public var posters: UInt32
    /// Joiners and posters of a week, as the mean of the eight weeks before.
    public var usualWeek: Float

    /// A trending group.
    public init(group: UInt32, score: Float, joiners: UInt32 = 0, posters: UInt32 = 0, usualWeek: Float = 0) {
        self.group = group
        self.score = score
        self.joiners = joiners
        self.posters = posters
        self.usualWeek = usualWeek
    }
}

/// How much busier than on average a group is in each month of the year, in percent.
public struct SeasonalFactors: Sendable, Equatable {
    /// The factors that can be stored, in percent: half to twice the usual, both inclusive.
    public static let bounds: ClosedRange<UInt8> = 50...200
    /// No season: 100 percent all through the year.
    public static let none = SeasonalFactors(percent: [UInt8](repeating: 100, count: 12))

    /// Twelve numbers within the bounds, January first.
    public let percent: [UInt8]

    /// Factors of percentages; those outside the bounds are brought to the nearest bound.
    ///
    /// - Parameter percent: twelve of them, January first.
    public init(percent: [UInt8]) {
        precondition(percent.count == 12, "a year has twelve months, not \(percent.count)")
        self.percent = percent.map { min(max($0, Self.bounds.lowerBound), Self.bounds.upperBound) }
    }
}

/// A group that something points to, and how strongly.
public struct Posting: Sendable, Equatable {
    /// The group's index in the version.
    public var group: UInt32
    /// Above 0.
    public var weight: Float

    /// A posting.
    public init(group: UInt32, weight: Float) {
        self.group = group
        self.weight = weight
    }
}

/// A group that a curator chose.
public struct CuratedGroup: Sendable, Equatable {
    /// The group's index in the version.
    public var group: UInt32
    /// Its position among the curated groups, the lowest first.
    public var position: UInt32
    /// From when on it is shown as curated, in Unix seconds, inclusive; nil: always.
    public var startsAt: Int64?
    /// Until when, in Unix seconds, exclusive; nil: for ever.
    public var expiresAt: Int64?

    /// A curated group.
    public init(group: UInt32, position: UInt32, startsAt: Int64? = nil, expiresAt: Int64? = nil) {
        self.group = group
        self.position = position
        self.startsAt = startsAt
        self.expiresAt = expiresAt
    }

    /// Whether it is shown as curated at an instant, in Unix seconds.
    public func isValid(at instant: Int64) -> Bool {
        startsAt.map { $0 <= instant } ?? true && expiresAt.map { instant < $0 } ?? true
    }
}

extension ModelVersion {
    /// Groups that more people turn to than usual, best first.
    public var trending: [TrendingGroup] { signals.trending }

    /// What curators chose, by position, whether it is valid now or only later.
    public var curated: [CuratedGroup] { signals.curated }

    /// How much busier than on average a group is in a month: ½ to 2, and 1 if it has no season or none is known.
    ///
    /// - Parameter month: 0 for January to 11.
    public func seasonalFactor(of group: Int, month: Int) -> Double {
        Double(seasonalPercent(of: group, month: month)) / 100
    }

    /// The same in percent.
    func seasonalPercent(of group: Int, month: Int) -> UInt8 {
        precondition((0..<12).contains(month), "month \(month) is not 0 to 11")
        return signals.percent(of: checked(group), month: month)
    }

    /// The groups that have a topic, upper and lower case being the same; in ascending order of the index.
    public func groups(withTopic topic: String) -> [UInt32] {
        signals.topics[Term.normalized(topic)].map(\.group)
    }

    /// The groups that photos with a tag go to, upper and lower case being the same; the greatest weight first.
    public func groups(withTag tag: String) -> [Posting] { signals.tags[Term.normalized(tag)] }

    /// The groups that photos of a location go to; the greatest weight first.
    public func groups(at place: PlaceCell) -> [Posting] { signals.places[place.key] }

    /// All topics, as `Term.normalized` writes them, in ascending order of their bytes.
    public var topics: [String] { (0..<signals.topics.keyCount).map(signals.topics.key) }

    /// Whether anything is known of seasons at all.
    public var hasSeasons: Bool { signals.hasSeasons }

    /// All tags that point to groups, as `Term.normalized` writes them, in ascending order of their bytes.
    public var tags: [String] { (0..<signals.tags.keyCount).map(signals.tags.key) }

    /// All locations that point to groups, in no particular order.
    public var places: [PlaceCell] {
        (0..<signals.places.keyCount).compactMap { PlaceCell(key: signals.places.key($0)) }
    }
}
