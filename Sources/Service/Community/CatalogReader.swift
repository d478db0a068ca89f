import Basics
import CatalogStore
import Model

/// Reads a catalog from several threads at a time.
final class CatalogReader: Sendable {
    let path: String
    private let connections: ConnectionPool<Facts, Failure>
    /// The connection that watches for changes; always the same one, because each connection counts changes separately.
    private let watch: ConnectionPool<Facts, Failure>
    private let seenRevision = LastSeen<Int64>()
    /// The missing groups by the revision of the groups, because the search for them takes a while.
    private let missing = DecisionCache<GroupRevision>()

    /// Opens the catalog in a file.
    ///
    /// - Throws: `Failure.general` if the file cannot be opened; its message says what to do.
    init(path: String) throws(Failure) {
        self.path = path
        do throws(Failure) {
            connections = try ConnectionPool { () throws(Failure) in try Facts(path: path) }
            watch = try ConnectionPool { () throws(Failure) in try Facts(path: path) }
        } catch { throw Failure(.general, error.message) }
    }

    /// Runs `body` with a connection that no other thread uses meanwhile.
    func read<Result>(_ body: (Facts) throws(Failure) -> Result) throws(Failure) -> Result {
        do throws(Failure) {
            return try connections.read(body)
        } catch { throw Failure(.databaseFailed, "the catalog cannot be read: \(error.message)") }
    }

    /// The reason why the open file is no longer the catalog, or nil; see `Facts.replacement`.
    var replacement: String? {
        let replacement = try? watch.read { catalog throws(Failure) in catalog.replacement }
        return replacement ?? nil
    }

    /// Makes all later reads open the file anew.
    func renew() {
        connections.renew()
        watch.renew()
    }

    /// Returns the number that grows with every change, and the changes of journals that are taken, at one moment.
    func state() throws(Failure) -> (changeCount: Int64, taken: AppliedChanges) {
        try read { catalog throws(Failure) in
            try catalog.snapshot { () throws(Failure) in (try catalog.changeCount(), try catalog.appliedChanges())
            }
        }
    }

    /// Returns the changes of journals that the catalog has taken.
    func taken() throws(Failure) -> AppliedChanges {
        try read { catalog throws(Failure) in try catalog.appliedChanges() }
    }

    /// Returns the site's decisions with those recorded since, and removed groups.
    func siteDecisions(
        in snapshot: ModelSnapshot, _ recorded: RecordedDecisions = RecordedDecisions(),
        beyond taken: AppliedChanges = .none
    ) throws(Failure) -> SiteDecisions {
        try read { catalog throws(Failure) in
            var found = try SiteDecisions(of: catalog, in: snapshot.model, recorded, beyond: taken)
            found.hidden.formUnion(try missingGroups(of: snapshot, in: catalog))
            return found
        }
    }

    /// Returns the groups of a version that have been removed from the catalog since the version was made.
    private func missingGroups(of snapshot: ModelSnapshot, in catalog: Facts) throws(Failure) -> Set<UInt32> {
        let revision = try catalog.groupRevision()
        guard revision.removals > 0 else { return [] }
        return try missing.decisions(in: snapshot.version, at: revision) { () throws(Failure) in
            SiteDecisions(hidden: try catalog.missingGroups(of: snapshot.model), curated: nil)
        }.hidden
    }

    /// Returns whether a group is public now, or nil if the catalog does not have it.
    func isPublic(group id: String) throws(Failure) -> Bool? {
        try read { catalog throws(Failure) in try catalog.isPublic(group: id) }
    }

    func hasPair(_ table: String, _ group: String, _ entry: String) throws(Failure) -> Bool {
        try read { catalog throws(Failure) in try catalog.hasPair(table, ofGroup: group, entry) }
    }

    /// Returns the reason why a group of a version is not shown.
    func concealment(ofGroup id: String) throws(Failure) -> Concealment {
        let group = try read { catalog throws(Failure) in try catalog.group(withID: id) }
        return group.map { Concealment($0.visibility) ?? .hidden } ?? .removed
    }

    /// Notes a change of the catalog since the last call, by any process.
    func noteChanges(in changes: ChangeClock) {
        if (try? watch.read { catalog throws(Failure) in catalog.isOutdated }) == true {
            renew()
            changes.everythingChanged()
        }
        let revision = try? watch.read { catalog throws(Failure) in try catalog.outsideRevision() }
        if seenRevision.isNew(revision) { changes.everythingChanged() }
    }
}
