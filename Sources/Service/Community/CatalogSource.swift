import CatalogStore
import Changes
import Evaluation
import Experiments
import Model
import Recommendation
import Synchronization

/// The members, photos and decisions that the catalog has now; changes are committed to the catalog.
final class CatalogSource: CommunitySource {
    let changes: ChangeClock
    private let path: String
    private let reader: CatalogReader
    private let commits: GroupCommit
    private let recording: HealthCondition

    /// Opens the catalog in a file.
    ///
    /// - Parameters:
    ///   - changes: the clock that notes changes to answers.
    ///   - recording: the condition that changes can be committed. A file that its owner made read-only does not break
    ///     it.
    ///   - patience: the longest time that a request waits for its commit.
    /// - Throws: `ServiceError.startFailed` if the file cannot be opened; its message says what to do.
    init(
        path: String, changes: ChangeClock = ChangeClock(), recording: HealthCondition = .recording(nil),
        patience: Duration = .seconds(2)
    ) throws(ServiceError) {
        self.changes = changes
        self.path = path
        self.recording = recording
        let reader = try CatalogReader(path: path)
        self.reader = reader
        // Connections that were opened while the file was not writable never look for writes of others.
        let mayReadForEver = Atomic(true)
        commits = GroupCommit(changes: changes, recording: recording, patience: patience) { () throws(CatalogError) in
            if let obstacle = Catalog.obstacle(toWriting: path) { throw CatalogError(.fileFailed, obstacle) }
            let catalog = try Catalog(path: path, mode: .recording)
            if mayReadForEver.exchange(false, ordering: .relaxed) { reader.renew() }
            return catalog
        }
        do {
            if !Catalog.isForbidden(path) { try commits.open() }
        } catch {
            guard error.isFull || Catalog.obstacle(toWriting: path) != nil else {
                throw ServiceError(.startFailed, error.message)
            }
            recording.failed("changes cannot be recorded: \(error.message)")
        }
    }

    /// Whether the catalog knows a subject; it does not compare members if only the version has their groups.
    func knows(_ subject: CommunitySubject, in snapshot: ModelSnapshot?) -> Bool {
        subject != .contacts || snapshot?.manifest.hasOwnMembers != true
    }
    var records: Bool { !Catalog.isForbidden(path) }

    func read<Result>(_ body: (Catalog) throws(CatalogError) -> Result) throws(ServiceError) -> Result? {
        try reader.read(body)
    }

    /// Nothing: the catalog has every change.
    func recentChanges(ofUser id: String, in snapshot: VisibleSnapshot) -> RecentMemberChanges? { nil }

    /// Nothing: what was removed is not in the catalog.
    var removed: RemovedThings { RemovedThings() }

    func isForgotten(user id: String) throws(ServiceError) -> Bool {
        try reader.read { catalog throws(CatalogError) in try catalog.isForgotten(user: id) }
    }

    func concealment(ofGroup id: String, in model: VisibleModel) throws(ServiceError) -> Concealment? {
        model.hides(id) ? try reader.concealment(ofGroup: id) : nil
    }

    func siteDecisions(in snapshot: ModelSnapshot) throws(ServiceError) -> SiteDecisions {
        try reader.siteDecisions(in: snapshot)
    }

    /// Commits the change, together with other changes that wait.
    func apply(_ change: Change) throws(ServiceError) -> Change.Outcome {
        guard !Catalog.isForbidden(path) else {
            throw ServiceError(.catalogFailed, "the catalog can only be read: nothing that members do is recorded")
        }
        do {
            return try commits.apply(change)
        } catch { throw ServiceError(.catalogFailed, "the catalog cannot be written: \(error.message)") }
    }

    func record(exposures changes: [MemberChange]) throws(ServiceError) {
        do {
            _ = try commits.apply(changes.map { .member($0) })
        } catch { throw ServiceError(.catalogFailed, "the catalog cannot be written: \(error.message)") }
    }

    func latestInteractionTime(ofUser id: String) throws(ServiceError) -> Int64? {
        try reader.read { catalog throws(CatalogError) in try catalog.latestInteractionTime(ofUser: id) }
    }

    func recordedAmount(ofUser id: String, recent: Int64) throws(ServiceError) -> RecordedAmount {
        try reader.read { catalog throws(CatalogError) in try catalog.recordedAmount(ofUser: id, recent: recent) }
    }

    func interactions(ofUser id: String, after: String?, limit: Int) throws(ServiceError) -> [InteractionRecord]? {
        try reader.read { catalog throws(CatalogError) in
            try catalog.interactions(ofUser: id, after: after, limit: limit)
        }
    }

    func latestInteractions(ofUser id: String, limit: Int) throws(ServiceError) -> [InteractionRecord] {
        try reader.read { catalog throws(CatalogError) in try catalog.latestInteractions(ofUser: id, limit: limit) }
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

    func someMembers(limit: Int) throws(ServiceError) -> [String] {
        try reader.read { catalog throws(CatalogError) in try catalog.someMembers(limit: limit) }
    }

    func outcomes(of entry: ExperimentRegister.Entry, atMilliseconds instant: Int64) throws(ServiceError)
        -> ExperimentOutcomes?
    {
        try reader.read { catalog throws(CatalogError) in
            try ExperimentOutcomes(of: entry, from: catalog, atMilliseconds: instant)
        }
    }

    var catalogPath: String? { path }

    /// Notes changes of the catalog that were not made through this source.
    func noteOutsideChanges() {
        if let replacement = reader.replacement { recording.failed("changes cannot be recorded: \(replacement)") }
        if !commits.noteOutsideChanges() { reader.noteChanges(in: changes) }
    }

    func probeWriting() { commits.probe() }
}
