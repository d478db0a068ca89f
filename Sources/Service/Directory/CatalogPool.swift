import Catalog
import Synchronization

/// Connections for reading one catalog, as many as there are readers at a time.
final class CatalogPool: Sendable {
    /// A connection that belongs to whoever has taken it from the pool.
    private struct Connection: @unchecked Sendable {
        let catalog: Catalog
    }

    private let path: String
    // Never more than there are requests under way at a time, that is, threads of the server.
    private let idle: Mutex<[Connection]>

    /// The catalog in a file.
    ///
    /// - Throws: `ServiceError.startFailed` if it cannot be opened, with what to do.
    init(path: String) throws(ServiceError) {
        self.path = path
        do {
            idle = Mutex([Connection(catalog: try Catalog(path: path, mode: .reading))])
        } catch {
            throw ServiceError(.startFailed, error.message)
        }
    }

    /// Runs `body` with a connection that nobody else uses meanwhile.
    func read<Result>(_ body: (Catalog) throws(CatalogError) -> Result) throws(ServiceError) -> Result {
        do throws(CatalogError) {
            let connection = try take()
            // A connection that failed is let go: the next one is opened afresh.
            let result = try body(connection.catalog)
            idle.withLock { $0.append(connection) }
            return result
        } catch {
            throw ServiceError(.directoryFailed, "the catalog cannot be read: \(error.message)")
        }
    }

    private func take() throws(CatalogError) -> Connection {
        if let connection = idle.withLock({ $0.popLast() }) { return connection }
        return Connection(catalog: try Catalog(path: path, mode: .reading))
    }
}
