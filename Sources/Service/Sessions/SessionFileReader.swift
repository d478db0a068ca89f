package import Basics
import Answers
import Glibc
import Model
import SQLite
import Synchronization

/// The lists of sessions in a daemon's file, for another program.
package struct SessionFileReader {
    let database: Database
    private let path: String

    /// Opens the file of a daemon, or returns `nil` if there is none.
    ///
    /// - Throws: `Failure.databaseFailed` if the file cannot be opened.
    package init?(path: String) throws(Failure) {
        guard FileTree.exists(path) else { return nil }
        self.path = path
        do throws(Failure) {
            database = try Database(path: path, mode: .readWrite)
            try database.execute("PRAGMA secure_delete = ON")
        } catch { throw Self.failure(path, error) }
    }

    /// Returns the number of lists of a member.
    package func count(ofUser user: String) throws(Failure) -> Int {
        try run("SELECT count(*) FROM sessions WHERE user_id = ?", user) { statement throws(Failure) in
            try statement.step() ? Int(statement.integer(0)) : 0
        }
    }

    /// Returns the lists of a member as JSON objects; of a list that cannot be read, only its session and time.
    package func lists(ofUser user: String) throws(Failure) -> [String] {
        do throws(Failure) {
            let rows = try database.prepare("SELECT session_id, used_at, plan FROM sessions WHERE user_id = ?", user)
            var lists: [String] = []
            while try rows.step() {
                let session = rows.text(0)
                let plan = try? FrozenPlan(
                    sealed: rows.bytes(2), ofUser: user, session: session.isEmpty ? nil : session)
                let list = JSONWriter.object { json in
                    json.member("sessionId", session)
                    json.member("usedAtMilliseconds", rows.integer(1))
                    guard let plan else { return }
                    json.member("recommendationId", plan.recommendationID)
                    json.member("groupIds", plan.items.indices.map { plan.ids[$0] })
                    json.member("interests", plan.topics)
                }
                lists.append(String(decoding: list, as: UTF8.self))
            }
            return lists
        } catch { throw failure(error) }
    }

    /// Removes all lists of a member, also from the write-ahead log unless a reader is active.
    ///
    /// - Returns: the number of removed lists.
    package func forget(ofUser user: String) throws(Failure) -> Int {
        let before = database.totalChanges
        return try run("DELETE FROM sessions WHERE user_id = ?", user) { statement throws(Failure) in
            try statement.run()
            _ = try database.emptyLog()
            return Int(database.totalChanges - before)
        }
    }

    private func run(_ sql: String, _ user: String, _ body: (Statement) throws(Failure) -> Int)
        throws(Failure) -> Int
    {
        do throws(Failure) {
            let statement = try database.prepare(sql, user)
            defer { statement.reset() }
            return try body(statement)
        } catch { throw failure(error) }
    }

    func failure(_ error: Failure) -> Failure { Self.failure(path, error) }

    private static func failure(_ path: String, _ error: Failure) -> Failure {
        let refusal = FileAccess.refusal(toWrite: FileAccess.database(path))
        return Failure(
            .databaseFailed, "the sessions in \(path) cannot be read or written: \(refusal ?? error.message)")
    }
}

extension SessionFileReader {
    /// The result of reading a whole file of sessions.
    package struct Examination: Sendable, Equatable {
        package var lists = 0
        /// The number of damaged lists; their sessions get new ones.
        package var damagedLists = 0
        /// The findings of SQLite's integrity check, at most ten lines.
        package var damage: [String] = []
    }

    /// Reads all lists, and changes nothing.
    ///
    /// - Throws: `Failure.databaseFailed` if the file cannot be read.
    package func examine() throws(Failure) -> Examination {
        do throws(Failure) {
            var examination = Examination()
            let check = try database.prepare("PRAGMA integrity_check(10)")
            while try check.step() { if check.text(0) != "ok" { examination.damage.append(check.text(0)) } }
            guard examination.damage.isEmpty else { return examination }
            let rows = try database.prepare("SELECT user_id, session_id, plan FROM sessions")
            while try rows.step() {
                examination.lists += 1
                let session = rows.text(1)
                do {
                    _ = try FrozenPlan(
                        sealed: rows.bytes(2), ofUser: rows.text(0), session: session.isEmpty ? nil : session)
                } catch {
                    if error == .damaged { examination.damagedLists += 1 }
                }
            }
            return examination
        } catch { throw failure(error) }
    }
}

