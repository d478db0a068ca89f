public import CatalogStore
public import Model

/// What the site has decided by now, in terms of a model version, which may be days old.
public struct SiteDecisions: Sendable, Equatable {
    /// Groups of the version that nobody may be shown: private or hidden ones.
    public var hidden: Set<UInt32>
    /// Groups of the version that are put forward, earlier or later; nil: as the version says.
    public var curated: [CuratedGroup]?

    /// What only the version knows.
    static let asPublished = SiteDecisions(hidden: [], curated: nil)

    /// Decisions.
    init(hidden: Set<UInt32>, curated: [CuratedGroup]?) {
        self.hidden = hidden
        self.curated = curated
    }

    /// What the catalog has; without one, what only the version knows.
    public init(of catalog: Catalog?, in model: ModelVersion) throws(CatalogError) {
        guard let catalog else {
            self = .asPublished
            return
        }
        hidden = Set(groups: try catalog.unshownGroupIDs(), in: model)
        curated = try catalog.curations().compactMap { CuratedGroup($0, in: model) }
    }
}

extension Set<UInt32> {
    /// Groups in terms of a model version; those that it does not have are left out.
    init(groups ids: some Sequence<String>, in model: ModelVersion) {
        self.init(ids.lazy.compactMap { model.index(ofID: $0).map(UInt32.init) })
    }
}

extension CuratedGroup {
    /// A curation in terms of a model version; nil if its group is not shown, or the version does not have it.
    init?(_ curation: Curation, in model: ModelVersion) {
        guard curation.isShown, let group = model.index(ofID: curation.groupID) else { return nil }
        self.init(
            group: UInt32(group), position: UInt32(clamping: curation.position), startsAt: curation.startsAt,
            expiresAt: curation.expiresAt)
    }
}
