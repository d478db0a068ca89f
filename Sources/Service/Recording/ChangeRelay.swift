import CatalogStore
import Dispatch
import Glibc
import Model
import ModelStore
import Synchronization

/// Sends a daemon's changes to the other daemons and receives theirs: a thread with a connection of its own.
///
/// A change that was sent counts as delivered when it is read back. After a failure everything begins anew: connect,
/// read what there is, send what is not among it. So nothing is lost, and little comes twice; what does is known by its
/// number.
final class ChangeRelay: Sendable {
    /// What it did so far.
    struct Counts {
        /// Changes sent, some twice.
        var sent: UInt64 = 0
        /// Changes of others received.
        var followed: UInt64 = 0
        /// How often the connection failed.
        var failures: UInt64 = 0
        /// Changes that could not be read.
        var unreadable: UInt64 = 0
    }

    /// How many changes are sent or received at a time.
    private static let batchSize = 500
    /// How long it waits for changes of others before it looks for its own again.
    private static let patience = Duration.milliseconds(40)
    /// How long it waits for a reply: after that, a server that hangs counts as away.
    private static let timeout = Duration.seconds(2)
    /// How long it waits after a failure, and after several in a row.
    private static let pauses = (first: Duration.milliseconds(100), later: Duration.milliseconds(500))
    /// How often it checks whether the stream has lost changes, in rounds.
    private static let roundsBetweenChecks = 25

