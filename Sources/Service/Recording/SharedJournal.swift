import CatalogStore
import Model
import ModelStore
import SQLite
import Synchronization

/// The journal of a daemon without a catalog, one of several on one store: a file of its own first, then a stream that all
/// of them follow and the next recompute takes over.
final class SharedJournal: Journal {
    let changes: ChangeClock
    /// Held for as long as the journal is used: two daemons on one would be taken for one by the others.
    private struct Lock: @unchecked Sendable {
        let database: Database
    }

    private let lock: Lock
    private let readers: ReaderPool<ChangeJournal, CatalogError>
    private let commits: GroupCommit
    private let decisions: SiteDecisionLog
    /// The version that serves.
    private let snapshot: @Sendable () -> ModelSnapshot?
    /// The newest version of the store.
    private let newest: @Sendable () -> Manifest?

    /// Opens the journal.
    ///
    /// - Parameters:
    ///   - snapshot: the version that serves, which knows which groups there are.
    ///   - newest: of the newest version of the store, which knows best what was hidden when it was made; nil if that is
    ///     not known.
    ///   - now: the time, in Unix milliseconds.
    ///   - patience: how long a request waits for its commit.
    /// - Throws: `ServiceError.startFailed` if the file cannot be written, with what to do.
    init(
        path: String, changes: ChangeClock, snapshot: @escaping @Sendable () -> ModelSnapshot?,
        newest: @escaping @Sendable () -> Manifest? = { nil }, now: @escaping @Sendable () -> Int64,
        patience: Duration = .seconds(2)
    ) throws(ServiceError) {
        self.changes = changes
        self.snapshot = snapshot
        self.newest = newest
        lock = try Self.lock(path)
        do throws(CatalogError) {
            let writer = try ChangeJournal(path: path, mode: .recording)
            decisions = SiteDecisionLog(try writer.siteChanges())
            commits = GroupCommit(
                JournalWriter(journal: writer, decisions: decisions, now: now), changes: changes, patience: patience)
            readers = try ReaderPool { () throws(CatalogError) in try ChangeJournal(path: path, mode: .reading) }
        } catch { throw ServiceError(.startFailed, error.message) }
    }

    private static func lock(_ path: String) throws(ServiceError) -> Lock {
        do throws(DatabaseError) {
            // It ends with the process, however that ends.
            let database = try Database(path: path + "-lock", mode: .create, busyTimeoutSeconds: 0)
            try database.execute("BEGIN EXCLUSIVE")
            return Lock(database: database)
        } catch {
            throw ServiceError(
                .startFailed,
                error.isBusy
                    ? "another daemon has the journal \(path): each needs one of its own, named with --journal"
                    : "the journal \(path) cannot be locked: \(error.message); name another with --journal")
        }
    }

    func apply(_ change: CatalogChange) throws(ServiceError) -> CatalogChange.Outcome {
        guard let snapshot = snapshot() else {
            throw ServiceError(.directoryFailed, "no version is loaded that would say which groups there are")
        }
        if let refusal = refusal(of: change, in: snapshot) { return refusal }
        do {
            return try commits.apply(change)
        } catch { throw ServiceError(.directoryFailed, "the journal cannot be written: \(error.message)") }
    }

    /// What comes of a change that is not to be made; nil if it is.
    private func refusal(of change: CatalogChange, in snapshot: ModelSnapshot) -> CatalogChange.Outcome? {
        let hidden = hidden(in: snapshot)
        func exists(_ id: String) -> Bool { snapshot.model.index(ofID: id) != nil }
        switch change {
        case .member(let change):
            guard case .record(let interactions) = change.action,
                let place = interactions.firstIndex(where: {
                    !exists($0.groupID) || hidden[BytewiseString($0.groupID)] != nil
                })
            else { return nil }
            return .member(.unknownGroup(at: place))
        case .site(let change):
            // What was hidden when the version was made, it does not have.
            let isHidden = hidden[BytewiseString(change.groupID)] != nil
            guard exists(change.groupID) || isHidden else { return .site(.unknownGroup) }
            switch change.action {
            case .hide: return isHidden ? .site(.unchanged) : nil
            case .unhide: return isHidden ? nil : .site(.unchanged)
            case .curate(_, let startsAt, let expiresAt):
                guard let startsAt, let expiresAt, expiresAt <= startsAt else { return nil }
                return .site(.expiresBeforeStart)
            case .uncurate:
                return curations(in: snapshot).contains { $0.groupID.hasSameBytes(as: change.groupID) }
                    ? nil : .site(.unchanged)
            }
        }
    }

