import Answers
import CatalogStore
import FoundationEssentials
import Glibc
public import Model
public import ModelStore

/// Says on the board of the store that the daemon runs, and how it is.
///
/// That it cannot is no trouble of its own: a store that is away is told elsewhere.
struct DaemonReporter: Sendable {
    /// How often it reports.
    static let interval = Duration.seconds(2)

    private let board: any DaemonBoard
    private let server: (address: String, port: UInt16)
    private let follower: VersionFollower
    private let relay: ChangeRelay?
    private let sessions: SessionTally?
    private let journal: String?
    private let conditions: [Condition]
    private let troubles: RecentTroubles
    private let now: @Sendable () -> Int64
    private let startedAt: Int64
    private let host: String

    init(
        _ board: any DaemonBoard, server: (address: String, port: UInt16), follower: VersionFollower,
        parts: DeploymentParts, troubles: RecentTroubles, now: @escaping @Sendable () -> Int64
    ) {
        self.board = board
        self.server = server
        self.follower = follower
        relay = parts.relay
        sessions = parts.sessionTally
        journal = parts.relay.map { Catalog.resolved($0.journal.path) ?? $0.journal.path }
        conditions = parts.conditions
        self.troubles = troubles
        self.now = now
        startedAt = now()
        host = ProcessInfo.processInfo.hostName
    }

    /// Reports once, and goes on with the count of sessions.
    func report() {
        sessions?.step(at: now())
        guard let bytes = try? JSONEncoder().encode(current) else { return }
        try? board.post(Array(bytes), ofDaemon: id)
    }

    /// Takes the report back: the daemon stops.
    func withdraw() { try? board.withdraw(id) }

    private var id: String {
        let name = host.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
        return "\(String(name.prefix(40)))-\(getpid())"
    }

    private var current: DaemonReport {
        let (state, backlog) = (follower.current, relay?.backlog)
        let lag = relay?.streamLag
        let (count, last) = troubles.reading(at: now())
        let problems = [state.problem, relay?.problem] + conditions.map(\.problem)
        return DaemonReport(
            host: host, processId: Int(getpid()), address: server.address, port: Int(server.port),
            startedAtMilliseconds: startedAt, reportedAtMilliseconds: now(),
            modelVersion: state.snapshot?.version.description, versionTakenAtMilliseconds: state.takenAtMilliseconds,
            problems: problems.compactMap(\.self), journal: journal,
            outboxChanges: backlog?.count, outboxSinceMilliseconds: backlog?.since,
            streamMissing: lag?.missing, streamCompleteAtMilliseconds: lag?.completeAtMilliseconds,
            sessions: sessions?.alive, errorsInLastHour: count,
            lastError: last?.message, lastErrorAtMilliseconds: last?.atMilliseconds)
    }
}

/// How a daemon is deployed: where versions come from, what it knows of members, and where it records changes.
public enum Deployment: Sendable {
    /// Groups alone: no members, no photos, and no changes are recorded.
    ///
    /// - `decisions`: what the site has decided since the version was made.
    case groupsOnly(any VersionStore, decisions: SiteDecisions = .asPublished)
    /// With the catalog on the same machine, which is read and written.
    ///
    /// - `sessions`: the file of the sessions' lists; nil: beside the catalog.
    case catalog(any VersionStore, path: String, sessions: String? = nil)
    /// As one of several daemons that share a store, with a journal of its own.
    ///
    /// - `journal`: the journal's file.
    /// - `catalog`: a catalog that is only read, for its photos and for which groups are private or hidden; nil: none.
    /// - `sessions`: the file of the sessions' lists; nil: beside the journal.
    case shared(any SharedStore, journal: String, catalog: String? = nil, sessions: String? = nil)

    /// Where versions are published.
    var store: any VersionStore {
        switch self {
        case .groupsOnly(let store, _), .catalog(let store, _, _): store
        case .shared(let store, _, _, _): store
        }
    }
}

/// What a deployment consists of, opened.
struct DeploymentParts {
    /// Members, photos, the site's decisions and where changes are recorded; nil if the daemon serves groups alone.
    var community: (any CommunitySource)?
    /// What the site has decided, if the daemon serves groups alone.
    var decisions = SiteDecisions.asPublished
    /// The lists of sessions; nil if the daemon serves groups alone.
    var sessions: Sessions?
    /// The same, if the store has them too.
    var sharedSessions: SharedSessions?
    /// Counts the sessions that have not ended; nil if the daemon serves groups alone.
    var sessionTally: SessionTally?
    /// Counts the lists of sessions that were found damaged.
    let damagedLists: DamagedLists
    /// What members of experiments were shown, until it is written.
    let exposures: ExposureLog
    /// Sends changes to the other daemons and receives theirs; nil unless the store is shared.
    var relay: ChangeRelay?
    /// What must be possible for the daemon to do all that it should.
    var conditions: [Condition] = []

    /// Opens the files of a deployment.
    ///
    /// - Parameters:
    ///   - follower: of the deployment's store.
    ///   - changes: where changes are noted that show in answers.
    ///   - now: the time, in Unix milliseconds.
    /// - Throws: `ServiceError.startFailed` if a file cannot be opened, with what to do.
    init(
        _ deployment: Deployment, follower: VersionFollower, changes: ChangeClock, log: EventLog,
        now: @escaping @Sendable () -> Int64
    ) throws(ServiceError) {
        let (recording, keeping) = (Condition.recording(log), Condition.sessions(log))
        let exposing = ExposureLog.condition(log)
        exposures = ExposureLog(exposing)
        let damaged = DamagedLists(log)
        damagedLists = damaged
        switch deployment {
        case .groupsOnly(_, let decisions):
            self.decisions = decisions
            return
        case .catalog(_, let path, let sessions):
            community = try CatalogSource(path: path, changes: changes, recording: recording)
            let sessions = sessions ?? path + "-sessions"
            let file = try SessionFile(path: sessions, damaged: damaged)
            sessionTally = SessionTally(path: sessions)
            self.sessions = Sessions(file, keeping)
        case .shared(let store, let path, let catalog, let sessions):
            let channel = store.channel
            let journal = try DaemonJournal(path: path, changes: changes, recording: recording, now: now)
            let sessions = sessions ?? path + "-sessions"
            let file = try SessionFile(path: sessions, damaged: damaged)
            sessionTally = SessionTally(path: sessions)
            let shared = SharedSessions(channel, local: file, damaged: damaged)
            sharedSessions = shared
            community = JournalSource(
                store, journal: journal,
                catalog: try catalog.map { path throws(ServiceError) in
                    try CatalogReader(path: path)
                }, served: { follower.current })
            self.sessions = Sessions(shared, keeping)
            relay = ChangeRelay(
                channel, journal: journal, sessions: shared, follower: follower, log: log, now: now)
        }
        conditions = [recording, keeping, exposing]
    }
}
