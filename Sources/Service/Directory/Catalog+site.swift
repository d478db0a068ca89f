public import Catalog
public import Model

/// What the site decided since a version was built: the catalog knows better than a version that is days old.
extension Catalog {
    /// Groups of a version that are private or hidden by now.
    public func unshownGroups(in model: ModelVersion) throws(CatalogError) -> Set<UInt32> {
        Set(try unshownGroupIDs().compactMap { model.index(ofID: $0).map(UInt32.init) })
    }

    /// Groups of a version that are put forward by now, earlier or later.
    public func curatedGroups(in model: ModelVersion) throws(CatalogError) -> [CuratedGroup] {
        try curations().compactMap { CuratedGroup($0, in: model) }
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
