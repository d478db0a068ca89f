import Basics
import Changes
import Glibc
import Model
import ModelStore
import Synchronization

/// The replicator of a daemon's changes: it sends them to the other daemons and receives theirs, on its own thread.
///
/// It repeatedly compares the journal with the streams, and acts on the difference. After a failure it connects anew;
/// it has no other state to recover.
final class ChangeReplicator: Sendable {
    /// The totals since the start.
    struct Counts {
        /// The number of changes sent, some of them twice.
        var sent: UInt64 = 0
        /// The number of received changes of other daemons.
        var followed: UInt64 = 0
        var failures: UInt64 = 0
        /// The number of received changes that need a newer program.
        var unreadable: UInt64 = 0
    }

    /// The pause between rounds when there is nothing to send or to receive.
    private static let pause = Duration.milliseconds(40)
    /// The most rounds after the last request.
    private static let lastRounds = 20
    /// The reply timeout; a server that hangs for longer counts as away.
    private static let timeout = Duration.seconds(2)
    /// The pauses after a first failure, and after later ones in a row.
    private static let pauses = (first: Duration.milliseconds(100), later: Duration.milliseconds(500))

    let journal: DaemonJournal
    let sessions: Sessions
    let channel: SharedChannel
    let follower: VersionFollower
    let log: EventLog
    /// Whether damaged changes that are in no stream are given up.
    let skipsMissing: Bool
    let now: @Sendable () -> Int64
    let counts = Mutex(Counts())
    /// The comparison of the journal with the streams in the last round.
    let lastSeen = Mutex(ChangeExchange(here: [:], streams: [:], prunable: .none))
    private let lag: Mutex<StreamLag>
    /// Whether forgotten data is still to be erased; true at the start, because there may be some from before.
    let hasForgotten = Atomic(true)
    /// The number up to which each stream was read for decisions of the site while the journal could not be written.
    let lookedAhead = Mutex<[String: Int64]>([:])
    private let failure = Mutex<String?>("the changes of other daemons have not been read yet")
    private let isStopping = Atomic(false)
    private let thread = Mutex<WorkThread?>(nil)

    /// - Parameters:
    ///   - sessions: the lists of sessions; a member who has everything forgotten loses the lists in it.
    ///   - skipsMissing: whether damaged changes that are in no stream are given up.
    init(
        _ channel: SharedChannel, journal: DaemonJournal, sessions: Sessions, follower: VersionFollower,
        log: EventLog, skipsMissing: Bool = false, now: @escaping @Sendable () -> Int64
    ) {
        self.channel = channel
        self.journal = journal
        self.sessions = sessions
        self.follower = follower
        self.log = log
        self.skipsMissing = skipsMissing
        self.now = now
        lag = Mutex(StreamLag(since: now()))
    }

    /// The reason why changes are not sent and received now, or nil if they are.
    var problem: String? { failure.withLock { $0 } }
    /// The number of changes that the other daemons lack, and the time since which the first waits, in Unix
    /// milliseconds.
    ///
    /// The value is nil if the journal cannot be read.
    var backlog: (count: Int, since: Int64?)? {
        let exchange = lastSeen.withLock { $0 }
        return try? journal.read { journal throws(Failure) in try journal.backlog(in: exchange) }
    }
    /// The distance to the changes of the other daemons.
    var streamLag: StreamLag { lag.withLock { $0 } }
    /// The totals since the start.
    var totals: Counts { counts.withLock { $0 } }

    /// Starts the replication on a thread of its own.
    ///
    /// - Throws: `Failure.tryLater` if there can be none.
    func start() throws(Failure) {
        let thread = try WorkThread { [self] in
            var failures = 0
            while !isStopping.load(ordering: .acquiring) {
                let error = run { failures = 0 }
                guard let error else { break }
                failures += 1
                counts.withLock { $0.failures += 1 }
                note(problem: error)
                rest(failures == 1 ? Self.pauses.first : Self.pauses.later)
            }
        }
        self.thread.withLock { $0 = thread }
    }

    /// Stops the replication, and returns when the current work is done.
    func stop() {
        isStopping.store(true, ordering: .releasing)
        thread.withLock { $0 }?.join()
    }

    /// Sends and receives until it is stopped or something fails.
    ///
    /// - Parameter onConnection: a function to call when both sides have the same changes.
    /// - Returns: the failure, or nil if the replication was stopped.
    private func run(onConnection: () -> Void) -> String? {
        if let check = journal.check { note(problem: check) }
        do throws(Failure) {
            var rounds = try ReplicatorRounds(self, timeout: Self.timeout)
            while !isStopping.load(ordering: .acquiring) {
                guard try !rounds.exchange() else { continue }
                note(problem: rounds.gap)
                onConnection()
                rest(Self.pause)
            }
            // What was recorded last is sent, too; what others send meanwhile could go on for ever.
            for _ in 0..<Self.lastRounds where try !rounds.exchange() { break }
            return nil
        } catch {
            if error.code == .journalFailed { journal.recording.failed(error.message) }
            return error.message
        }
    }

