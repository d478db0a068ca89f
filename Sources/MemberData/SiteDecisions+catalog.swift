public import CatalogStore
public import Model

extension SiteDecisions {
    /// What the catalog has, in terms of a model version; without a catalog, what the version was published with.
    public init(of catalog: Catalog?, in model: ModelVersion) throws(CatalogError) {
        guard let catalog else {
            self = .asPublished
            return
        }
        self.init(hidden: try catalog.unshownGroupIDs(), curations: try catalog.curations(), in: model)
    }
}
