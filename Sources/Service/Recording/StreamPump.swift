import CatalogStore
import Dispatch
import Glibc
import Model
import ModelStore
import Synchronization

/// Sends a daemon's changes on to the others, and takes down theirs: a thread with a connection of its own.
///
/// A change that was sent counts as arrived when it is read back. After a failure everything begins anew: connect, read what
/// there is, send what is not among it. So nothing is lost, and next to nothing comes twice; what does is known by its number.
final class StreamPump: Sendable {
    /// What happened so far.
    struct Counts {
        /// Changes sent, some twice.
        var sent: UInt64 = 0
        /// Changes of others taken down.
        var followed: UInt64 = 0
        /// Times that the connection broke, or could not be made.
        var failures: UInt64 = 0
        /// Changes that could not be read.
        var unreadable: UInt64 = 0
    }

    private static let portion = 500
    /// How long it waits for changes of others before it looks for its own again.
    private static let patience = Duration.milliseconds(40)
    /// How long it waits for any answer: a server that hangs shows in answers after so long.
    private static let timeout = Duration.seconds(2)
    /// How long it waits after a failure; the other after several.
    private static let pauses = (first: Duration.milliseconds(100), later: Duration.milliseconds(500))
    /// After so many rounds it is looked whether the stream is still the same.
    private static let roundsBetweenChecks = 25

    private let channel: SharedChannel
    private let journal: SharedJournal
    private let path: String
    private let sessions: (any SessionStore)?
    private let follower: VersionFollower
    private let log: EventLog
    let now: @Sendable () -> Int64
    private let trouble = Mutex<String?>("the stream of changes has not been read yet")
    private let counts = Mutex(Counts())
    /// The version for which the journal was pruned last.
    private let prunedFor = Mutex<VersionName?>(nil)
    /// Whether there is something forgotten to erase; at first there may be from before.
    private let hasForgotten = Atomic(true)
    private let isStopping = Atomic(false)
    private let hasStopped = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - path: the journal's file.
    ///   - sessions: where lists are forgotten when a member wants that on another daemon.
    init(
        _ channel: SharedChannel, journal: SharedJournal, path: String, sessions: (any SessionStore)?,
        follower: VersionFollower, log: EventLog, now: @escaping @Sendable () -> Int64
    ) {
        self.channel = channel
        self.journal = journal
        self.path = path
        self.sessions = sessions
        self.follower = follower
        self.log = log
        self.now = now
    }

    /// Why changes are not sent and taken down right now; nil if they are.
    var problem: String? { trouble.withLock { $0 } }
    /// How many changes the other daemons have not been told yet, and since when, in Unix milliseconds; nil if the journal
    /// cannot be read.
    var backlog: (count: Int, since: Int64?)? { try? journal.backlog() }
    /// What happened so far.
    var totals: Counts { counts.withLock { $0 } }

    /// Begins, on a thread of its own.
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

    /// Ends; returns when what was under way is done.
    func stop() {
        guard !isStopping.exchange(true, ordering: .acquiringAndReleasing) else { return }
        hasStopped.wait()
    }

    /// Sends and follows until it is stopped or something fails.
    ///
    /// - Parameter onConnection: called when everything that the stream has is known.
    /// - Returns: what failed; nil if it was stopped.
    private func run(onConnection: () -> Void) -> String? {
        do throws(ServiceError) {
            let writer = try journaled { () throws(CatalogError) in try ChangeJournal(path: path, mode: .recording) }
            var stream = try stored { () throws(StoreError) in try channel.changes(timeout: Self.timeout) }
            // The last failure may have been to do so after decisions had been taken down.
            try journaled { () throws(CatalogError) in try journal.renewDecisions(from: writer) }
            try pump(&stream, writer, onConnection)
            return nil
        } catch { return error.message }
    }

    private func pump(_ stream: inout ChangeStream, _ writer: ChangeJournal, _ onConnection: () -> Void)
        throws(ServiceError)
    {
        var round = 0
        // What was sent last, by its number; what had arrived before is not waiting any more.
        var sent: Int64 = 0
        while !isStopping.load(ordering: .acquiring) {
            if round.isMultiple(of: Self.roundsBetweenChecks) {
                if try sendAgainIfLost(&stream, writer) { sent = 0 }
                try prune(writer)
                try eraseForgotten(writer)
            }
            // At first all that there is, without waiting: own changes may be among it.
            let isCaughtUp = try follow(&stream, writer, waiting: round > 0)
            guard isCaughtUp || round > 0 else { continue }
            if round == 0 {
                note(problem: nil)
                onConnection()
            }
            sent = try send(&stream, writer, after: sent)
            round += 1
        }
    }

