import Basics
import Changes
import Model
import ModelStore
import Synchronization

/// The rounds of a replicator over one connection.
///
/// Each round compares the journal with the streams, and sends or receives the changes that one side lacks.
struct ReplicatorRounds: ~Copyable {
    /// The largest number of changes sent or received at a time.
    private static let batchSize = 500
    /// The number of rounds between two cleanings, which prune, erase and verify.
    private static let roundsBetweenCleanings = 25
    /// The number of rounds in which other daemons can send a change again before it is given up; some ten seconds.
    private static let roundsBeforeSkipping = 250

    private let replicator: ChangeReplicator
    private let writer: ChangeJournal
    /// The reason why the journal is only read, because the disk is full; nil if it is written.
    private let obstacle: Failure?
    private var streams: JournalStreams
    /// The members whom the site has forgotten, and the revision of the store's ledger when it was read.
    private var ledger: (content: Ledger?, revision: String?) = (nil, nil)
    private var round = 0
    /// The changes that all versions that may serve have.
    private var prunable = AppliedChanges.none
    /// The contents of the streams at the last cleaning.
    private var earlierStreams: [String: StreamedNumbers] = [:]
    /// The version that served when the journal was last pruned.
    private var prunedFor: VersionName?
    /// The reason why this daemon lacked changes of others after the last round, or nil if it lacked none.
    private(set) var gap: String?

    /// Connects to the store and opens the journal.
    init(_ replicator: ChangeReplicator, timeout: Duration) throws(Failure) {
        let (writer, obstacle) = try Self.openJournal(replicator.journal)
        let streams = try replicator.channel.journals(timeout: timeout)
        // An index that lacks a row hides it.
        try? replicator.journal.mendIndexes()
        // The last failure may have happened between adding decisions to the journal and renewing them.
        try Self.journaled { () throws(Failure) in try replicator.journal.renewDecisions(from: writer) }
        self.replicator = replicator
        self.writer = writer
        self.obstacle = obstacle
        self.streams = streams
    }

    /// Reads the store's ledger if it has changed, and erases what members did before they were forgotten.
    ///
    /// A store that has lost its ledger gets what this daemon knows.
    private mutating func readLedger() throws(Failure) {
        let revision = try streams.ledgerRevision()
        guard revision != ledger.revision else { return }
        var found = (content: try streams.ledger(), revision: revision)
        if let mine = ledger.content {
            var all = found.content ?? Ledger(key: mine.key)
            let lost = mine.beyond(all)
            if all.key == mine.key, !lost.times.isEmpty, try streams.add(lost) { all.merge(lost) }
            // The old revision: what others added meanwhile is read the next time.
            found.content = all
        }
        ledger = found
        replicator.journal.ledger.withLock { $0 = found.content }
        if obstacle == nil { try erase(among: nil) }
    }

    /// Opens the journal for writing, or for reading if the disk is full; the next connection tries again.
    private static func openJournal(_ journal: DaemonJournal) throws(Failure) -> (ChangeJournal, Failure?) {
        do throws(Failure) { return (try journal.opened(.recording), nil) } catch {
            guard error.code == .diskFull else { throw failedRecording(error) }
            return (try journaled { () throws(Failure) in try journal.opened(.reading) }, failedRecording(error))
        }
    }

    /// Erases from the journal the changes that members made before they were forgotten.
    ///
    /// - Parameter users: the members to look at; nil for all.
    private func erase(among users: [String]?) throws(Failure) {
        guard let ledger = ledger.content, !ledger.times.isEmpty else { return }
        let erased = try Self.journaled { [writer] () throws(Failure) in
            try writer.erase(among: users) { ledger.times(of: $0)?.forgotten }
        }
        for user in erased {
            replicator.hasForgotten.store(true, ordering: .relaxed)
            replicator.journal.changes.memberChanged(user)
        }
    }

