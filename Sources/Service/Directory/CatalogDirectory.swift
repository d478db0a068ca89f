import CatalogStore
import Model
public import Recommendation

/// Members and photos as the catalog has them right now.
public final class CatalogDirectory: MemberDirectory {
    private let pool: CatalogPool
    /// Of one connection, as each counts changes for itself.
    private let watchPool: CatalogPool
    private let seenRevision = SeenRevision()
    private let decisions = KeptDecisions<Int64>()

    /// The catalog in a file.
    ///
    /// - Throws: `ServiceError.startFailed` if it cannot be opened, with what to do.
    public init(path: String) throws(ServiceError) {
        pool = try CatalogPool(path: path)
        watchPool = try CatalogPool(path: path)
    }

    /// True.
    public var knowsPhotos: Bool { true }

    /// The groups the user is a member of, stated interests, and what the user did since.
    public func profile(ofUser id: String, in snapshot: ModelSnapshot, atMilliseconds instant: Int64)
        throws(ServiceError) -> MemberProfile?
    {
        try pool.read { catalog throws(CatalogError) in
            try MemberProfile(ofUser: id, from: catalog, for: snapshot.planner, atMilliseconds: instant)
        }
    }

    /// What the catalog has; looked up again when the catalog has changed.
    public func siteDecisions(in snapshot: ModelSnapshot) throws(ServiceError) -> SiteDecisions {
        try pool.read { catalog throws(CatalogError) in
            try decisions.decisions(in: snapshot.version, at: try catalog.changeCount()) {
                () throws(CatalogError) in
                try SiteDecisions(of: catalog, in: snapshot.model)
            }
        }
    }

    /// A number that grows with every change of what the catalog has decided.
    func changeCount() throws(ServiceError) -> Int64 {
        try pool.read { catalog throws(CatalogError) in try catalog.changeCount() }
    }

    /// Notes that the catalog has changed, whoever has changed it.
    public func noteOutsideChanges(in changes: ChangeClock) {
        let revision = try? watchPool.read { catalog throws(CatalogError) in try catalog.outsideRevision() }
        seenRevision.note(revision, in: changes)
    }

    /// Users whose ids stand next to it.
    public func userIDs(near id: String) throws(ServiceError) -> [String] {
        try pool.read { catalog throws(CatalogError) in try catalog.idsNear(id, in: .users, limit: 3) }
    }

    /// What is known of a public photo.
    public func context(ofPhoto id: String, in snapshot: ModelSnapshot) throws(ServiceError) -> PhotoContext? {
        let photo = try pool.read { catalog throws(CatalogError) in try catalog.photo(withID: id) }
        guard let photo, photo.visibility == .public else { return nil }
        return PhotoContext(photo, in: snapshot.model)
    }
}
