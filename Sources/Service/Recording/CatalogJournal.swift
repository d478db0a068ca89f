public import Catalog

/// A journal that is the catalog itself.
public final class CatalogJournal: Journal {
    private let pool: CatalogPool
    private let commits: GroupCommit

    /// The journal of a catalog in a file.
    ///
    /// - Parameter patience: how long a request waits for its commit.
    /// - Throws: `ServiceError.startFailed` if it cannot be opened for writing, with what to do.
    public init(path: String, patience: Duration = .seconds(2)) throws(ServiceError) {
        pool = try CatalogPool(path: path)
        do {
            commits = GroupCommit(try Catalog(path: path, mode: .recording), patience: patience)
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
}