    /// Compares, sends and receives once.
    ///
    /// If this machine cannot write, for example because its disk is full, the other steps are still done.
    ///
    /// - Returns: whether anything was sent or received; there may then be more.
    mutating func exchange() throws(Failure) -> Bool {
        var failure = obstacle
        let isCleaning = round.isMultiple(of: Self.roundsBetweenCleanings)
        // At first too: the journal may have data of members who were forgotten while this daemon was away.
        if isCleaning { try readLedger() }
        if isCleaning, obstacle == nil {
            do throws(Failure) { try clean() } catch { failure = error }
        }
        round += 1
        var exchange = ChangeExchange(
            here: try Self.journaled { [writer] () throws(Failure) in try writer.kept() },
            streams: try streams.survey(),
            prunable: prunable)
        if isCleaning {
            exchange.earlierStreams = earlierStreams
            earlierStreams = exchange.streams
        }
        if exchange.steps.contains(where: { if case .add(_, _, isRemade: true) = $0 { true } else { false } }) {
            // A recompute may have pruned the missing changes, because all versions have them by now.
            do throws(Failure) { try prune() } catch { failure = failure ?? error }
            exchange.prunable = prunable
        }
        replicator.note(exchange)
        gap = nil
        var isActive = false
        for step in exchange.steps {
            do throws(Failure) {
                if try perform(step, in: exchange) { isActive = true }
            } catch {
                guard error.code == .journalFailed else { throw error }
                failure = failure ?? error
                if case .take(let origin, let last) = step { try lookAhead(origin, after: last) }
            }
        }
        if let failure { throw failure }
        try mend(isCleaning: isCleaning)
        return isActive
    }

    /// Verifies the journal, fetches damaged changes from the streams, and sets `gap` to the first problem.
    private mutating func mend(isCleaning: Bool) throws(Failure) {
        if isCleaning {
            try Self.journaled { [writer, replicator] () throws(Failure) in
                try replicator.journal.verifyMore(with: writer)
            }
        }
        let damaged = try Self.journaled { [writer] () throws(Failure) in try writer.damagedChanges() }
        for name in damaged.prefix(Self.batchSize) { try mend(name) }
        guard gap == nil else { return }
        let newer = try Self.journaled { [writer] () throws(Failure) in try writer.newerChanges() }
        if let name = newer.first {
            gap = "\(name) needs a newer program: upgrade this one"
        }
    }

    /// Replaces a damaged change by that of its stream.
    ///
    /// If no stream has it, it is given up with `--skip-missing`.
    private mutating func mend(_ name: ChangeName) throws(Failure) {
        let found = try streamed(name.origin, after: name.sequence - 1, limit: 1).first { $0.name == name }
        if found != nil {
            replicator.log.warning("\(name) was damaged here, and is fetched again")
        } else if replicator.skipsMissing, round > Self.roundsBeforeSkipping {
            replicator.log.warning(
                "\(name) was damaged here and in no stream, and is given up, because of --skip-missing")
        } else {
            let problem = """
                \(name) is damaged here and in no stream, and later ones wait for it; a daemon that has it sends it \
                again. If none does, start this one with --skip-missing, which gives it up
                """
            gap = gap ?? problem
            return
        }
        try Self.journaled { [writer, replicator] () throws(Failure) in
            if let found {
                try writer.repair(with: found, at: replicator.now())
            } else {
                try writer.giveUp(name, at: replicator.now())
            }
            try replicator.journal.renewDecisions(from: writer)
        }
    }

    /// Performs a step.
    ///
    /// - Returns: whether anything was sent or received.
    private mutating func perform(_ step: ChangeExchange.Step, in exchange: ChangeExchange) throws(Failure) -> Bool {
        switch step {
        case .take(let origin, let last): return try take(origin, after: last)
        case .add(let origin, let last, let isRemade):
            return try send(origin, after: last, in: exchange, isRemade: isRemade)
        case .wait(let origin, let last):
            gap = "changes up to number \(last) of the journal \(origin) have not come, which no version has yet"
            return false
        }
    }

    private mutating func clean() throws(Failure) {
        if replicator.follower.current.snapshot?.version != prunedFor || gap != nil { try prune() }
        try eraseForgotten()
    }

    /// Shows decisions of the site that cannot be added to the journal now.
    private mutating func lookAhead(_ origin: String, after last: Int64) throws(Failure) {
        var position = max(last, replicator.lookedAhead.withLock { $0[origin] ?? 0 })
        while true {
            let found = try streamed(origin, after: position)
            guard let end = found.last?.sequence else { break }
            replicator.journal.show(unwritten: found)
            position = end
        }
        replicator.lookedAhead.withLock { $0[origin] = position }
    }

    /// Returns the next changes in the stream of a journal.
    private mutating func streamed(_ origin: String, after last: Int64, limit: Int = batchSize) throws(Failure)
        -> [JournaledChange]
    {
        try streams.changes(of: origin, after: last, limit: limit)
    }

