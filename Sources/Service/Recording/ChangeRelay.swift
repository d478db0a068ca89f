import CatalogStore
import Changes
import Dispatch
import Glibc
import Model
import ModelStore
import Synchronization

/// Sends a daemon's changes to the other daemons and receives theirs: a thread with a connection of its own.
///
/// It compares again and again what the journal and the streams have, and does what follows from that. After a failure
/// it connects anew; there is nothing to remember.
final class ChangeRelay: Sendable {
    /// What it did so far.
    struct Counts {
        /// Changes sent, some twice.
        var sent: UInt64 = 0
        /// Changes of others received.
        var followed: UInt64 = 0
        /// How often the connection failed.
        var failures: UInt64 = 0
        /// Changes received that need a newer program.
        var unreadable: UInt64 = 0
    }

    /// How long it rests when there is nothing to send or to receive.
    private static let pause = Duration.milliseconds(40)
    /// How long it waits for a reply: after that, a server that hangs counts as away.
    private static let timeout = Duration.seconds(2)
    /// How long it waits after a failure, and after several in a row.
    private static let pauses = (first: Duration.milliseconds(100), later: Duration.milliseconds(500))

    let journal: DaemonJournal
    let sessions: any SessionStore
    let channel: SharedChannel
    let follower: VersionFollower
    let log: EventLog
    let now: @Sendable () -> Int64
    let counts = Mutex(Counts())
    /// What the streams had when they were last looked at.
    let lastSeen = Mutex(ChangeExchange(here: [:], streams: [:], dispensable: .none))
    private let lag: Mutex<StreamLag>
    /// Whether something forgotten is still to be erased; at the start there may be, from before.
    let hasForgotten = Atomic(true)
    /// How far each stream was read for decisions of the site while the journal could not be written.
    let lookedAhead = Mutex<[String: Int64]>([:])
    /// The row up to which the journal was last compared with its checksums, and whether all of it was once.
    let verification = Mutex((row: Int64(0), isComplete: false))
    private let failure = Mutex<String?>("the changes of other daemons have not been read yet")
    private let isStopping = Atomic(false)
    private let hasStopped = DispatchSemaphore(value: 0)

    /// - Parameter sessions: the lists of a member who has everything forgotten are removed from it.
    init(
        _ channel: SharedChannel, journal: DaemonJournal, sessions: any SessionStore, follower: VersionFollower,
        log: EventLog, now: @escaping @Sendable () -> Int64
    ) {
        self.channel = channel
        self.journal = journal
        self.sessions = sessions
        self.follower = follower
        self.log = log
        self.now = now
        lag = Mutex(StreamLag(since: now()))
    }

    /// Why changes are not sent and received right now; nil if they are.
    var problem: String? { failure.withLock { $0 } }
    /// How many changes the other daemons do not have yet, and since when, in Unix milliseconds; nil if the journal
    /// cannot be read.
    var backlog: (count: Int, since: Int64?)? { try? journal.backlog(in: lastSeen.withLock { $0 }) }
    /// How far it is behind the changes of the others.
    var streamLag: StreamLag { lag.withLock { $0 } }
    /// What it did so far.
    var totals: Counts { counts.withLock { $0 } }

    /// Starts, on a thread of its own.
    func start() {
        DispatchQueue(label: "change-relay").async { [self] in
            var failures = 0
            while !isStopping.load(ordering: .acquiring) {
                let error = run { failures = 0 }
                guard let error else { break }
                failures += 1
                counts.withLock { $0.failures += 1 }
                note(problem: error)
                rest(failures == 1 ? Self.pauses.first : Self.pauses.later)
            }
            hasStopped.signal()
        }
    }

    /// Stops; returns when what was under way is done.
    func stop() {
        guard !isStopping.exchange(true, ordering: .acquiringAndReleasing) else { return }
        hasStopped.wait()
    }

    /// Sends and receives until it is stopped or something fails.
    ///
    /// - Parameter onConnection: called when both sides have the same.
    /// - Returns: what failed; nil if it was stopped.
    private func run(onConnection: () -> Void) -> String? {
        do throws(ServiceError) {
            var rounds = try RelayRounds(self, timeout: Self.timeout)
            while !isStopping.load(ordering: .acquiring) {
                guard try !rounds.exchange() else { continue }
                note(problem: rounds.gap)
                onConnection()
                rest(Self.pause)
            }
            return nil
        } catch {
            if error.code == .journalFailed { journal.recording.failed(error.message) }
            return error.message
        }
    }

    private func rest(_ pause: Duration) {
        usleep(UInt32(pause / .microseconds(1)))
    }

    /// Notes what the streams have, and what the journal has of it.
    func note(_ exchange: ChangeExchange) {
        lastSeen.withLock { $0 = exchange }
        let now = now()
        lag.withLock { $0.note(exchange, at: now) }
    }

    /// Notes what failed, or that nothing did, and logs it if it was not so before.
    private func note(problem: String?) {
        journal.completeness.isComplete.store(problem == nil, ordering: .relaxed)
        let before = failure.withLock { failure in
            defer { failure = problem }
            return failure
        }
        guard before != problem else { return }
        // Answers say whether they are complete.
        if (before == nil) != (problem == nil) { journal.changes.everythingChanged() }
        // What concerns the journal is logged with what is recorded here.
        let recorded = journal.recording.problem
        let isLogged = recorded == nil || (recorded != problem && recorded != before)
        if let problem {
            if before == nil, isLogged { log.warning("\(problem); changes wait in the journal") }
        } else if isLogged {
            log.info("changes are sent to the other daemons and received from them")
        }
    }
}

extension ChangeRelay: MetricSource {
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

/// How far a daemon is behind what the streams of all daemons have.
struct StreamLag {
    /// What the streams had at a moment, and when that was.
    private struct Goal {
        var streams: [String: StreamedNumbers]
        var atMilliseconds: Int64
    }

    /// How many changes the streams had that were not here, when they were looked at last.
    private(set) var missing: Int64 = 0
    /// The latest moment whose changes all are here, in Unix milliseconds.
    private(set) var completeAtMilliseconds: Int64
    /// What has to come before a later moment is complete: with new changes all the time, some are always missing.
    private var goal: Goal?

    /// - Parameter now: Unix milliseconds.
    init(since now: Int64) { completeAtMilliseconds = now }

    /// Takes down what is here and what the streams have, at a time in Unix milliseconds.
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

    /// How long ago the latest complete moment was, in milliseconds.
    func milliseconds(at now: Int64) -> Int64 { max(0, now - completeAtMilliseconds) }

    private static func missing(from streams: [String: StreamedNumbers], in exchange: ChangeExchange) -> Int64 {
        streams.reduce(0) { $0 + max(0, $1.value.last - exchange.needed(of: $1.key).last) }
    }
}
