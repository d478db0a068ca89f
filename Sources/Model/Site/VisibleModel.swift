/// A model version as the site shows it now: everything that lists, looks up or names groups leaves hidden ones out.
///
/// Code that makes answers gets this view and not the version, so that it cannot show a hidden group. Groups keep the
/// indexes that they have in the version; a hidden group's index is never given out.
public struct VisibleModel: Sendable {
    private let model: ModelVersion
    /// Nil if no group of the version is hidden.
    private let hidden: GroupSet?
    /// The curated groups, shown now or at another time; by position, then by index.
    public let curated: [CuratedGroup]

    /// A version with what the site has decided; by default nothing since it was published.
    ///
    /// - Complexity: O(1) if no group is hidden, else O(groups / 64).
    public init(_ model: ModelVersion, _ decisions: SiteDecisions = .asPublished) {
        self.model = model
        let hidden = decisions.hidden.isEmpty ? nil : GroupSet(decisions.hidden, groupCount: model.groupCount)
        self.hidden = hidden
        curated = (decisions.curated ?? model.curated)
            .filter { Int($0.group) < model.groupCount && hidden?.contains($0.group) != true }
            .sorted { ($0.position, $0.group) < ($1.position, $1.group) }
    }

    // MARK: Which groups there are

    /// One more than the greatest index of a group; hidden groups count.
    public var groupCount: Int { model.groupCount }

    /// Whether the version has a group with this index, and it is not hidden.
    @inline(__always)
    public func shows(_ group: UInt32) -> Bool { group < model.groupCount && hidden?.contains(group) != true }

    /// The index of a group that is shown, by its external id, compared byte by byte; nil if there is none.
    ///
    /// - Complexity: O(log groups).
    public func index(ofID id: String) -> Int? {
        model.index(ofID: id).flatMap { shows(UInt32($0)) ? $0 : nil }
    }

    /// Whether the version has a group with this external id, and it is hidden.
    public func hides(_ id: String) -> Bool {
        model.index(ofID: id).map { !shows(UInt32($0)) } ?? false
    }

    /// External ids of groups that sort next to one that does not exist: at most `count` of them, ascending.
    public func ids(near id: String, count: Int = 6) -> [String] {
        func isShown(_ group: Int) -> Bool { shows(UInt32(group)) }
        let index = model.lowerBound(of: id)
        let before = (0..<index).reversed().lazy.filter(isShown).prefix(count).reversed()
        let near = before + (index..<model.groupCount).lazy.filter(isShown).prefix(count)
        let first = max(0, min(before.count - count / 2, near.count - count))
        return near.dropFirst(first).prefix(count).map { model.id(of: $0) }
    }

    // MARK: Neighbours

    /// What groups may have in common, in the order of the version.
    public var relations: [Relation] { model.relations }

    /// The mean of the best scores of a relation: dividing by it makes relations comparable; 1 if the version lacks it.
    public func meanBestScore(of relation: Relation) -> Double { model.meanBestScore(of: relation) }

    /// What a relation counts in members' lists by evidence from the memberships, 0 or more; 1 if there was none.
    public func evidenceWeight(of relation: Relation) -> Double { model.evidenceWeight(of: relation) }

    /// A group's neighbours in a relation, best first; none if the version does not have it.
    public func neighbours(of index: Int, by relation: Relation) -> [Neighbour] {
        guard shows(UInt32(index)) else { return [] }
        let list = model.neighbours(of: index, by: relation)
        guard let hidden else { return Array(list) }
        return list.filter { !hidden.contains($0.index) }
    }

    /// Whether a group has a neighbour in a relation.
    public func hasNeighbours(_ index: Int, by relation: Relation) -> Bool {
        guard shows(UInt32(index)) else { return false }
        return model.neighbours(of: index, by: relation).contains { hidden?.contains($0.index) != true }
    }

    /// The best score of a group's list, if it has one.
    ///
    /// The score of a hidden neighbour counts, so that what is in proportion to it stays when that group is hidden.
    public func bestScore(of index: Int, by relation: Relation) -> Float? {
        shows(UInt32(index)) ? model.neighbours(of: index, by: relation).first?.score : nil
    }