/// Counts damaged lists of sessions, and logs the first one.
///
/// A disk or a server that has damaged one list may have damaged all. A line for each would hide everything else.
final class DamagedLists: Sendable {
    private let log: EventLog
    private let count = Atomic<UInt64>(0)

    init(_ log: EventLog) { self.log = log }

    var total: UInt64 { count.load(ordering: .relaxed) }

    /// Logs that a file is of another program, and is begun anew.
    func foundOtherFormat(in place: String) {
        log.info(
            "the session lists in \(place) are of another program: the file is begun anew, and members get new lists")
    }

    /// Counts a damaged list, which is not shown.
    ///
    /// - Parameter place: the place where it was stored.
    func found(in place: String) {
        guard count.wrappingAdd(1, ordering: .relaxed).oldValue == 0 else { return }
        log.warning(
            """
            a session's list in \(place) is damaged and is made anew; further ones are only counted, in \(Self.name)
            """)
    }
}

extension DamagedLists: MetricSource {
    private static let name = "coterie_sessions_damaged_total"

    func write(to text: inout MetricsText) {
        text.counter(Self.name, "Lists of sessions that were damaged where they were kept.", total)
    }
}

/// Counts the sessions of a file that have not ended.
///
/// It reads a few rows at a time, so that no list waits: there may be millions of rows, each on its own page.
final class SessionTally: Sendable {
    /// The steps of a round, which is a quarter of an hour of reports, unless there are few rows.
    private static let stepsPerRound = 450
    /// The fewest rows in a step, because each step opens the file.
    private static let leastRows = 200

    private struct State {
        /// The number of rows to read in a step.
        var rowLimit: Int
        /// The last row that was read in this round.
        var row: Int64 = 0
        /// The rows read in this round, and the number of sessions among them that have not ended.
        var readCount = 0
        var count = 0
        /// The count of the last round, or `nil` before the end of the first.
        var alive: Int?
    }

    private let path: String
    private let rowsPerStep: Int
    private let state: Mutex<State>

    /// Creates a tally.
    ///
    /// - Parameters:
    ///   - path: the path of a daemon's sessions.
    ///   - rowsPerStep: the rows to read in each step of the first round, when the number of rows is not known.
    init(path: String, rowsPerStep: Int = 200) {
        self.path = path
        self.rowsPerStep = rowsPerStep
        state = Mutex(State(rowLimit: rowsPerStep))
    }

    /// The number of sessions that had not ended in the last round, or `nil` before the end of the first.
    var alive: Int? { state.withLock { $0.alive } }

    /// Reads the next rows.
    ///
    /// - Parameter now: the time, in Unix milliseconds.
    func step(at now: Int64) {
        state.withLock { state in
            do { try read(at: now, &state) } catch {
                // The file may be new, or put aside as damaged: the next round begins with the file that is there then.
                state = State(rowLimit: rowsPerStep, alive: state.alive)
            }
        }
    }

    private func read(at now: Int64, _ state: inout State) throws {
        guard let file = try SessionFileReader(path: path) else { return }
        let rows = try file.database.prepare(
            "SELECT rowid, used_at, session_id FROM sessions WHERE rowid > ? ORDER BY rowid LIMIT ?")
        rows.bind(state.row, state.rowLimit)
        var rowCount = 0
        while try rows.step() {
            rowCount += 1
            state.row = rows.integer(0)
            let session = rows.text(2)
            let alive = SessionLife.lastUse(ofSession: session.isEmpty ? nil : session, at: now)
            if alive.contains(rows.integer(1)) { state.count += 1 }
        }
        state.readCount += rowCount
        guard rowCount < state.rowLimit else { return }
        let rowLimit = max(min(Self.leastRows, rowsPerStep), state.readCount / Self.stepsPerRound)
        state = State(rowLimit: rowLimit, alive: state.count)
    }
}
