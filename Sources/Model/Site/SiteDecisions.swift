/// What the site has decided, in terms of a model version, which may be days old: what answers made from the version
/// must respect.
public struct SiteDecisions: Sendable, Equatable {
    /// Groups of the version that nobody may be shown: private or hidden ones.
    public var hidden: Set<UInt32>
    /// Groups of the version that are put forward now or at another time; nil: as the version says.
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
