import CatalogStore
import MemberData
import Model
import Recommendation

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
