import SQLite
import Synchronization

/// Brings what was written to a database from its write-ahead log to its file, now and again, on a thread of its own.
///
/// SQLite would do it within a commit, every thousand pages, and whoever commits would wait for the disk several times:
/// some ten milliseconds, which at half of a daemon's peak rate is more than one request of a hundred meets.
final class BackgroundCheckpoint: Sendable {
    /// A connection that only the timer uses.
    private struct Connection: @unchecked Sendable {
        let database: Database
    }

    /// Whether the log has to be emptied the next time.
    private final class Wish: Sendable {
        let isToBeEmptied = Atomic(false)
    }

    /// A log of more pages than this is begun anew, which keeps writers waiting for a moment: under a steady load there
    /// is always something in it that is not in the file yet, and it would grow for ever.
    private static let longestLogPages: Int64 = 16_384

    private let timer: RepeatingTimer
    private let wish = Wish()

    /// Does it from now on for a database in WAL mode whose own connections set `wal_autocheckpoint` to 0.
    ///
    /// - Parameter interval: even writers that wait for nothing themselves are slowed down while the disk is busy with it,
    ///   so that it should not be often.
    init(path: String, interval: Duration) throws(DatabaseError) {
        let connection = Connection(database: try Database(path: path, mode: .readWrite))
        timer = RepeatingTimer(label: "checkpoint", interval: interval) { [wish] in
            // What fails now is done the next time, or when the file is closed.
            try? Self.run(connection.database, wish)
        }
    }

    /// Has the log emptied the next time: it holds what was deleted until it is written over.
    func emptyLogSoon() { wish.isToBeEmptied.store(true, ordering: .releasing) }

    private static func run(_ database: Database, _ wish: Wish) throws(DatabaseError) {
        if wish.isToBeEmptied.exchange(false, ordering: .acquiringAndReleasing) {
            guard (try? database.emptyLog()) == true else {
                return wish.isToBeEmptied.store(true, ordering: .releasing)
            }
            return
        }
        let checkpoint = try database.prepare("PRAGMA wal_checkpoint(PASSIVE)")
        guard try checkpoint.step(), checkpoint.integer(1) > longestLogPages else { return }
        checkpoint.reset()
        try database.execute("PRAGMA wal_checkpoint(RESTART)")
    }
}
