import Catalog
public import Model
public import Recommendation
import Synchronization

/// Members and photos as the catalog has them right now.
public final class CatalogDirectory: MemberDirectory {
    /// What the site had decided at a state of the catalog.
    private struct Decisions {
        var version: VersionName
        var changeCount: Int64
        var hidden: Set<UInt32>
        var curated: [CuratedGroup]
    }

    private let pool: CatalogPool
    /// Of one connection, as each counts changes for itself.
    private let watchPool: CatalogPool
    private let seenRevision = SeenRevision()
    private let decisions = Mutex<Decisions?>(nil)

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

    /// Groups that are private or hidden by now.
    public func hiddenGroups(in snapshot: ModelSnapshot) throws(ServiceError) -> Set<UInt32> {
        try currentDecisions(in: snapshot).hidden
    }

    /// What the catalog says is put forward.
    public func curatedGroups(in snapshot: ModelSnapshot) throws(ServiceError) -> [CuratedGroup]? {
        try currentDecisions(in: snapshot).curated
    }

    /// They are looked up again when the catalog has changed.
    private func currentDecisions(in snapshot: ModelSnapshot) throws(ServiceError) -> Decisions {
        try pool.read { catalog throws(CatalogError) in
            // Before all else: what changes meanwhile is looked up by the next request.
            let changeCount = try catalog.changeCount()
            let known = decisions.withLock { $0 }
            if let known, known.version == snapshot.version, known.changeCount == changeCount { return known }
            let current = Decisions(
                version: snapshot.version, changeCount: changeCount,
                hidden: try catalog.unshownGroups(in: snapshot.model),
                curated: try catalog.curatedGroups(in: snapshot.model))
            decisions.withLock { $0 = current }
            return current
        }
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
