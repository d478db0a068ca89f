import CatalogStore
import Model
import Recommendation
import Synchronization

/// Reads a catalog from several threads at a time.
final class CatalogReader: Sendable {
    private let connections: ConnectionPool<Catalog, CatalogError>
    /// Always the same connection: each counts changes for itself.
    private let watch: ConnectionPool<Catalog, CatalogError>
    private let seenRevision = SeenRevision()
    private let decisions = DecisionCache<Int64>()
    /// Which groups are missing, for as long as none was added or removed: to look for them takes a while.
    private let missing = DecisionCache<GroupRevision>()

    /// The catalog in a file.
    ///
    /// - Throws: `ServiceError.startFailed` if it cannot be opened, with what to do.
    init(path: String) throws(ServiceError) {
        do throws(CatalogError) {
            connections = try ConnectionPool { () throws(CatalogError) in try Catalog(path: path, mode: .reading) }
            watch = try ConnectionPool { () throws(CatalogError) in try Catalog(path: path, mode: .reading) }
        } catch { throw ServiceError(.startFailed, error.message) }
    }

    /// Runs `body` with a connection that nobody else uses meanwhile.
    func read<Result>(_ body: (Catalog) throws(CatalogError) -> Result) throws(ServiceError) -> Result {
        do throws(CatalogError) {
            return try connections.read(body)
        } catch { throw ServiceError(.catalogFailed, "the catalog cannot be read: \(error.message)") }
    }

    /// Opens the file anew for all reads to come.
    func renew() {
        connections.renew()
        watch.renew()
    }

    /// What the site has decided; looked up again when the catalog has changed.
    func siteDecisions(in snapshot: ModelSnapshot) throws(ServiceError) -> SiteDecisions {
        try read { catalog throws(CatalogError) in
            try decisions.decisions(in: snapshot.version, at: try catalog.changeCount()) {
                () throws(CatalogError) in
                var found = try SiteDecisions(of: catalog, in: snapshot.model)
                found.hidden.formUnion(try missingGroups(of: snapshot, in: catalog))
                return found
            }
        }
    }

    /// The groups of a version that were removed from the catalog since it was made.
    private func missingGroups(of snapshot: ModelSnapshot, in catalog: Catalog) throws(CatalogError) -> Set<UInt32> {
        let revision = try catalog.groupRevision()
        guard revision.removals > 0 else { return [] }
        return try missing.decisions(in: snapshot.version, at: revision) { () throws(CatalogError) in
            SiteDecisions(hidden: try catalog.missingGroups(of: snapshot.model), curated: nil)
        }.hidden
    }

    /// A number that grows with every change of what the site has decided.
    func changeCount() throws(ServiceError) -> Int64 {
        try read { catalog throws(CatalogError) in try catalog.changeCount() }
    }

    /// Whether the catalog has forgotten a user.
    func isForgotten(user id: String) throws(ServiceError) -> Bool {
        try read { catalog throws(CatalogError) in try catalog.isForgotten(user: id) }
    }

    /// Whether a group is public by now; nil if the catalog does not have it.
    func isPublic(group id: String) throws(ServiceError) -> Bool? {
        try read { catalog throws(CatalogError) in try catalog.group(withID: id).map { $0.visibility == .public } }
    }

    /// What is known of a public photo.
    func context(ofPhoto id: String, in model: VisibleModel) throws(ServiceError) -> PhotoContext? {
        let photo = try read { catalog throws(CatalogError) in try catalog.photo(withID: id) }
        guard let photo, photo.visibility == .public else { return nil }
        return PhotoContext(photo, in: model)
    }

    /// Notes whether the catalog has changed since the last call, by whomever.
    func noteChanges(in changes: ChangeClock) {
        let revision = try? watch.read { catalog throws(CatalogError) in try catalog.outsideRevision() }
        seenRevision.note(revision, in: changes)
    }
}

/// Connections for reading, as many as there are readers at a time.
final class ConnectionPool<Reader, Failure: Error>: Sendable {
    /// A connection that belongs to whoever has taken it from the pool.
    private struct Connection: @unchecked Sendable {
        let reader: Reader
        let generation: Int
    }

    private struct Pool {
        // Never more than there are requests under way at a time, that is, threads that make answers.
        var idle: [Connection]
        var generation = 0
    }

    private let open: @Sendable () throws(Failure) -> Reader
    private let pool: Mutex<Pool>

    /// A pool with one connection, so that a failure to open one is found at once.
    init(_ open: @escaping @Sendable () throws(Failure) -> Reader) throws(Failure) {
        self.open = open
        pool = Mutex(Pool(idle: [Connection(reader: try open(), generation: 0)]))
    }

    /// Runs `body` with a connection that nobody else uses meanwhile.
    func read<Result>(_ body: (Reader) throws(Failure) -> Result) throws(Failure) -> Result {
        let (kept, generation) = pool.withLock { ($0.idle.popLast(), $0.generation) }
        let connection = if let kept { kept } else { Connection(reader: try open(), generation: generation) }
        // A connection that failed is dropped: the next one is opened anew.
        let result = try body(connection.reader)
        pool.withLock { if $0.generation == connection.generation { $0.idle.append(connection) } }
        return result
    }

    /// Makes all reads from now on use connections that are opened from now on.
    func renew() {
        // Those that are idle are closed after the lock is released.
        _ = pool.withLock { pool in
            defer { pool = Pool(idle: [], generation: pool.generation + 1) }
            return pool.idle
        }
    }
}

/// The site's decisions in terms of versions, kept until their source has changed.
final class DecisionCache<State: Equatable & Sendable>: Sendable {
    private struct Entry {
        let version: VersionName
        let state: State
        let decisions: SiteDecisions
    }

    /// The most versions whose decisions are kept: experiments make lists from more than one.
    private static var limit: Int { 8 }

    /// The one kept last comes last.
    private let entries = Mutex<[Entry]>([])

    /// The decisions in terms of a version, looked up unless they are known for this very state.
    ///
    /// - Parameters:
    ///   - state: of the source, read before all else, so that a change made during the look-up shows in the next
    ///     request; a state never comes again once it has changed.
    ///   - lookUp: reads the decisions, as they are at that state or later.
    func decisions<Failure: Error>(
        in version: VersionName, at state: State, orLookUp lookUp: () throws(Failure) -> SiteDecisions
    ) throws(Failure) -> SiteDecisions {
        let kept = entries.withLock { entries in
            entries.first { $0.version == version && $0.state == state }?.decisions
        }
        if let kept { return kept }
        let decisions = try lookUp()
        entries.withLock { entries in
            entries.removeAll { $0.version == version || $0.state != state }
            if entries.count == Self.limit { entries.removeFirst() }
            entries.append(Entry(version: version, state: state, decisions: decisions))
        }
        return decisions
    }
}
