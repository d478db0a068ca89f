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