    /// Adds changes of a stream to the journal.
    ///
    /// - Returns: whether any change was added.
    private mutating func take(_ origin: String, after last: Int64) throws(Failure) -> Bool {
        let changes = try streamed(origin, after: last)
        try forgetSessions(for: changes)
        let taken = try Self.journaled { [writer, prunable, replicator] () throws(Failure) in
            try writer.follow(changes, beyond: prunable, at: replicator.now())
        }
        if taken.contains(where: { $0.change?.concernsEverybody == true }) {
            try Self.journaled { [writer, replicator] () throws(Failure) in
                try replicator.journal.renewDecisions(from: writer)
            }
        }
        // A request may have made a list of what was forgotten since, before the journal had the removal.
        try forgetSessions(for: taken.filter { $0.change?.erasedUserID != nil })
        let users = taken.compactMap { $0.change?.userID }.filter { ledger.content?.times(of: $0) != nil }
        if !users.isEmpty { try erase(among: users) }
        replicator.counts.withLock { $0.followed += UInt64(taken.count) }
        for change in taken {
            if let change = change.change { replicator.journal.changes.note(change) }
            if change.isNewer { replicator.counts.withLock { $0.unreadable += 1 } }
        }
        if taken.isEmpty { gap = "the stream of the journal \(origin) has a gap after number \(last)" }
        return !taken.isEmpty
    }

    /// Sends changes that a stream lacks.
    ///
    /// - Returns: whether the stream took them; false if another daemon was faster.
    private mutating func send(_ origin: String, after last: Int64, in exchange: ChangeExchange, isRemade: Bool)
        throws(Failure) -> Bool
    {
        let changes = try Self.journaled { [writer] () throws(Failure) in
            try writer.changes(of: origin, after: last, limit: Self.batchSize)
        }
        // A damaged change is fetched or given up before those after it are sent.
        guard changes.first?.sequence == last + 1 else { return false }
        try forgetSessions(for: changes)
        let isDone = try streams.add(
            changes, to: origin, expecting: exchange.streams[origin], isRemade: isRemade)
        if isDone { replicator.counts.withLock { $0.sent += UInt64(changes.count) } }
        // The stream is as this daemon has left it, and another daemon may not have reached it yet.
        if isRemade { earlierStreams[origin] = nil }
        return isDone
    }

    /// Removes, here and in the store, the lists of members who are forgotten or have everything forgotten.
    ///
    /// This happens before changes count as received or sent; after a failure or the end of the process it is therefore
    /// repeated. Changes of this daemon count too, because the store may have been away when the member was answered.
    private mutating func forgetSessions(for changes: [JournaledChange]) throws(Failure) {
        // A store without a key gets the ledger of the catalog later.
        if let key = ledger.content?.key {
            let noted = try streams.noteForgotten(by: changes, key: key)
            ledger.content?.merge(noted)
            replicator.journal.ledger.withLock { $0?.merge(noted) }
        }
        for change in changes.compactMap(\.change) {
            if case .member(let change) = change, case .forget = change.action {
                replicator.hasForgotten.store(true, ordering: .relaxed)
            }
            guard let user = change.erasedUserID else { continue }
            replicator.hasForgotten.store(true, ordering: .relaxed)
            try replicator.channel.forgetSessions(ofUser: user)
            try replicator.sessions.forgetAll(ofUser: user)
            replicator.journal.changes.memberChanged(user)
        }
    }

    /// Removes from the journal the changes that all versions of the store and the serving version have for a day.
    private mutating func prune() throws(Failure) {
        // Without a serving version, the next one may turn out to be older than all of the store. A damaged manifest
        // does not say what is prunable, so nothing is pruned.
        guard let served = replicator.follower.current.snapshot,
            let manifests = try? replicator.follower.store.versions()
        else {
            return
        }
        let taken = AppliedChanges.inAll((manifests + [served.manifest]).map(\.taken))
        // A store that has lost its versions does not say what others still need.
        if !manifests.isEmpty {
            try Self.journaled { [writer, replicator] () throws(Failure) in
                try writer.prune(taken, recordedBefore: replicator.now() - ChangeJournal.keptMilliseconds)
            }
        }
        prunable = taken
        prunedFor = served.version
    }

    /// Erases the data that was forgotten since the last time.
    private func eraseForgotten() throws(Failure) {
        guard replicator.hasForgotten.exchange(false, ordering: .relaxed) else { return }
        let isDone = try Self.journaled { [writer] () throws(Failure) in try writer.eraseForgotten() }
        if !isDone { replicator.hasForgotten.store(true, ordering: .relaxed) }
    }

    private static func journaled<Result>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        do throws(Failure) { return try body() } catch { throw failedRecording(error) }
    }

    private static func failedRecording(_ error: Failure) -> Failure {
        Failure(.journalFailed, "changes cannot be recorded: \(error.message)")
    }
}
