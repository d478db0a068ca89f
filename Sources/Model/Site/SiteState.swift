/// A group that is hidden.
package struct HiddenGroup: Codable, Sendable, Equatable {
    package var id: String
    /// The time since which the group is hidden, in Unix milliseconds.
    package var hiddenAtMilliseconds: Int64

    package init(id: String, hiddenAtMilliseconds: Int64) {
        self.id = id
        self.hiddenAtMilliseconds = hiddenAtMilliseconds
    }
}

/// A group that the site's curators chose.
package struct Curation: Codable, Sendable, Equatable {
    package var groupID: String
    /// Whether the group is public and not hidden; other groups are not shown as curated.
    package var isShown: Bool
    /// The group's position among all curated groups, from 1, without gaps.
    package var position: Int
    /// The time from which the group is shown as curated, in Unix seconds, inclusive; nil means always.
    package var startsAt: Int64?
    /// The time until which the group is shown as curated, in Unix seconds, exclusive; nil means for ever.
    package var expiresAt: Int64?

    package init(groupID: String, isShown: Bool, position: Int, startsAt: Int64? = nil, expiresAt: Int64? = nil) {
        self.groupID = groupID
        self.isShown = isShown
        self.position = position
        self.startsAt = startsAt
        self.expiresAt = expiresAt
    }

    /// Whether the group is shown as curated at an instant, in Unix seconds.
    package func isValid(at unixSeconds: Int64) -> Bool {
        isShown && startsAt.map { $0 <= unixSeconds } ?? true && expiresAt.map { unixSeconds < $0 } ?? true
    }
}

/// The hidden and curated groups by external id: the result of all site changes so far.
///
/// The catalog keeps this state in tables, and a store has a copy. Daemons add the changes since. For all of them,
/// `apply` decides the effect of a change and the order of curated groups.
package struct SiteState: Sendable, Equatable {
    /// The hidden groups, each with the time since which it is hidden, in Unix milliseconds.
    package private(set) var hidden: [BytewiseString: Int64]
    /// The curated groups in their order; stored positions and `isShown` are recomputed from the rest.
    private var order: [Curation]

    /// Creates a state.
    ///
    /// - Parameter curations: the curated groups in their order; their positions are assigned again.
    package init(hidden: some Sequence<HiddenGroup> = EmptyCollection(), curations: [Curation] = []) {
        self.hidden = Dictionary(
            hidden.map { (BytewiseString($0.id), $0.hiddenAtMilliseconds) }, uniquingKeysWith: { first, _ in first })
        order = curations
        number()
    }

    package init(_ site: PublishedSite) { self.init(hidden: site.hidden, curations: site.curations) }

    /// Applies a change.
    ///
    /// The caller must check that the group exists and may be curated.
    ///
    /// - Returns: `changed`, `unchanged` or `expiresBeforeStart`.
    package mutating func apply(_ change: SiteChange) -> SiteChange.Outcome {
        let (group, before) = (BytewiseString(change.groupID), self)
        switch change.action {
        case .hide: hidden[group] = hidden[group] ?? change.atMilliseconds
        case .unhide: hidden[group] = nil
        case .curate(let position, let startsAt, let expiresAt):
            if let startsAt, let expiresAt, expiresAt <= startsAt { return .expiresBeforeStart }
            order.removeAll { $0.groupID.hasSameBytes(as: change.groupID) }
            order.insert(
                Curation(
                    groupID: change.groupID, isShown: true, position: 0, startsAt: startsAt, expiresAt: expiresAt),
                at: min(max(1, position ?? .max), order.count + 1) - 1)
        case .uncurate: order.removeAll { $0.groupID.hasSameBytes(as: change.groupID) }
        }
        number()
        return self == before ? .unchanged : .changed
    }

    /// The hidden groups, in ascending order of the bytes of their ids.
    package var hiddenGroups: [HiddenGroup] {
        hidden.map { HiddenGroup(id: $0.key.text, hiddenAtMilliseconds: $0.value) }
            .sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
    }

    /// The curated groups in their order, with positions from 1; `isShown` is false for hidden ones.
    package var curations: [Curation] {
        order.map { curation in
            var curation = curation
            curation.isShown = hidden[BytewiseString(curation.groupID)] == nil
            return curation
        }
    }

    private mutating func number() {
        for index in order.indices { (order[index].position, order[index].isShown) = (index + 1, true) }
    }
}

/// The hidden and curated groups of a model version, by index.
///
/// The version may be days old; answers made from it must respect these newer decisions.
package struct SiteDecisions: Sendable, Equatable {
    /// The groups of the version that must not be shown, because they are private or hidden.
    package var hidden: Set<UInt32>
    /// The curated groups, shown now or at another time; nil means those of the version.
    package var curated: [CuratedGroup]?

    /// Decisions of a site that has changed nothing since the version was made.
    package static let asPublished = SiteDecisions(hidden: [], curated: nil)

    package init(hidden: Set<UInt32>, curated: [CuratedGroup]?) {
        self.hidden = hidden
        self.curated = curated
    }

    /// Translates decisions from external ids; groups that the version lacks are left out.
    ///
    /// - Parameter curations: the curated groups in their order; those with `isShown` false are left out.
    package init(hidden ids: some Sequence<String>, curations: [Curation], in model: ModelVersion) {
        hidden = Set(groups: ids, in: model)
        curated = curations.compactMap { curation in
            guard curation.isShown, let group = model.index(ofID: curation.groupID) else { return nil }
            return CuratedGroup(
                group: UInt32(group), position: UInt32(clamping: curation.position), startsAt: curation.startsAt,
                expiresAt: curation.expiresAt)
        }
    }

    package init(_ state: SiteState, in model: ModelVersion) {
        self.init(hidden: state.hidden.keys.lazy.map(\.text), curations: state.curations, in: model)
    }
}

extension Set<UInt32> {
    /// Translates external ids to the indexes of a version; groups that the version lacks are left out.
    package init(groups ids: some Sequence<String>, in model: ModelVersion) {
        self.init(ids.lazy.compactMap { model.index(ofID: $0).map(UInt32.init) })
    }
}
