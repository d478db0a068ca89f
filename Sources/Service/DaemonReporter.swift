import Answers
import CatalogStore
import FoundationEssentials
import Glibc
import Model
import ModelStore

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

    /// Reports once.
    func report() {
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
