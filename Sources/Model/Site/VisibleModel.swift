/// A model version without the groups that the site hides.
///
/// Code that makes answers gets this view instead of the version, and therefore cannot show a hidden group. Groups keep
/// their indexes of the version. Lists, lookups and signals never contain the index of a hidden group.
package struct VisibleModel: Sendable {
    private let model: ModelVersion
    /// The hidden groups, or nil if no group of the version is hidden.
    private let hidden: GroupSet?
    /// The curated groups, shown now or at another time; by position, then by index.
    package let curated: [CuratedGroup]

    /// Combines a version with the site's decisions; by default there are none since it was published.
    ///
    /// - Complexity: O(1) if no group is hidden, else O(groups / 64 + hidden groups).
    package init(_ model: ModelVersion, _ decisions: SiteDecisions = .asPublished) {
        self.model = model
        let hidden = decisions.hidden.isEmpty ? nil : GroupSet(decisions.hidden, groupCount: model.groupCount)
        self.hidden = hidden
        curated = (decisions.curated ?? model.curated)
            .filter { Int($0.group) < model.groupCount && hidden?.contains($0.group) != true }
            .sorted { ($0.position, $0.group) < ($1.position, $1.group) }
    }

    // MARK: Which groups there are

    /// One more than the greatest index of a group; hidden groups count.
    package var groupCount: Int { model.groupCount }

    /// Whether the version has a group with this index that is not hidden.
    @inline(__always)
    package func shows(_ group: UInt32) -> Bool { group < model.groupCount && hidden?.contains(group) != true }

    /// Returns the index of a visible group by its external id, compared byte by byte, or nil if there is none.
    ///
    /// - Complexity: O(log groups).
    package func index(ofID id: String) -> Int? {
        model.index(ofID: id).flatMap { shows(UInt32($0)) ? $0 : nil }
    }

    /// Whether the version has a group with this external id that is hidden.
    package func hides(_ id: String) -> Bool {
        model.index(ofID: id).map { !shows(UInt32($0)) } ?? false
    }

    /// Returns the visible groups whose ids sort after an id, all without one; in ascending order of the index.
    ///
    /// - Parameter limit: the most groups to return.
    package func groups(after id: String?, limit: Int) -> [UInt32] {
        var first = 0
        if let id { first = model.lowerBound(of: id) + (model.index(ofID: id) == nil ? 0 : 1) }
        return Array((UInt32(first)..<UInt32(groupCount)).lazy.filter(shows).prefix(limit))
    }

    /// Returns the external ids of at most `count` visible groups that sort around an id, in ascending order.
    package func ids(near id: String, count: Int = 6) -> [String] {
        func isShown(_ group: Int) -> Bool { shows(UInt32(group)) }
        let index = model.lowerBound(of: id)
        let before = (0..<index).reversed().lazy.filter(isShown).prefix(count).reversed()
        let near = before + (index..<model.groupCount).lazy.filter(isShown).prefix(count)
        let first = max(0, min(before.count - count / 2, near.count - count))
        return near.dropFirst(first).prefix(count).map { model.id(of: $0) }
    }

    /// The photos with vectors, or nil if the version has none; hidden groups must be left out of their groups.
    package var looks: IndexedPhotos? { model.looks }

    // MARK: Neighbours

    /// The relations of the version, in the order of its file.
    package var relations: [Relation] { model.relations }

    /// Returns the mean of the best scores of a relation; 1 if the version lacks the relation.
    ///
    /// Scores divided by this mean can be compared across relations.
    package func meanBestScore(of relation: Relation) -> Double { model.meanBestScore(of: relation) }

    /// Returns the weight of a relation in members' lists, 0 or more, from evidence in the memberships.
    ///
    /// The weight is 1 if there was no evidence, or if the version lacks the relation.
    package func evidenceWeight(of relation: Relation) -> Double { model.evidenceWeight(of: relation) }

    /// Returns a group's neighbours in a relation, best first; none if the version lacks the relation.
    package func neighbours(of index: Int, by relation: Relation) -> [Neighbour] {
        guard shows(UInt32(index)) else { return [] }
        let list = model.neighbours(of: index, by: relation)
        guard let hidden else { return Array(list) }
        return list.filter { !hidden.contains($0.index) }
    }

    /// Returns the best score of a group's list, or nil if the list is empty or the group is hidden.
    ///
    /// The score of a hidden neighbour counts. Hiding that neighbour therefore does not change numbers scaled by the
    /// best score.
    package func bestScore(of index: Int, by relation: Relation) -> Float? {
        shows(UInt32(index)) ? model.neighbours(of: index, by: relation).first?.score : nil
    }

    /// Returns the lists of groups: group after group, with one list for each relation in the order of `relations`.
    ///
    /// The lists of hidden groups are empty.
    ///
    /// - Parameters:
    ///   - wanted: for each relation, whether its lists are read; others are returned empty. An empty array means all.
    ///   - limit: the number of best neighbours read from each list, hidden ones included; nil for all.
    package func lists(of groups: [UInt32], in wanted: [Bool] = [], limit: Int? = nil) -> NeighbourLists {
        model.lists(of: groups, in: wanted, limit: limit, without: hidden)
    }

    /// Returns the plain cosine c / √(nᵢ nⱼ) of a group and a neighbour in one of its lists, whatever the measure.
    package func cosine(of neighbour: Neighbour, to index: Int, by relation: Relation) -> Double {
        model.cosine(of: neighbour, to: index, by: relation)
    }

    // MARK: Signals

    /// The groups that more people turn to than usual, best first.
    package var trending: [TrendingGroup] { model.trending.filter { shows($0.group) } }

    /// All topics, as `Term.normalized` writes them, in ascending order of their bytes.
    package var topics: [String] { model.topics }

    /// Returns the groups that have a topic, ignoring case, in ascending order of the index.
    package func groups(withTopic topic: String) -> [UInt32] { model.groups(withTopic: topic).filter(shows) }

    /// Returns the groups that receive photos with a tag, ignoring case; the greatest weight first.
    package func groups(withTag tag: String) -> [Posting] { shown(model.groups(withTag: tag)) }

    /// Returns the groups that receive photos taken in a cell; the greatest weight first.
    package func groups(at place: PlaceCell) -> [Posting] { shown(model.groups(at: place)) }

    private func shown(_ postings: [Posting]) -> [Posting] {
        guard let hidden else { return postings }
        return postings.filter { !hidden.contains($0.group) }
    }

    /// Returns what members did with a group before the version was made; nil if the version does not say.
    package func reach(of index: Int) -> GroupReach? { model.reach(of: index) }

    /// Returns a group's activity in a month relative to its average, ½ to 2.
    ///
    /// The result is 1 if the group has no season or none is known.
    ///
    /// - Parameter month: the month, from 0 for January to 11.
    package func seasonalFactor(of index: Int, month: Int) -> Double { model.seasonalFactor(of: index, month: month) }

    /// Returns the same factor in percent.
    package func seasonalPercent(of index: Int, month: Int) -> UInt8 { model.seasonalPercent(of: index, month: month) }

    // MARK: Facts of a group

    /// Returns a group's external id.
    package func id(of index: Int) -> String { model.id(of: index) }

    /// Returns the external ids of groups, hidden or not, in the order given.
    package func ids(of groups: [UInt32]) -> PackedTexts { model.ids(of: groups) }

    /// Calls `body` with the bytes of a group's external id, which are valid only during the call.
    package func withIDBytes<Result>(of index: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        unsafe model.withIDBytes(of: index) { unsafe body($0) }
    }

    /// Returns a group's title, which may be empty.
    package func title(of index: Int) -> String { model.title(of: index) }

    /// Returns a group's topics, in the order of the catalog.
    package func topics(of index: Int) -> [String] { model.topics(of: index) }

    /// Returns the time at which something last happened in a group, in Unix seconds, or nil if unknown.
    package func lastActiveAt(of index: Int) -> Int64? { model.lastActiveAt(of: index) }

    /// Returns the way to join a group.
    package func joinPolicy(of index: Int) -> JoinPolicy { model.joinPolicy(of: index) }

    /// Returns the posts of a group in the last weeks; none if the version has no posts.
    package func talk(of index: Int) -> GroupTalk { model.talk(of: index) }

    /// Whether the version has a map of its groups.
    package var hasMap: Bool { model.hasMap }

    /// Returns a group's place on the map; nil for a hidden group, for one beside the map, and if there is no map.
    package func place(of index: Int) -> MapPlace? { shows(UInt32(index)) ? model.place(of: index) : nil }

    /// Returns n(i), a group's entries in a relation; 0 if the version lacks the relation.
    package func size(of index: Int, in relation: Relation) -> UInt32 { model.size(of: index, in: relation) }

    /// Returns n(i) of groups: group after group, with one number for each relation in the order of `relations`.
    package func sizes(of groups: [UInt32]) -> [UInt32] { model.sizes(of: groups) }

    /// Returns n(i) of all groups in a relation, hidden ones included; zeros if the version lacks the relation.
    package func sizes(in relation: Relation) -> [UInt32] { model.sizes(in: relation) }
}

/// A set of groups of a version, stored as one bit for each group.
package struct GroupSet: Sendable {
    @usableFromInline var words: [UInt64]

    /// Creates a set; groups that the version lacks are left out.
    package init(_ groups: some Sequence<UInt32>, groupCount: Int) {
        words = [UInt64](repeating: 0, count: (groupCount + 63) / 64)
        for group in groups where group < groupCount { words[Int(group >> 6)] |= 1 << UInt64(group & 63) }
    }

    @inlinable @inline(__always)
    package func contains(_ group: UInt32) -> Bool { words[Int(group >> 6)] >> UInt64(group & 63) & 1 != 0 }
}
