import Answers
import Basics
import CatalogStore
import FoundationEssentials
import Glibc
import Model
package import ModelStore

/// Posts reports about a running daemon on the board of the store.
///
/// A failure to post is ignored: an unreachable store is reported elsewhere.
struct DaemonReporter: Sendable {
    /// The interval between two reports.
    static let interval = Duration.seconds(2)

    private let board: any DaemonBoard
    /// The board that outlasts the daemon; nil unless it has changes to send.
    private let senders: (any DaemonBoard)?
    private let server: (address: String, port: UInt16)
    private let follower: VersionFollower
    private let replicator: ChangeReplicator?
    private let sessions: SessionTally?
    private let journal: String?
    private let problems: DaemonProblems
    private let troubles: RecentTroubles
    private let now: @Sendable () -> Int64
    private let startedAt: Int64
    private let host: String

    init?(
        _ store: any VersionStore, server: (address: String, port: UInt16), follower: VersionFollower,
        parts: DeploymentParts, troubles: RecentTroubles, startedAt: Int64, now: @escaping @Sendable () -> Int64
    ) {
        guard let board = store.board else { return nil }
        self.board = board
        senders = parts.replicator == nil ? nil : store.board(of: .senders)
        (self.server, self.follower, self.troubles) = (server, follower, troubles)
        (self.now, self.startedAt, replicator) = (now, startedAt, parts.replicator)
        sessions = parts.sessionTally
        journal = parts.replicator.map { Catalog.resolved($0.journal.path) ?? $0.journal.path }
        problems = DaemonProblems(
            follower: follower, replicator: parts.replicator, community: parts.community, conditions: parts.conditions)
        host = ProcessInfo.processInfo.hostName
    }

    /// Posts one report, and advances the count of sessions.
    ///
    /// A daemon that has not looked for a version yet posts none: it would seem to lack one.
    func report() {
        sessions?.step(at: now())
        guard follower.current.hasLooked else { return }
        let current = current
        guard let bytes = try? JSON.encoded(current) else { return }
        try? board.post(bytes, ofDaemon: id)
        if current.outboxChanges != nil { try? senders?.post(bytes, ofDaemon: senderID) }
    }

    /// Withdraws the report, because the daemon stops.
    func withdraw() { try? board.withdraw(id) }

    /// Withdraws the report that outlasts the daemon, if all is sent.
    func withdrawSender() { if replicator?.backlog?.count == 0 { try? senders?.withdraw(senderID) } }

    private var id: String { "\(hostID)-\(getpid())" }

    /// The id of the journal, whose next daemon has its changes.
    private var senderID: String { "\(hostID)-\(Checksum.text(of: Array((journal ?? "").utf8)))" }

    private var hostID: String {
        String(host.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }.prefix(40))
    }

    private var current: DaemonReport {
        let (state, backlog) = (follower.current, replicator?.backlog)
        let lag = replicator?.streamLag
        let (count, last) = troubles.reading(at: now())
        return DaemonReport(
            host: host, processId: Int(getpid()), program: ProgramVersion.current.description, address: server.address,
            port: Int(server.port),
            startedAtMilliseconds: startedAt, reportedAtMilliseconds: now(),
            modelVersion: state.snapshot?.version.description, versionTakenAtMilliseconds: state.takenAtMilliseconds,
            problems: problems.sentences, journal: journal,
            outboxChanges: backlog?.count, outboxSinceMilliseconds: backlog?.since,
            streamMissing: lag?.missing, streamCompleteAtMilliseconds: lag?.completeAtMilliseconds,
            sessions: sessions?.alive, errorsInLastHour: count,
            lastError: last?.message, lastErrorAtMilliseconds: last?.atMilliseconds)
    }
}

/// The deployment of a daemon: its store, its source of members, and its place for changes.
package enum Deployment: Sendable {
    /// A daemon that has only versions, with their members if these are published; it records no changes.
    ///
    /// - `recorded`: the site's decisions since the version was made, as far as they are known.
    /// - `sessions`: the file for the lists of sessions; nil for a new list at each request.
    case versionsOnly(any VersionStore, recorded: RecordedDecisions = RecordedDecisions(), sessions: String? = nil)
    /// A daemon that reads a catalog on the same machine, and writes to the journal beside it.
    ///
    /// - `sessions`: the file for the lists of sessions; nil for a file beside the catalog.
    case catalog(any VersionStore, path: String, sessions: String? = nil)
    /// One of several daemons that share a store, with a journal of its own.
    ///
    /// - `journal`: the journal's file.
    /// - `catalog`: a read-only catalog, for photos and for private or hidden groups; nil for none.
    /// - `sessions`: the file for the lists of sessions; nil for a file beside the journal.
    /// - `skipsMissing`: whether damaged changes of the journal that are in no stream are given up.
    case shared(
        any SharedStore, journal: String, catalog: String? = nil, sessions: String? = nil, skipsMissing: Bool = false)

    var store: any VersionStore {
        switch self {
        case .versionsOnly(let store, _, _), .catalog(let store, _, _): store
        case .shared(let store, _, _, _, _): store
        }
    }

    /// The file for ended sessions of the pages that the store is still to learn of; nil for none.
    var endingsPath: String? { if case .shared(_, let journal, _, _, _) = self { journal + "-endings" } else { nil } }

    /// The data that is read from the store besides groups.
    ///
    /// A daemon on top of a catalog reads members there, unless the catalog does not have them, and what the site
    /// decided.
    var needs: VersionNeeds {
        switch self {
        case .versionsOnly, .shared: VersionNeeds()
        case .catalog: VersionNeeds(members: { $0.hasOwnMembers }, site: false)
        }
    }
}

