/// The signals of groups beyond their neighbours: trends, seasons, tags, locations and curation.
///
/// A signal for which the catalog has no evidence is empty.
package struct GroupSignals: Sendable, Equatable {
    /// The groups that more people turn to than usual, best first; equal scores in ascending order of the index.
    package var trending: [TrendingGroup]
    /// The monthly factors of each group, 12 for a group; empty if nothing is known.
    package var seasons: [SeasonalFactors]
    /// The groups that receive photos with a tag; the key is the tag as `Term.normalized` writes it.
    package var tags: [String: [Posting]]
    /// The groups that receive photos taken in a cell.
    package var places: [PlaceCell: [Posting]]
    /// The groups that curators chose, by position; equal positions in ascending order of the index.
    package var curated: [CuratedGroup]
    /// The reach of each group; empty if nothing is known.
    package var reach: [GroupReach]

    /// Creates signals, each empty unless given.
    package init(
        trending: [TrendingGroup] = [], seasons: [SeasonalFactors] = [], tags: [String: [Posting]] = [:],
        places: [PlaceCell: [Posting]] = [:], curated: [CuratedGroup] = [], reach: [GroupReach] = []
    ) {
        self.trending = trending
        self.seasons = seasons
        self.tags = tags
        self.places = places
        self.curated = curated
        self.reach = reach
    }
}

/// The reach of a group in the four weeks before the version's recompute, even if the data end earlier.
package struct GroupReach: Sendable, Equatable {
    /// The weeks that count.
    package static let weeks = 4

    /// The joins, by their times; one without a time does not count.
    package var joins: UInt32 = 0
    /// The members who were shown the group in a list.
    package var offered: UInt32 = 0
    /// The members who were shown it and opened it.
    package var opened: UInt32 = 0

    package init(joins: UInt32 = 0, offered: UInt32 = 0, opened: UInt32 = 0) {
        (self.joins, self.offered, self.opened) = (joins, offered, opened)
    }

    /// The share of those who were offered the group and opened it, 0 to 1; nil if it was offered to nobody.
    package var openedShare: Double? { offered > 0 ? Double(opened) / Double(offered) : nil }
}

/// A group that more people turn to than usual.
package struct TrendingGroup: Sendable, Equatable {
    /// The group's index in the version.
    package var group: UInt32
    /// The strength of the trend, above 0; higher is more unusual.
    package var score: Float
    /// The number of different people who joined in the last seven days.
    package var joiners: UInt32
    /// The number of different people who posted in the last seven days.
    package var posters: UInt32
    /// The weekly number of joiners and posters, as the mean of the eight weeks before.
    package var usualWeek: Float

    package init(group: UInt32, score: Float, joiners: UInt32 = 0, posters: UInt32 = 0, usualWeek: Float = 0) {
        self.group = group
        self.score = score
        self.joiners = joiners
        self.posters = posters
        self.usualWeek = usualWeek
    }
}

/// A group's activity in each month of the year relative to its average, in percent.
package struct SeasonalFactors: Sendable, Equatable {
    /// The factors that can be stored, in percent: half to twice the average, both inclusive.
    package static let bounds: ClosedRange<UInt8> = 50...200

    /// Twelve factors within the bounds, January first.
    package let percent: [UInt8]

    /// Creates factors from percentages; a value outside the bounds becomes the nearest bound.
    ///
    /// - Parameter percent: twelve percentages, January first.
    package init(percent: [UInt8]) {
        precondition(percent.count == 12, "a year has twelve months, not \(percent.count)")
        self.percent = percent.map { min(max($0, Self.bounds.lowerBound), Self.bounds.upperBound) }
    }
}

/// A group listed under a key, with its weight.
package struct Posting: Sendable, Equatable {
    /// The group's index in the version.
    package var group: UInt32
    /// The weight, above 0.
    package var weight: Float

    package init(group: UInt32, weight: Float) {
        self.group = group
        self.weight = weight
    }
}

/// A group that a curator chose.
package struct CuratedGroup: Sendable, Equatable {
    /// The group's index in the version.
    package var group: UInt32
    /// The group's position among the curated groups, the lowest first.
    package var position: UInt32
    /// The time from which the group is shown as curated, in Unix seconds, inclusive; nil means always.
    package var startsAt: Int64?
    /// The time until which the group is shown as curated, in Unix seconds, exclusive; nil means for ever.
    package var expiresAt: Int64?

    package init(group: UInt32, position: UInt32, startsAt: Int64? = nil, expiresAt: Int64? = nil) {
        self.group = group
        self.position = position
        self.startsAt = startsAt
        self.expiresAt = expiresAt
    }

    /// Whether the group is shown as curated at an instant, in Unix seconds.
    package func isValid(at instant: Int64) -> Bool {
        startsAt.map { $0 <= instant } ?? true && expiresAt.map { instant < $0 } ?? true
    }
}

extension ModelVersion {
    /// The groups that more people turn to than usual, best first.
    package var trending: [TrendingGroup] { signals.trending }

    /// The groups that curators chose, by position, whether shown now or at another time.
    package var curated: [CuratedGroup] { signals.curated }

    /// Returns what members did with a group before the version was made; nil if the version does not say.
    package func reach(of group: Int) -> GroupReach? { signals.reach(of: checked(group)) }

    /// Returns a group's activity in a month relative to its average, ½ to 2.
    ///
    /// The result is 1 if the group has no season or none is known.
    ///
    /// - Parameter month: the month, from 0 for January to 11.
    package func seasonalFactor(of group: Int, month: Int) -> Double {
        Double(seasonalPercent(of: group, month: month)) / 100
    }

    /// Returns the same factor in percent.
    func seasonalPercent(of group: Int, month: Int) -> UInt8 {
        precondition((0..<12).contains(month), "month \(month) is not 0 to 11")
        return signals.percent(of: checked(group), month: month)
    }

    /// Returns the groups that have a topic, ignoring case, in ascending order of the index.
    package func groups(withTopic topic: String) -> [UInt32] {
        signals.topics[Term.normalized(topic)].map(\.group)
    }

    /// Returns the groups that receive photos with a tag, ignoring case; the greatest weight first.
    package func groups(withTag tag: String) -> [Posting] { signals.tags[Term.normalized(tag)] }

    /// Returns the groups that receive photos taken in a cell; the greatest weight first.
    package func groups(at place: PlaceCell) -> [Posting] { signals.places[place.key] }

    /// All topics, as `Term.normalized` writes them, in ascending order of their bytes.
    package var topics: [String] { (0..<signals.topics.keyCount).map(signals.topics.key) }

    /// Whether the version has monthly factors.
    package var hasSeasons: Bool { signals.hasSeasons }

    /// All tags that point to groups, as `Term.normalized` writes them, in ascending order of their bytes.
    package var tags: [String] { (0..<signals.tags.keyCount).map(signals.tags.key) }

    /// All cells that point to groups, in no particular order.
    package var places: [PlaceCell] {
        (0..<signals.places.keyCount).compactMap { PlaceCell(key: signals.places.key($0)) }
    }
}
