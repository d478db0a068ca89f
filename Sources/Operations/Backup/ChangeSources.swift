import CatalogStore
import Changes
import Model
import ModelStore
import SQLite

/// The changes of all journals and streams of a backup.
struct ChangeSources {
    private let journals: [ChangeJournal]
    private let streams: [StreamCopy]

    init(journals: [ChangeJournal], streams: [StreamCopy]) {
        self.journals = journals
        self.streams = streams
    }

    /// Returns the last change of each journal.
    func last() throws(BackupError) -> [String: Int64] {
        var last: [String: Int64] = [:]
        var all: [[String: SequenceRange]] = []
        for copy in streams { all.append(try copy.numbers()) }
        for journal in journals { all.append(try journaled { () throws(ChangeError) in try journal.kept() }) }
        for (origin, numbers) in all.joined() { last[origin] = max(last[origin] ?? 0, numbers.last) }
        return last
    }

    /// Returns the number of changes about each member; members without changes are left out.
    func traces(of users: [String]) throws(BackupError) -> [BytewiseString: Int] {
        var merge = ChangeMerge(try last().mapValues { SequenceRange(after: 0, last: $0) })
        var traces: [BytewiseString: Int] = [:]
        while true {
            let changes = try merge.next(limit: 1000) { origin, after, limit throws(BackupError) in
                try self.changes(of: origin, after: after, limit: limit)
            }
            if changes.isEmpty { return traces }
            for change in changes where change.tellsOfMember {
                for user in users where change.names(user: user) { traces[BytewiseString(user), default: 0] += 1 }
            }
        }
    }

    /// Returns changes of a journal after a number, from a source that has the next one.
    func changes(of origin: String, after sequence: Int64, limit: Int) throws(BackupError) -> [JournaledChange] {
        var all: [[JournaledChange]] = []
        for copy in streams { all.append(try copy.changes(of: origin, after: sequence, limit: limit)) }
        for journal in journals {
            all.append(
                try journaled { () throws(ChangeError) in
                    try journal.changes(of: origin, after: sequence, limit: limit)
                })
        }
        return all.min { ($0.first?.sequence ?? .max) < ($1.first?.sequence ?? .max) } ?? []
    }
}

/// A copy of the changes in the streams in Redis, as a SQLite file.
///
/// Unlike a journal, the copy may have gaps where the streams had them.
struct StreamCopy {
    private let database: Database

    /// Copies the changes of streams that are beyond others to a new file, and counts them.
    static func make(_ path: String, of channel: SharedChannel, beyond taken: AppliedChanges) throws(BackupError)
        -> (copy: StreamCopy, count: Int)
    {
        let copy = try StreamCopy(path, makes: true)
        var streams = try stored { () throws(StoreError) in try channel.journals() }
        var count = 0
        try streams.forEachBatch(beyond: taken, wrap: BackupError.init) { changes throws(BackupError) in
            try copy.add(changes)
            count += changes.count
        }
        return (copy, count)
    }

    /// Opens a file, or creates it if `makes` is true.
    init(_ path: String, makes: Bool = false) throws(BackupError) {
        database = try Self.using { () throws(DatabaseError) in
            let database = try Database(path: path, mode: makes ? .create : .readWrite)
            if makes {
                try database.execute(
                    """
                    CREATE TABLE changes (
                        origin TEXT NOT NULL,
                        sequence INTEGER NOT NULL,
                        stamp INTEGER NOT NULL,
                        body BLOB NOT NULL,
                        PRIMARY KEY (origin, sequence)
                    ) WITHOUT ROWID
                    """)
            }
            return database
        }
    }

    /// Adds changes.
    func add(_ changes: [JournaledChange]) throws(BackupError) {
        try Self.using { () throws(DatabaseError) in
            try database.transaction(wrap: { $0 }) { () throws(DatabaseError) in
                let insert = try database.prepare("INSERT INTO changes VALUES (?, ?, ?, ?)")
                for change in changes {
                    insert.bind(change.origin, at: 1)
                    insert.bind(change.sequence, at: 2)
                    insert.bind(change.stampMilliseconds, at: 3)
                    insert.bind(bytes: change.encoded, at: 4)
                    try insert.run()
                }
            }
        }
    }

    /// Returns the number before the first change of each journal, and the number of the last.
    func numbers() throws(BackupError) -> [String: SequenceRange] {
        try Self.using { () throws(DatabaseError) in
            let rows = try database.prepare("SELECT origin, min(sequence), max(sequence) FROM changes GROUP BY origin")
            var numbers: [String: SequenceRange] = [:]
            while try rows.step() {
                numbers[rows.text(0)] = SequenceRange(after: rows.integer(1) - 1, last: rows.integer(2))
            }
            return numbers
        }
    }

    /// Returns changes of a journal after a number, in the order of their numbers.
    func changes(of origin: String, after sequence: Int64, limit: Int) throws(BackupError) -> [JournaledChange] {
        try Self.using { () throws(DatabaseError) in
            let rows = try database.prepare(
                """
                SELECT origin, sequence, stamp, body FROM changes
                WHERE origin = ? AND sequence > ? ORDER BY sequence LIMIT ?
                """)
            rows.bind(origin, at: 1)
            rows.bind(sequence, at: 2)
            rows.bind(Int64(limit), at: 3)
            var changes: [JournaledChange] = []
            while try rows.step() {
                changes.append(
                    JournaledChange(
                        origin: rows.text(0), sequence: rows.integer(1), stampMilliseconds: rows.integer(2),
                        encoded: rows.bytes(3)))
            }
            return changes
        }
    }

    private static func using<Result>(_ body: () throws(DatabaseError) -> Result) throws(BackupError) -> Result {
        do throws(DatabaseError) { return try body() } catch { throw BackupError(CatalogError(error)) }
    }
}
