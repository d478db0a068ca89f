import CatalogStore
import MemberData
import Model
import Recommendation

/// Members, photos and decisions as the catalog has them right now; changes are committed to the catalog.
final class CatalogSource: CommunitySource {
    let changes: ChangeClock
    private let reader: CatalogReader
    /// Nil if the catalog can only be read.
    private let commits: GroupCommit?

    /// The catalog in a file.
    ///
    /// - Parameters:
    ///   - changes: where changes are noted.
    ///   - patience: how long a request waits for its commit.
    /// - Throws: `ServiceError.startFailed` if it cannot be opened, with what to do.
    init(path: String, changes: ChangeClock = ChangeClock(), patience: Duration = .seconds(2)) throws(ServiceError) {
        self.changes = changes
        reader = try CatalogReader(path: path)
        guard Catalog.isWritable(path) else {
            commits = nil
            return
        }
        do {
            commits = GroupCommit(try Catalog(path: path, mode: .recording), changes: changes, patience: patience)
        } catch { throw ServiceError(.startFailed, error.message) }
    }

    var knowsPhotos: Bool { true }

    /// The groups the user is a member of, stated interests, and what the user did since.
    func profile(ofUser id: String, in snapshot: VisibleSnapshot, atMilliseconds instant: Int64) throws(ServiceError)
        -> MemberProfile?
    {
        try reader.read { catalog throws(CatalogError) in
            try MemberProfile(ofUser: id, from: catalog, for: snapshot.planner, atMilliseconds: instant)
        }
    }

    func isForgotten(user id: String) throws(ServiceError) -> Bool { try reader.isForgotten(user: id) }

    func siteDecisions(in snapshot: ModelSnapshot) throws(ServiceError) -> SiteDecisions {
        try reader.siteDecisions(in: snapshot)
    }

    func context(ofPhoto id: String, in model: VisibleModel) throws(ServiceError) -> PhotoContext? {
        try reader.context(ofPhoto: id, in: model)
    }

    /// Commits the change, together with others that wait.
    func apply(_ change: CatalogChange) throws(ServiceError) -> CatalogChange.Outcome {
        guard let commits else {
            throw ServiceError(.catalogFailed, "the catalog can only be read: nothing that members do is recorded")
        }
        do {
            return try commits.apply(change)
        } catch { throw ServiceError(.catalogFailed, "the catalog cannot be written: \(error.message)") }
    }

    func interactions(ofUser id: String, after: String?, limit: Int) throws(ServiceError) -> [InteractionRecord]? {
        try reader.read { catalog throws(CatalogError) in
            try catalog.interactions(ofUser: id, after: after, limit: limit)
        }
    }

    func interests(ofUser id: String) throws(ServiceError) -> [String] {
        try reader.read { catalog throws(CatalogError) in try catalog.member(withID: id)?.interests ?? [] }
    }

    func hiddenGroups(after: String?, limit: Int) throws(ServiceError) -> [HiddenGroup] {
        try reader.read { catalog throws(CatalogError) in try catalog.hiddenGroups(after: after, limit: limit) }
    }

    func curations() throws(ServiceError) -> [Curation] {
        try reader.read { catalog throws(CatalogError) in try catalog.curations() }
    }

    /// Notes what was changed in the catalog other than through this source.
    func noteOutsideChanges() {
        if let commits { commits.noteOutsideChanges() } else { reader.noteChanges(in: changes) }
    }
}