    /// The lists of some groups that are shown: group after group, of each one a relation, in the order of `relations`.
    ///
    /// - Parameters:
    ///   - wanted: by relation, whether its lists are read: those of others are empty. All are if it is empty.
    ///   - limit: how many of the best neighbours of each list, hidden ones included; nil for all.
    public func lists(of groups: [UInt32], in wanted: [Bool] = [], limit: Int? = nil) -> NeighbourLists {
        model.lists(of: groups, in: wanted, limit: limit, without: hidden)
    }

    /// The plain cosine of a group and a neighbour in one of its lists, c / √(nᵢ nⱼ), whatever the measure.
    public func cosine(of neighbour: Neighbour, to index: Int, by relation: Relation) -> Double {
        model.cosine(of: neighbour, to: index, by: relation)
    }

    // MARK: Signals

    /// Groups that more people turn to than usual, best first.
    public var trending: [TrendingGroup] { model.trending.filter { shows($0.group) } }

    /// All topics, as `Term.normalized` writes them, in ascending order of their bytes.
    public var topics: [String] { model.topics }

    /// The groups that have a topic, upper and lower case being the same; in ascending order of the index.
    public func groups(withTopic topic: String) -> [UInt32] { model.groups(withTopic: topic).filter(shows) }

    /// The groups that photos with a tag go to, upper and lower case being the same; the greatest weight first.
    public func groups(withTag tag: String) -> [Posting] { shown(model.groups(withTag: tag)) }

    /// The groups that photos of a location go to; the greatest weight first.
    public func groups(at place: PlaceCell) -> [Posting] { shown(model.groups(at: place)) }

    private func shown(_ postings: [Posting]) -> [Posting] {
        guard let hidden else { return postings }
        return postings.filter { !hidden.contains($0.group) }
    }

    /// How much busier than on average a group is in a month: ½ to 2, and 1 if it has no season or none is known.
    ///
    /// - Parameter month: 0 for January to 11.
    public func seasonalFactor(of index: Int, month: Int) -> Double { model.seasonalFactor(of: index, month: month) }

    /// The same in percent.
    public func seasonalPercent(of index: Int, month: Int) -> UInt8 { model.seasonalPercent(of: index, month: month) }

    // MARK: Facts of a group

    /// A group's external id.
    public func id(of index: Int) -> String { model.id(of: index) }

    /// The external ids of some groups, shown or not.
    public func ids(of groups: [UInt32]) -> PackedTexts { model.ids(of: groups) }

    /// Calls `body` with the bytes of a group's external id, which stay where they are for that long only.
    public func withIDBytes<Result>(of index: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        unsafe model.withIDBytes(of: index) { unsafe body($0) }
    }

    /// A group's title; may be empty.
    public func title(of index: Int) -> String { model.title(of: index) }

    /// A group's topics, in its own order.
    public func topics(of index: Int) -> [String] { model.topics(of: index) }

    /// When something last happened in a group, in Unix seconds, if known.
    public func lastActiveAt(of index: Int) -> Int64? { model.lastActiveAt(of: index) }

    /// How one joins a group.
    public func joinPolicy(of index: Int) -> JoinPolicy { model.joinPolicy(of: index) }

    /// n(i): a group's entries in a relation; 0 if the version does not have it.
    public func size(of index: Int, in relation: Relation) -> UInt32 { model.size(of: index, in: relation) }

    /// n of some groups: group after group, of each one a relation, in the order of `relations`.
    public func sizes(of groups: [UInt32]) -> [UInt32] { model.sizes(of: groups) }
}

/// A set of groups of a version: one bit a group.
public struct GroupSet: Sendable {
    @usableFromInline var words: [UInt64]

    /// - Parameter groups: those that the version does not have are left out.
    public init(_ groups: some Sequence<UInt32>, groupCount: Int) {
        words = [UInt64](repeating: 0, count: (groupCount + 63) / 64)
        for group in groups where group < groupCount { words[Int(group >> 6)] |= 1 << UInt64(group & 63) }
    }

    /// Whether a group of the version is in the set.
    @inlinable @inline(__always)
    public func contains(_ group: UInt32) -> Bool { words[Int(group >> 6)] >> UInt64(group & 63) & 1 != 0 }
}
