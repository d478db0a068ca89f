import Catalog

/// What members do and say, kept in the catalog.
public final class MemberJournal: Sendable {
    /// Where it is noted what has changed.
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

    /// Makes a change; it is durable when this returns, and in every answer from then on.
    func apply(_ change: MemberChange) throws(ServiceError) -> MemberChange.Outcome {
        do {
            return try commits.apply(change)
        } catch { throw ServiceError(.directoryFailed, "the catalog cannot be written: \(error.message)") }
    }

    /// Interactions of a member in the order in which they were recorded; nil if there is none with the id `after`.
    func interactions(ofUser id: String, after: String?, limit: Int) throws(ServiceError) -> [InteractionRecord]? {
        try pool.read { catalog throws(CatalogError) in
            try catalog.interactions(ofUser: id, after: after, limit: limit)
        }
    }

    /// The stated interests of a member; none of one who is not known.
    func interests(ofUser id: String) throws(ServiceError) -> [String] {
        try pool.read { catalog throws(CatalogError) in try catalog.member(withID: id)?.interests ?? [] }
    }
}

extension MemberJournal: ChangeSource {
    /// Notes what has changed in the catalog other than through this journal.
    public func noteOutsideChanges(in changes: ChangeClock) { commits.noteOutsideChanges(in: changes) }
}
