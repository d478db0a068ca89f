import CatalogStore

/// Connections for reading one catalog.
struct CatalogPool {
    private let readers: ReaderPool<Catalog, CatalogError>

    /// The catalog in a file.
    ///
    /// - Throws: `ServiceError.startFailed` if it cannot be opened, with what to do.
    init(path: String) throws(ServiceError) {
        do throws(CatalogError) {
            readers = try ReaderPool { () throws(CatalogError) in try Catalog(path: path, mode: .reading) }
        } catch { throw ServiceError(.startFailed, error.message) }
    }

    /// Runs `body` with a connection that nobody else uses meanwhile.
    func read<Result>(_ body: (Catalog) throws(CatalogError) -> Result) throws(ServiceError) -> Result {
        do throws(CatalogError) {
            return try readers.read(body)
        } catch { throw ServiceError(.directoryFailed, "the catalog cannot be read: \(error.message)") }
    }
}