    private func rest(_ pause: Duration) {
        usleep(UInt32(pause / .microseconds(1)))
    }

    /// Stores the last comparison, and updates the lag.
    func note(_ exchange: ChangeExchange) {
        lastSeen.withLock { $0 = exchange }
        let now = now()
        lag.withLock { $0.note(exchange, at: now) }
    }

    /// Stores the current problem, or nil for none, and logs it if it is a new one.
    private func note(problem: String?) {
        journal.completeness.isComplete.store(problem == nil, ordering: .relaxed)
        let before = failure.withLock { failure in
            defer { failure = problem }
            return failure
        }
        guard before != problem else { return }
        // Answers say whether they are complete, so cached ones are now wrong.
        if (before == nil) != (problem == nil) { journal.changes.everythingChanged() }
        // The recording condition logs problems of the journal.
        let recorded = journal.recording.problem
        let isLogged = recorded == nil || (recorded != problem && recorded != before)
        if let problem {
            if before == nil, isLogged { log.warning("\(problem); changes wait in the journal") }
        } else if isLogged {
            log.info("changes are sent to the other daemons and received from them")
        }
    }
}

extension ChangeReplicator: MetricSource {
    func write(to text: inout MetricsText) {
        let (totals, backlog) = (totals, backlog)
        text.gauge(
            "coterie_stream_connected", "Whether changes are sent to the other daemons and received from them.",
            problem == nil ? 1 : 0)
        text.gauge(
            "coterie_outbox_changes", "Changes that the other daemons do not have yet.", backlog?.count ?? 0)
        text.gauge(
            "coterie_outbox_age_seconds", "How long the first of them has been waiting.",
            backlog?.since.map { max(0, now() - $0) / 1000 } ?? 0)
        let lag = streamLag
        text.gauge(
            "coterie_stream_lag_changes", "Changes of other daemons that are in Redis and not here.", lag.missing)
        text.gauge(
            "coterie_stream_lag_seconds", "Age of the latest moment whose changes of other daemons all are here.",
            lag.milliseconds(at: now()) / 1000)
        text.counter("coterie_stream_sent_total", "Changes sent to the other daemons.", totals.sent)
        text.counter("coterie_stream_followed_total", "Changes received from other daemons.", totals.followed)
        text.counter(
            "coterie_stream_failures_total", "Times that the stream could not be read or written.", totals.failures)
        text.counter(
            "coterie_stream_unreadable_total", "Changes in the stream that need a newer program.", totals.unreadable)
    }
}

/// The lag of a daemon behind the streams of all daemons.
struct StreamLag {
    /// The contents of the streams at a moment.
    private struct Goal {
        var streams: [String: StreamedNumbers]
        var atMilliseconds: Int64
    }

    /// The number of changes that the streams had and the journal lacked, at the last look.
    private(set) var missing: Int64 = 0
    /// The latest moment up to which all changes are here, in Unix milliseconds.
    private(set) var completeAtMilliseconds: Int64
    /// The contents that make a later moment complete.
    ///
    /// With steady new changes, some are always missing, and `missing` alone would never be 0.
    private var goal: Goal?

    /// - Parameter now: the current time, in Unix milliseconds.
    init(since now: Int64) { completeAtMilliseconds = now }

    /// Updates the lag from the contents of both sides at a time in Unix milliseconds.
    mutating func note(_ exchange: ChangeExchange, at now: Int64) {
        if let goal, Self.missing(from: goal.streams, in: exchange) == 0 {
            completeAtMilliseconds = goal.atMilliseconds
            self.goal = nil
        }
        missing = Self.missing(from: exchange.streams, in: exchange)
        if missing == 0 {
            completeAtMilliseconds = now
            goal = nil
        } else if goal == nil {
            goal = Goal(streams: exchange.streams, atMilliseconds: now)
        }
    }

    /// Returns the time since the latest complete moment, in milliseconds.
    func milliseconds(at now: Int64) -> Int64 { max(0, now - completeAtMilliseconds) }

    private static func missing(from streams: [String: StreamedNumbers], in exchange: ChangeExchange) -> Int64 {
        streams.reduce(0) { $0 + max(0, $1.value.last - exchange.needed(of: $1.key).last) }
    }
}
