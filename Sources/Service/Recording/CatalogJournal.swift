public import CatalogStore

/// A journal that is the catalog itself.
public final class CatalogJournal: Journal {
    /// Where it notes what has changed.
    public let changes: ChangeClock
    private let pool: CatalogPool
    private let commits: GroupCommit

    /// The journal of a catalog in a file.
    ///
    /// - Parameters:
    ///   - changes: where changes are noted, once they are made and before it is said that they are.
    ///   - patience: how long a request waits for its commit.
    /// - Throws: `ServiceError.startFailed` if it cannot be opened for writing, with what to do.
    public init(
        path: String, changes: ChangeClock = ChangeClock(), patience: Duration = .seconds(2)
    ) throws(ServiceError) {
        self.changes = changes
        pool = try CatalogPool(path: path)
        do {
            commits = GroupCommit(try Catalog(path: path, mode: .recording), changes: changes, patience: patience)
        } catch { throw ServiceError(.startFailed, error.message) }
    }

    /// Commits the change, together with others that wait.
    public func apply(_ change: CatalogChange) throws(ServiceError) -> CatalogChange.Outcome {
        do {
            return try commits.apply(change)
        } catch { throw ServiceError(.directoryFailed, "the catalog cannot be written: \(error.message)") }
    }

    /// What the catalog has of the member.
    public func interactions(ofUser id: String, after: String?, limit: Int) throws(ServiceError)
        -> [InteractionRecord]?
    {
        try pool.read { catalog throws(CatalogError) in
            try catalog.interactions(ofUser: id, after: after, limit: limit)
        }
    }

    /// What the catalog has of the member.
    public func interests(ofUser id: String) throws(ServiceError) -> [String] {
        try pool.read { catalog throws(CatalogError) in try catalog.member(withID: id)?.interests ?? [] }
    }

    /// What the catalog has.
    public func hiddenGroups(after: String?, limit: Int) throws(ServiceError) -> [HiddenGroup] {
        try pool.read { catalog throws(CatalogError) in try catalog.hiddenGroups(after: after, limit: limit) }
    }

    /// What the catalog has.
    public func curations() throws(ServiceError) -> [Curation] {
        try pool.read { catalog throws(CatalogError) in try catalog.curations() }
    }

    /// Notes what has changed in the catalog other than through this journal.
    public func noteOutsideChanges(in changes: ChangeClock) { commits.noteOutsideChanges(in: changes) }
}
