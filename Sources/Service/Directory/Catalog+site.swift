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
        try curations().filter(\.isShown).compactMap { curation in
            model.index(ofID: curation.groupID).map { group in
                CuratedGroup(
                    group: UInt32(group), position: UInt32(clamping: curation.position), startsAt: curation.startsAt,
                    expiresAt: curation.expiresAt)
            }
        }
    }
}
