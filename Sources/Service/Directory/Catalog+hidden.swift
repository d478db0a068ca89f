public import Catalog
public import Model

extension Catalog {
    /// Groups of a version that are private or hidden by now: the catalog knows better than a version that is days old.
    public func unshownGroups(in model: ModelVersion) throws(CatalogError) -> Set<UInt32> {
        Set(try unshownGroupIDs().compactMap { model.index(ofID: $0).map(UInt32.init) })
    }
}