    /// Has changes sent again if the stream has lost them: a server may come back with less than it held, or with nothing.
    ///
    /// Of what was lost the end was lost. If what was sent last is there, all is, or it was taken over and removed.
    private func sendAgainIfLost(_ stream: inout ChangeStream, _ writer: ChangeJournal) throws(ServiceError) -> Bool {
        let taken = follower.current.snapshot?.manifest.taken ?? .none
        let last = try journaled { () throws(CatalogError) in try writer.lastSent() }
        var isLost = false
        if let last, !taken.contains(last.sequence, of: writer.origin) {
            isLost = try stored { () throws(StoreError) in
                guard try !stream.has(last.sequence, of: writer.origin, at: last.position) else { return false }
                // A version that this daemon has not taken up yet may have it.
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

    /// Takes down what the stream has.
    ///
    /// - Returns: whether that was all.
    private func follow(_ stream: inout ChangeStream, _ writer: ChangeJournal, waiting: Bool) throws(ServiceError)
        -> Bool
    {
        let cursor = try journaled { () throws(CatalogError) in try writer.cursor() }
        let entries = try stored { () throws(StoreError) in
            try stream.read(after: cursor, limit: Self.portion, waitingAtMost: waiting ? Self.patience : nil)
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
        return entries.count < Self.portion
    }

    /// Forgets the lists of members who want all forgotten, here and in the store.
    ///
    /// Before the changes count as read, so that a failure or the end of the process has it done again. Own changes too:
    /// the store may have been away when the member was answered.
    private func forgetSessions(for changes: [CatalogChange]) throws(ServiceError) {
        for case .member(let change) in changes {
            guard case .forget(let id) = change.action else { continue }
            hasForgotten.store(true, ordering: .relaxed)
            guard id == nil else { continue }
            try stored { () throws(StoreError) in try channel.forgetSessions(ofUser: change.userID) }
            try sessions?.forgetAll(ofUser: change.userID)
            journal.changes.memberChanged(change.userID)
        }
    }

    private func readable(_ change: StreamedChange, at position: StreamPosition) -> JournaledChange? {
        do throws(CatalogError) {
            return JournaledChange(
                origin: change.origin, sequence: change.sequence, change: try CatalogChange(encoded: change.body))
        } catch {
            counts.withLock { $0.unreadable += 1 }
            log.error("the change at \(position) of the stream is passed over: \(error.message)")
            return nil
        }
    }

    /// Sends what waits.
    ///
    /// - Returns: the number of the change sent last.
    private func send(_ stream: inout ChangeStream, _ writer: ChangeJournal, after sent: Int64) throws(ServiceError)
        -> Int64
    {
        let waiting = try journaled { () throws(CatalogError) in try writer.waiting(after: sent, limit: Self.portion) }
        guard let last = waiting.last else { return sent }
        try stored { () throws(StoreError) in
            try stream.append(
                waiting.map { StreamedChange(origin: $0.origin, sequence: $0.sequence, body: $0.change.encoded) })
        }
        counts.withLock { $0.sent += UInt64(waiting.count) }
        return last.sequence
    }

    /// Removes from the journal what is in all versions that the store has, and goes on with numbers that are in none.
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

    /// Takes down what is wrong, and logs it if it was not so before.
    private func note(problem: String?) {
        let before = trouble.withLock { trouble in
            defer { trouble = problem }
            return trouble == nil
        }
        // Whether answers are complete is part of them.
        if before != (problem == nil) { journal.changes.everythingChanged() }
        if let problem {
            if before { log.warning("\(problem); changes wait in the journal") }
        } else {
            log.info("changes are sent to the other daemons and taken from them")
        }
    }

    private func stored<Result: ~Copyable>(_ body: () throws(StoreError) -> Result) throws(ServiceError) -> Result {
        do throws(StoreError) { return try body() } catch { throw ServiceError(.directoryFailed, error.message) }
    }

    private func journaled<Result>(_ body: () throws(CatalogError) -> Result) throws(ServiceError) -> Result {
        do throws(CatalogError) { return try body() } catch {
            throw ServiceError(.directoryFailed, "the journal cannot be written: \(error.message)")
        }
    }
}
