import SQLite

/// Brings what was written to a database from its write-ahead log to its file, now and again, on a thread of its own.
///
/// SQLite would do it within a commit, every thousand pages, and whoever commits would wait for the disk several times:
/// some ten milliseconds, which at half of a daemon's peak rate is more than one request of a hundred meets.
final class BackgroundCheckpoint: Sendable {
    /// A connection that only the timer uses.
    private struct Connection: @unchecked Sendable {
        let database: Database
    }

    /// A log of more pages than this is begun anew, which keeps writers waiting for a moment: under a steady load there
    /// is always something in it that is not in the file yet, and it would grow for ever.
    private static let longestLogPages: Int64 = 16_384

    private let timer: RepeatingTimer

    /// Does it from now on for a database in WAL mode whose own connections set `wal_autocheckpoint` to 0.
    ///
    /// - Parameter interval: even writers that wait for nothing themselves are slowed down while the disk is busy with it,
    ///   so that it should not be often.
    init(path: String, interval: Duration) throws(DatabaseError) {
        let connection = Connection(database: try Database(path: path, mode: .readWrite))
        timer = RepeatingTimer(label: "checkpoint", interval: interval) {
            // What fails now is done the next time, or when the file is closed.
            try? Self.run(connection.database)
        }
    }

    private static func run(_ database: Database) throws(DatabaseError) {
        let checkpoint = try database.prepare("PRAGMA wal_checkpoint(PASSIVE)")
        guard try checkpoint.step(), checkpoint.integer(1) > longestLogPages else { return }
        checkpoint.reset()
        try database.execute("PRAGMA wal_checkpoint(RESTART)")
    }
}
