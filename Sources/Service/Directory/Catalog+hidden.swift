public import Catalog
public import Model

extension Catalog {
    /// Groups of a version that are private by now: the catalog knows better than a version that is days old.
    public func privateGroups(in model: ModelVersion) throws(CatalogError) -> Set<UInt32> {
        Set(try privateGroupIDs().compactMap { model.index(ofID: $0).map(UInt32.init) })
    }
}