/// A catalog that was not there when the daemon started; the daemon reads it as soon as it is there.
package struct AwaitedCatalog: Sendable {
    package let path: String
    /// Returns the deployment with the catalog, or nil if there is still none.
    let deployment: @Sendable () throws -> Deployment?

    /// Creates a description of a missing catalog.
    ///
    /// - Parameter deployment: returns the daemon's deployment with the catalog, or nil if there is still none. It is
    ///   called at intervals.
    package init(path: String, deployment: @escaping @Sendable () throws -> Deployment?) {
        (self.path, self.deployment) = (path, deployment)
    }

    /// The problem that there is no catalog yet.
    var problem: String {
        """
        there is no catalog at \(path): the daemon reads it as soon as it is there, and lacks until then what only the \
        catalog has; start it with "--catalog none" if it is to have none
        """
    }
}

/// The parts of a deployment, with their files open.
struct DeploymentParts {
    /// Members, photos and decisions, and the place for changes.
    private(set) var community: any CommunitySource
    /// The lists of sessions; nil if every request gets a new list.
    var sessions: Sessions?
    /// The lists of sessions that the store keeps, too; nil unless the store is shared.
    var sharedSessions: SharedSessions?
    /// The count of sessions that have not ended; nil if there are none.
    var sessionTally: SessionTally?
    /// The count of session lists that were found damaged.
    let damagedLists: DamagedLists
    /// The groups that members of experiments were shown and that are not yet written.
    let exposures: ExposureLog
    /// The exchange of changes with other daemons; nil unless the store is shared.
    var replicator: ChangeReplicator?
    /// The conditions that must hold for the daemon to do all its work.
    var conditions: [HealthCondition] = []
    /// The ends of the connections to each file.
    private var closings: [@Sendable () -> Void] = []

    /// Opens the files of a deployment.
    ///
    /// - Parameter now: the clock, in Unix milliseconds.
    /// - Throws: `Failure.general` if a file cannot be opened; its message says what to do.
    init(
        _ deployment: Deployment, follower: VersionFollower, changes: ChangeClock, log: EventLog,
        now: @escaping @Sendable () -> Int64
    ) throws(Failure) {
        let (recording, keeping) = (HealthCondition.recording(log), HealthCondition.sessions(log))
        let exposing = ExposureLog.condition(log)
        exposures = ExposureLog(exposing)
        let damaged = DamagedLists(log)
        damagedLists = damaged
        switch deployment {
        case .versionsOnly(_, let recorded, let sessions):
            community = VersionSource(changes: changes, recorded) { follower.current }
            guard let sessions else { return }
            let file = try SessionFile(path: sessions, damaged: damaged)
            self.sessions = Sessions(file, keeping)
            sessionTally = SessionTally(path: sessions)
            conditions = [keeping]
            closings = [file.close]
            self.sessions?.testWriting()
            return
        case .catalog(_, let path, let sessions):
            let catalog = try CatalogReader(path: path)
            let journal = try DaemonJournal(
                path: Catalog.journalPath(beside: path), besideCatalog: path, changes: changes, recording: recording,
                log: log, now: now, patience: .seconds(2))
            community = JournalSource(catalog, journal: journal) { follower.current }
            let sessions = sessions ?? path + "-sessions"
            let file = try SessionFile(path: sessions, damaged: damaged)
            sessionTally = SessionTally(path: sessions)
            self.sessions = Sessions(file, keeping)
            closings = [file.close, journal.close, catalog.renew]
        case .shared(let store, let path, let catalog, let sessions, let skipsMissing):
            let channel = store.channel
            let journal = try DaemonJournal(
                path: path, changes: changes, recording: recording, log: log, now: now)
            let sessions = sessions ?? path + "-sessions"
            let file = try SessionFile(path: sessions, damaged: damaged)
            sessionTally = SessionTally(path: sessions)
            let shared = SharedSessions(channel, local: file, damaged: damaged)
            sharedSessions = shared
            let reader = try catalog.map { path throws(Failure) in try CatalogReader(path: path) }
            community = JournalSource(store, journal: journal, catalog: reader, served: { follower.current })
            closings = [file.close, journal.close] + (reader.map { [$0.renew] } ?? [])
            let kept = Sessions(shared, keeping)
            self.sessions = kept
            replicator = ChangeReplicator(
                channel, journal: journal, sessions: kept, follower: follower, log: log,
                skipsMissing: skipsMissing, now: now)
        }
        conditions = [recording, keeping, exposing]
        sessions?.testWriting()
    }

    /// Returns parts that read a catalog which these lack.
    ///
    /// A journal stays open, because it is locked.
    ///
    /// - Throws: `Failure.general` if the catalog cannot be opened.
    func takingUpCatalog(
        of deployment: Deployment, follower: VersionFollower, changes: ChangeClock, log: EventLog,
        now: @escaping @Sendable () -> Int64
    ) throws(Failure) -> DeploymentParts {
        guard case .shared(let store, _, let path?, _, _) = deployment, let replicator else {
            return try DeploymentParts(deployment, follower: follower, changes: changes, log: log, now: now)
        }
        var parts = self
        let reader = try CatalogReader(path: path)
        parts.community = JournalSource(
            store, journal: replicator.journal, catalog: reader, served: { follower.current })
        parts.closings.append(reader.renew)
        return parts
    }

    /// Closes the files; SQLite removes what it keeps beside a database with the last connection to it.
    func close() { for close in closings { close() } }
}
