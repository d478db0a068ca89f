import Catalog
public import Recommendation

/// Members and photos as the catalog has them right now.
public final class CatalogDirectory: MemberDirectory {
    private let pool: CatalogPool

    /// The catalog in a file.
    ///
    /// - Throws: `ServiceError.startFailed` if it cannot be opened, with what to do.
    public init(path: String) throws(ServiceError) { pool = try CatalogPool(path: path) }

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
