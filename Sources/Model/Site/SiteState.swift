/// A group that is hidden.
public struct HiddenGroup: Codable, Sendable, Equatable {
    /// The group's external id.
    public var id: String
    /// Since when, in Unix milliseconds.
    public var hiddenAtMilliseconds: Int64

    /// A group.
    public init(id: String, hiddenAtMilliseconds: Int64) {
        self.id = id
        self.hiddenAtMilliseconds = hiddenAtMilliseconds
    }
}

/// A group that the site has curated.
public struct Curation: Sendable, Equatable {
    /// The group's external id.
    public var groupID: String
    /// Whether the group is public and not hidden; others are not shown as curated.
    public var isShown: Bool
    /// Its position among all curated groups, from 1 on, without gaps.
    public var position: Int
    /// From when on it is shown as curated, in Unix seconds, inclusive; nil: always.
    public var startsAt: Int64?
    /// Until when, in Unix seconds, exclusive; nil: for ever.
    public var expiresAt: Int64?

    /// A curation.
    public init(groupID: String, isShown: Bool, position: Int, startsAt: Int64? = nil, expiresAt: Int64? = nil) {
        self.groupID = groupID
        self.isShown = isShown
        self.position = position
        self.startsAt = startsAt
        self.expiresAt = expiresAt
    }

    /// Whether it is shown as curated at an instant, in Unix seconds.
    public func isValid(at unixSeconds: Int64) -> Bool {
        isShown && startsAt.map { $0 <= unixSeconds } ?? true && expiresAt.map { unixSeconds < $0 } ?? true
    }
}

/// What the site has decided so far, by external ids: the sum of its changes.
///
/// The catalog keeps it in tables; a daemon with a journal computes it from what a version was published with and the
/// changes made since. What a change does, and in which order curated groups stand, is decided in `apply` for both.
public struct SiteState: Sendable, Equatable {
    /// Hidden groups, and since when each is, in Unix milliseconds.
    public private(set) var hidden: [BytewiseString: Int64]
    /// The curated groups, in their order; the position and whether one is shown follow from the rest.
    private var order: [Curation]

    /// A state.
    ///
    /// - Parameter curations: in their order; they are numbered anew.
    public init(hidden: some Sequence<HiddenGroup> = EmptyCollection(), curations: [Curation] = []) {
        self.hidden = Dictionary(
            hidden.map { (BytewiseString($0.id), $0.hiddenAtMilliseconds) }, uniquingKeysWith: { first, _ in first })
        order = curations
        number()
    }

    /// What a version was published with.
    public init(_ manifest: Manifest, _ model: ModelVersion) {
        self.init(
            hidden: manifest.hiddenGroups ?? [],
            curations: model.curated.map { curated in
                Curation(
                    groupID: model.id(of: Int(curated.group)), isShown: true, position: 0, startsAt: curated.startsAt,
                    expiresAt: curated.expiresAt)
            })
    }

    /// Makes a change.
    ///
    /// Whether the group exists, and may be curated, is for the caller to check.
    ///
    /// - Returns: `changed`, `unchanged`, or `expiresBeforeStart`.
    public mutating func apply(_ change: SiteChange) -> SiteChange.Outcome {
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

    /// Hidden groups in ascending order of the bytes of their ids.
    public var hiddenGroups: [HiddenGroup] {
        hidden.map { HiddenGroup(id: $0.key.text, hiddenAtMilliseconds: $0.value) }
            .sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
    }

    /// The curated groups, in their order, numbered from 1 on; hidden ones are not shown.
    public var curations: [Curation] {
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

/// What the site has decided, in terms of a model version, which may be days old: what answers made from the version
/// must respect.
public struct SiteDecisions: Sendable, Equatable {
    /// Groups of the version that nobody may be shown: private or hidden ones.
    public var hidden: Set<UInt32>
    /// Curated groups of the version, shown now or at another time; nil: as the version says.
    public var curated: [CuratedGroup]?

    /// No decisions since the version was made.
    public static let asPublished = SiteDecisions(hidden: [], curated: nil)

    /// Decisions.
    public init(hidden: Set<UInt32>, curated: [CuratedGroup]?) {
        self.hidden = hidden
        self.curated = curated
    }

    /// Decisions by external ids; groups that the version does not have are left out.
    ///
    /// - Parameter curations: in their order; those that are not shown are left out.
    public init(hidden ids: some Sequence<String>, curations: [Curation], in model: ModelVersion) {
        hidden = Set(groups: ids, in: model)
        curated = curations.compactMap { curation in
            guard curation.isShown, let group = model.index(ofID: curation.groupID) else { return nil }
            return CuratedGroup(
                group: UInt32(group), position: UInt32(clamping: curation.position), startsAt: curation.startsAt,
                expiresAt: curation.expiresAt)
        }
    }

    /// A state in terms of a version.
    public init(_ state: SiteState, in model: ModelVersion) {
        self.init(hidden: state.hidden.keys.lazy.map(\.text), curations: state.curations, in: model)
    }
}

extension Set<UInt32> {
    /// Groups in terms of a model version; those that it does not have are left out.
    public init(groups ids: some Sequence<String>, in model: ModelVersion) {
        self.init(ids.lazy.compactMap { model.index(ofID: $0).map(UInt32.init) })
    }
}