    /// Those that are known here: since about the earliest version that the store has.
    func interactions(ofUser id: String, after: String?, limit: Int) throws(ServiceError) -> [InteractionRecord]? {
        try read { journal throws(CatalogError) in try journal.interactions(ofUser: id, after: after, limit: limit) }
    }

    func interests(ofUser id: String) throws(ServiceError) -> [String] {
        let snapshot = snapshot()
        if let interests = try member(withID: id, beyond: snapshot)?.interests { return interests }
        do throws(StoreError) {
            return try snapshot?.members?.member(withID: id)?.feedback.interests ?? []
        } catch { throw ServiceError(.directoryFailed, error.message) }
    }

    func hiddenGroups(after: String?, limit: Int) throws(ServiceError) -> [HiddenGroup] {
        guard let snapshot = snapshot() else { return [] }
        let groups = hidden(in: snapshot).map {
            HiddenGroup(groupID: $0.key.text, hiddenAtMilliseconds: $0.value)
        }
        func precedes(_ one: String, _ other: String) -> Bool { one.utf8.lexicographicallyPrecedes(other.utf8) }
        return groups.filter { group in after.map { precedes($0, group.groupID) } ?? true }
            .sorted { precedes($0.groupID, $1.groupID) }.prefix(limit).map(\.self)
    }

    func curations() throws(ServiceError) -> [Curation] { snapshot().map { curations(in: $0) } ?? [] }

    /// What is put forward by now: what the version has, and what was decided since.
    func curations(in snapshot: ModelSnapshot) -> [Curation] {
        let hidden = hidden(in: snapshot)
        let ofVersion = snapshot.model.curated.map { curated in
            Curation(
                groupID: snapshot.model.id(of: Int(curated.group)), isShown: true, position: Int(curated.position),
                startsAt: curated.startsAt, expiresAt: curated.expiresAt)
        }
        return decisions.curations(ofVersion, since: snapshot.manifest).enumerated().map { place, curation in
            var curation = curation
            curation.position = place + 1
            curation.isShown = hidden[BytewiseString(curation.groupID)] == nil
            return curation
        }
    }

    /// What the site has decided by now, in terms of a version.
    func siteDecisions(in snapshot: ModelSnapshot) -> SiteDecisions {
        SiteDecisions(
            hidden: Set(groups: hidden(in: snapshot).keys.lazy.map(\.text), in: snapshot.model),
            curated: curations(in: snapshot).compactMap { CuratedGroup($0, in: snapshot.model) })
    }

    /// The ids of hidden groups, and since when each is, in Unix milliseconds.
    ///
    /// After a rollback an older version serves: what was hidden in the catalog since it was made, a newer one knows.
    private func hidden(in snapshot: ModelSnapshot) -> [BytewiseString: Int64] {
        decisions.hidden(since: newest() ?? snapshot.manifest)
    }

    /// The newest version of the store, which what is hidden depends on as well; nil if it is not known.
    var newestVersion: VersionName? { newest()?.version }

    /// A number that grows when the site decides something, here or elsewhere.
    var decisionRevision: UInt64 { decisions.revision }

    /// Brings answers up to what the journal has of the site's decisions, and notes that they are others from now on.
    ///
    /// - Parameter connection: to this journal, of whoever has taken down a decision through it.
    func renewDecisions(from connection: ChangeJournal) throws(CatalogError) {
        try decisions.renew { () throws(CatalogError) in try connection.siteChanges() }
        changes.everythingChanged()
    }

    /// What a member did and said that is not in a version.
    func member(withID id: String, beyond snapshot: ModelSnapshot?) throws(ServiceError) -> JournaledMember? {
        try read { journal throws(CatalogError) in
            try journal.member(withID: id, beyond: snapshot?.manifest.taken ?? .none)
        }
    }

    /// How many changes the other daemons have not been told yet, and since when, in Unix milliseconds.
    func backlog() throws(ServiceError) -> (count: Int, since: Int64?) {
        try read { journal throws(CatalogError) in try journal.backlog() }
    }

    /// Nothing: what others change comes through the stream.
    func noteOutsideChanges(in changes: ChangeClock) {}

    private func read<Result>(_ body: (ChangeJournal) throws(CatalogError) -> Result) throws(ServiceError) -> Result {
        do throws(CatalogError) {
            return try readers.read(body)
        } catch { throw ServiceError(.directoryFailed, "the journal cannot be read: \(error.message)") }
    }
}
