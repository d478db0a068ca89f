import Catalog
public import Recommendation
import Synchronization

/// Memberships and photos as the catalog has them right now.
public final class CatalogDirectory: MemberDirectory {
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
    public init(path: String) throws(ServiceError) {
        self.path = path
        do {
            idle = Mutex([Connection(catalog: try Catalog(path: path, mode: .reading))])
        } catch {
            throw ServiceError(.startFailed, error.message)
        }
    }

    /// True.
    public var knowsPhotos: Bool { true }

    /// The groups the user is a member of, and stated interests.
    public func profile(ofUser id: String, in snapshot: ModelSnapshot) throws(ServiceError) -> MemberProfile? {
        let member = try read { catalog throws(CatalogError) in try catalog.member(withID: id) }
        return member.map { MemberProfile($0, in: snapshot.model) }
    }

    /// Users whose ids stand next to it.
    public func userIDs(near id: String) throws(ServiceError) -> [String] {
        try read { catalog throws(CatalogError) in try catalog.idsNear(id, in: .users, limit: 3) }
    }

    /// What is known of a public photo.
    public func context(ofPhoto id: String, in snapshot: ModelSnapshot) throws(ServiceError) -> PhotoContext? {
        let photo = try read { catalog throws(CatalogError) in try catalog.photo(withID: id) }
        guard let photo, photo.visibility == .public else { return nil }
        return PhotoContext(photo, in: snapshot.model)
    }

    private func take() throws(CatalogError) -> Connection {
        if let connection = idle.withLock({ $0.popLast() }) { return connection }
        return Connection(catalog: try Catalog(path: path, mode: .reading))
    }

    /// Runs `body` with a connection that nobody else uses meanwhile.
    private func read<Result>(_ body: (Catalog) throws(CatalogError) -> Result) throws(ServiceError) -> Result {
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
}