    private let channel: SharedChannel
    private let journal: DaemonJournal
    private let sessions: any SessionStore
    private let follower: VersionFollower
    private let log: EventLog
    let now: @Sendable () -> Int64
    private let failure = Mutex<String?>("the stream of changes has not been read yet")
    private let counts = Mutex(Counts())
    /// The version for which the journal was pruned last.
    private let prunedFor = Mutex<VersionName?>(nil)
    /// Whether something forgotten is still to be erased; at the start there may be, from before.
    private let hasForgotten = Atomic(true)
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
    }

    /// Why changes are not sent and received right now; nil if they are.
    var problem: String? { failure.withLock { $0 } }
    /// How many changes the other daemons do not have yet, and since when, in Unix milliseconds; nil if the journal
    /// cannot be read.
    var backlog: (count: Int, since: Int64?)? { try? journal.backlog() }
    /// What it did so far.
    var totals: Counts { counts.withLock { $0 } }

    /// Starts, on a thread of its own.
    func start() {
        DispatchQueue(label: "change-stream").async { [self] in
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
    /// - Parameter onConnection: called when everything that the stream has was read.
    /// - Returns: what failed; nil if it was stopped.
    private func run(onConnection: () -> Void) -> String? {
        do throws(ServiceError) {
            let writer = try journaled { () throws(CatalogError) in
                try ChangeJournal(path: journal.path, mode: .recording)
            }
            var stream = try stored { () throws(StoreError) in try channel.changes(timeout: Self.timeout) }
            // The last failure may have come between adding decisions to the journal and renewing them.
            try journaled { () throws(CatalogError) in try journal.renewDecisions(from: writer) }
            try relay(&stream, writer, onConnection)
            return nil
        } catch { return error.message }
    }

    private func relay(_ stream: inout ChangeStream, _ writer: ChangeJournal, _ onConnection: () -> Void)
        throws(ServiceError)
    {
        var round = 0
        // The number of the change sent last; changes that were read back do not wait any more.
        var sent: Int64 = 0
        while !isStopping.load(ordering: .acquiring) {
            if round.isMultiple(of: Self.roundsBetweenChecks) {
                if try sendAgainIfLost(&stream, writer) { sent = 0 }
                try prune(writer)
                try eraseForgotten(writer)
            }
            // At first everything, without waiting: own changes may be among it.
            let isCaughtUp = try receive(&stream, writer, waiting: round > 0)
            guard isCaughtUp || round > 0 else { continue }
            if round == 0 {
                note(problem: nil)
                onConnection()
            }
            sent = try send(&stream, writer, after: sent)
            round += 1
        }
    }

    /// Has changes sent again if the stream has lost them: a server may come back with less than it held, or with
    /// nothing.
    ///
    /// What is lost is the end of the stream: if the change sent last is there, all are, or a recompute has removed
    /// them.
    private func sendAgainIfLost(_ stream: inout ChangeStream, _ writer: ChangeJournal) throws(ServiceError) -> Bool {
        let taken = follower.current.snapshot?.manifest.taken ?? .none
        let last = try journaled { () throws(CatalogError) in try writer.lastSent() }
        var isLost = false
        if let last, !taken.contains(last.sequence, of: writer.origin) {
            isLost = try stored { () throws(StoreError) in
                guard try !stream.has(last.sequence, of: writer.origin, at: last.position) else { return false }
                // A version that this daemon does not serve yet may have it.
                let newest = try follower.store.versions().last?.taken ?? .none
                return !newest.contains(last.sequence, of: writer.origin)
            }
        }
        let cursor = try journaled { () throws(CatalogError) in try writer.cursor() }
        let end = try stored { () throws(StoreError) in try stream.lastPosition() }
        guard isLost || cursor > end ?? .start else { return false }
        log.warning("the stream of changes has lost some; what this daemon knows of its own is sent again")
        try journaled { () throws(CatalogError) in try writer.sendAgain(beyond: taken) }
        return true
    }

    /// Adds what the stream has to the journal.
    ///
    /// - Returns: whether that was all.
    private func receive(_ stream: inout ChangeStream, _ writer: ChangeJournal, waiting: Bool) throws(ServiceError)
        -> Bool
    {
        let cursor = try journaled { () throws(CatalogError) in try writer.cursor() }
        let entries = try stored { () throws(StoreError) in
            try stream.read(after: cursor, limit: Self.batchSize, waitingAtMost: waiting ? Self.patience : nil)
        }
        guard let last = entries.last else { return true }
        let known = entries.compactMap { entry in
            readable(entry.change, at: entry.position).map { (position: entry.position, change: $0) }
        }
        try forgetSessions(for: known.map(\.change.change))
        let new = try journaled { () throws(CatalogError) in
            try writer.follow(known, through: last.position, at: now())
        }
        if known.contains(where: { $0.change.change.isOfSite }) {
            try journaled { () throws(CatalogError) in try journal.renewDecisions(from: writer) }
        }
        counts.withLock { $0.followed += UInt64(new.count) }
        for change in new { journal.changes.note(change) }
        return entries.count < Self.batchSize
    }

    /// Removes the lists of members who have everything forgotten, here and in the store.
    ///
    /// Called before the changes count as read, so that it is done again after a failure or the end of the process. For
    /// own changes too: the store may have been away when the member was answered.
    private func forgetSessions(for changes: [CatalogChange]) throws(ServiceError) {
        for case .member(let change) in changes {
            guard case .forget(let id) = change.action else { continue }
            hasForgotten.store(true, ordering: .relaxed)
            guard id == nil else { continue }
            try stored { () throws(StoreError) in try channel.forgetSessions(ofUser: change.userID) }
            try sessions.forgetAll(ofUser: change.userID)
            journal.changes.memberChanged(change.userID)
        }
    }

    private func readable(_ change: ChangeStream.Change, at position: StreamPosition) -> JournaledChange? {
        do throws(CatalogError) {
            return try JournaledChange(origin: change.origin, sequence: change.sequence, encoded: change.body)
        } catch {
            counts.withLock { $0.unreadable += 1 }
            log.error("the change at \(position) of the stream is left out: \(error.message)")
            return nil
        }
    }

    /// Sends what waits.
    ///
    /// - Returns: the number of the change sent last.
    private func send(_ stream: inout ChangeStream, _ writer: ChangeJournal, after sent: Int64) throws(ServiceError)
        -> Int64
    {
        let waiting = try journaled { () throws(CatalogError) in try writer.waiting(after: sent, limit: Self.batchSize)
        }
        guard let last = waiting.last else { return sent }
        try stored { () throws(StoreError) in
            try stream.append(
                waiting.map { ChangeStream.Change(origin: $0.origin, sequence: $0.sequence, body: $0.change.encoded) })
        }
        counts.withLock { $0.sent += UInt64(waiting.count) }
        return last.sequence
    }

    /// Removes from the journal the changes that are in all versions of the store, and continues with numbers that are
    /// in none.
    private func prune(_ writer: ChangeJournal) throws(ServiceError) {
        let version = follower.current.snapshot?.version
        guard version != prunedFor.withLock({ $0 }) else { return }
        let manifests = try stored { () throws(StoreError) in try follower.store.versions() }
        let taken = TakenChanges.inAll(manifests.map { $0.taken })
        try journaled { () throws(CatalogError) in
            try writer.prune(taken)
            for manifest in manifests { try writer.number(beyond: manifest.taken) }
        }
        prunedFor.withLock { $0 = version }
    }

    /// Erases what was forgotten since the last time.
    private func eraseForgotten(_ writer: ChangeJournal) throws(ServiceError) {
        guard hasForgotten.exchange(false, ordering: .relaxed) else { return }
        let isDone = try journaled { () throws(CatalogError) in try writer.eraseForgotten() }
        if !isDone { hasForgotten.store(true, ordering: .relaxed) }
    }

    private func rest(_ pause: Duration) {
        usleep(UInt32(pause / .microseconds(1)))
    }

    /// Notes what failed, or that nothing did, and logs it if it was not so before.
    private func note(problem: String?) {
        let before = failure.withLock { failure in
            defer { failure = problem }
            return failure == nil
        }
        // Answers say whether they are complete.
        if before != (problem == nil) { journal.changes.everythingChanged() }
        if let problem {
            if before { log.warning("\(problem); changes wait in the journal") }
        } else {
            log.info("changes are sent to the other daemons and received from them")
        }
    }

    private func stored<Result: ~Copyable>(_ body: () throws(StoreError) -> Result) throws(ServiceError) -> Result {
        do throws(StoreError) { return try body() } catch { throw ServiceError(.storeFailed, error.message) }
    }

    private func journaled<Result>(_ body: () throws(CatalogError) -> Result) throws(ServiceError) -> Result {
        do throws(CatalogError) { return try body() } catch {
            throw ServiceError(.journalFailed, "the journal cannot be written: \(error.message)")
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
        text.counter("coterie_stream_sent_total", "Changes sent to the other daemons.", totals.sent)
        text.counter("coterie_stream_followed_total", "Changes received from other daemons.", totals.followed)
        text.counter(
            "coterie_stream_failures_total", "Times that the stream could not be read or written.", totals.failures)
        text.counter(
            "coterie_stream_unreadable_total", "Changes in the stream that could not be read.", totals.unreadable)
    }
}
