import SQLite
import Synchronization

/// Counts the sessions of a file that have not ended.
///
/// It reads a few rows at a time, as there may be millions, each is a page, and no list should wait for that.
final class SessionTally: Sendable {
    /// How often some rows are read.
    static let interval = Duration.milliseconds(200)

    /// How many steps a round takes, a quarter of an hour, unless there are few rows.
    private static let stepsPerRound = 4_500
    /// Fewer rows at a time would cost hardly less: each step opens the file.
    private static let leastRows = 20

    private struct State {
        /// How many rows are read at a time.
        var rowLimit: Int
        /// The row up to which this round has come.
        var row: Int64 = 0
        /// How many rows of this round have been read, and how many of their sessions have not ended.
        var readCount = 0
        var count = 0
        /// Those of the last round; nil before the first is over.
        var alive: Int?
    }

    private let path: String
    private let rowsPerStep: Int
    private let state: Mutex<State>

    /// - Parameters:
    ///   - path: the file of a daemon's sessions.
    ///   - rowsPerStep: how many rows are read at a time in the first round, when nobody knows how many there are.
    init(path: String, rowsPerStep: Int = 200) {
        self.path = path
        self.rowsPerStep = rowsPerStep
        state = Mutex(State(rowLimit: rowsPerStep))
    }

    /// How many sessions had not ended when all rows were last read; nil if they never were.
    var alive: Int? { state.withLock { $0.alive } }

    /// Reads some more rows.
    ///
    /// - Parameter now: Unix milliseconds.
    func step(at now: Int64) {
        state.withLock { state in
            do { try read(at: now, &state) } catch {
                // The file may be new, or put aside as damaged: the next round begins with what is there then.
                state = State(rowLimit: rowsPerStep, alive: state.alive)
            }
        }
    }

    private func read(at now: Int64, _ state: inout State) throws {
        guard let file = try KeptSessions(path: path) else { return }
        let rows = try file.database.prepare(
            "SELECT rowid, used_at, session_id FROM sessions WHERE rowid > ? ORDER BY rowid LIMIT ?")
        rows.bind(state.row, at: 1)
        rows.bind(Int64(state.rowLimit), at: 2)
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
