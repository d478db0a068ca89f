package import Basics
import Glibc
import SQLite

/// The log of the imports and recomputes of a catalog, in a small SQLite file beside it.
///
/// The file has the catalog's name with `-work` at the end. It is apart from the catalog, because an import is one
/// transaction, and nobody else can write or see its progress meanwhile. A job never fails because of its log.
package final class WorkLog: Sendable {
    /// The most jobs that are kept, inclusive: the newest ones.
    package static let runLimit = 50
    /// The longest text of a job that is kept, in bytes.
    static let textLimit = 4000

    private struct Connection {
        var database: Database?
        var run: Int64 = 0
        var noted: ContinuousClock.Instant?
    }

    private let connection: Locked<Connection>
    private let now: @Sendable () -> Int64

    /// Begins to log a job; without access to the file, nothing is logged.
    ///
    /// - Parameters:
    ///   - job: the name of the job, such as "import groups".
    ///   - now: the clock, in Unix milliseconds.
    package init(_ job: String, beside catalog: String, now: @escaping @Sendable () -> Int64) {
        self.now = now
        var opened = Connection()
        do throws(Failure) {
            let database = try Database(path: Self.path(beside: catalog), mode: .create, busyTimeoutSeconds: 0.5)
            // A loss of power may damage the log, which is then begun anew.
            try database.execute(
                """
                PRAGMA synchronous = OFF; PRAGMA secure_delete = ON;
                CREATE TABLE IF NOT EXISTS runs (
                    run INTEGER PRIMARY KEY, job TEXT NOT NULL, host TEXT NOT NULL, process INTEGER NOT NULL,
                    started_at INTEGER NOT NULL, noted_at INTEGER NOT NULL, ended_at INTEGER,
                    step TEXT NOT NULL DEFAULT '', done INTEGER, total INTEGER, unit TEXT, remaining_seconds REAL,
                    failed INTEGER NOT NULL DEFAULT 0, outcome TEXT NOT NULL DEFAULT '', notes TEXT NOT NULL DEFAULT ''
                )
                """)
            try database.run(
                "INSERT INTO runs (job, host, process, started_at, noted_at) VALUES (?, ?, ?, ?4, ?4)", job, Self.host,
                Int64(getpid()), now())
            opened.run = database.lastInsertedRowID
            try database.execute(
                "DELETE FROM runs WHERE run NOT IN (SELECT run FROM runs ORDER BY run DESC LIMIT \(Self.runLimit))")
            opened.database = database
        } catch {
            if error.isOfDamagedDatabase { try? FileTree.remove(Self.path(beside: catalog)) }
        }
        connection = Locked(opened)
    }

    package static func path(beside catalog: String) -> String { (Catalog.resolved(catalog) ?? catalog) + "-work" }

    /// Notes the progress of a step, at most once a second; may be called from any thread.
    ///
    /// - Parameters:
    ///   - step: the name of the step, or nil for the same one.
    ///   - done: the work done so far in the step.
    ///   - total: all work of the step, or nil if it is not known.
    ///   - unit: the unit of `done`, or nil if it means nothing to a person.
    ///   - remainingSeconds: the expected duration of the rest of the job, or nil if it is not known.
    package func advance(
        to step: String? = nil, done: Int? = nil, total: Int? = nil, unit: String? = nil,
        remainingSeconds: Double? = nil
    ) {
        connection.withLock { connection in
            if step == nil, let last = connection.noted, last.duration(to: .now) < .seconds(1) { return }
            connection.noted = .now
            guard let database = connection.database,
                let update = try? database.prepare(
                    """
                    UPDATE runs SET noted_at = ?, step = coalesce(?, step), done = ?, total = ?, unit = ?,
                    remaining_seconds = ? WHERE run = ?
                    """)
            else { return }
            update.bind(now(), step, done, total, unit)
            update.bind(remainingSeconds, at: 6)
            update.bind(connection.run, at: 7)
            try? update.run()
        }
    }

    /// Notes the end of the job.
    ///
    /// Values from files may belong to members, so quoted ones and unknown ids are left out.
    ///
    /// - Parameters:
    ///   - outcome: the outcome, in a sentence.
    ///   - hasFailed: whether the job has failed.
    ///   - notes: further lines, such as the reasons for rejected rows.
    package func end(_ outcome: String, hasFailed: Bool = false, notes: [String] = []) {
        let texts = [outcome, notes.joined(separator: "\n")].map { Self.cut(Self.withoutValues($0)) }
        connection.withLock { connection in
            guard let database = connection.database,
                let update = try? database.prepare(
                    """
                    UPDATE runs SET noted_at = ?1, ended_at = ?1, remaining_seconds = NULL, failed = ?2, outcome = ?3,
                    notes = ?4 WHERE run = ?5
                    """)
            else { return }
            update.bind(now(), hasFailed ? 1 : 0 as Int64, texts[0], texts[1], connection.run)
            try? update.run()
        }
    }

    /// Returns a text without quoted values other than commands, and without ids that are not known.
    static func withoutValues(_ text: String) -> String {
        text.replacing(#/"([^"\n]*)"/#, with: { $0.output.1.hasPrefix("coterie ") ? $0.output.0 : "“…”" }).replacing(
            #/there is no (group|user|photo) [^\n]*/#, with: { "there is no such \($0.output.1)" })
    }

    private static func cut(_ text: String) -> String {
        text.utf8.count <= textLimit ? text : "\(text.prefix(textLimit / 4))…"
    }

    /// The name of this machine.
    private static var host: String {
        var name = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&name, name.count - 1) == 0 else { return "" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

extension WorkLog {
    /// A job in the log.
    package struct Run: Sendable, Equatable {
        /// The name, such as "import groups".
        package var job: String
        /// The start and the last news, in Unix milliseconds.
        package var startedAtMilliseconds, notedAtMilliseconds: Int64
        /// The end in Unix milliseconds, or nil if none was noted.
        package var endedAtMilliseconds: Int64?
        /// The step that runs, or ran last.
        package var step: String
        /// The work done in the step, and all work of the step, as far as they are known.
        package var done, total: Int?
        /// The unit of the work, or nil if it means nothing to a person.
        package var unit: String?
        /// The expected duration of the rest in seconds, or nil if it is not known.
        package var remainingSeconds: Double?
        package var hasFailed: Bool
        /// The outcome, in a sentence.
        package var outcome: String
        /// Further lines, such as the reasons for rejected rows.
        package var notes: [String]
        /// Whether the job's process is gone, although no end was noted.
        package var isLost: Bool
    }

    /// Returns the jobs of a catalog, the newest first; none if there is no log.
    ///
    /// - Throws: `Failure` if the log cannot be read.
    package static func runs(beside catalog: String) throws(Failure) -> [Run] {
        let path = path(beside: catalog)
        guard FileTree.exists(path) else { return [] }
        do throws(Failure) {
            let database = try Database(path: path, mode: .readOnly, busyTimeoutSeconds: 1)
            let rows = try database.prepare(
                """
                SELECT job, started_at, noted_at, ended_at, step, done, total, unit, remaining_seconds, failed,
                outcome, notes, host, process FROM runs ORDER BY run DESC LIMIT \(runLimit)
                """)
            var runs: [Run] = []
            while try rows.step() {
                let end = rows.optionalInteger(3)
                // A process of another machine cannot be looked for.
                let isGone =
                    end == nil && rows.text(12) == host
                    && kill(pid_t(truncatingIfNeeded: rows.integer(13)), 0) != 0 && errno == ESRCH
                runs.append(
                    Run(
                        job: rows.text(0), startedAtMilliseconds: rows.integer(1),
                        notedAtMilliseconds: rows.integer(2), endedAtMilliseconds: end, step: rows.text(4),
                        done: rows.optionalInteger(5).map { Int($0) }, total: rows.optionalInteger(6).map { Int($0) },
                        unit: rows.optionalText(7), remainingSeconds: rows.optionalNumber(8),
                        hasFailed: rows.integer(9) != 0, outcome: rows.text(10),
                        notes: rows.text(11).split(separator: "\n").map(String.init), isLost: isGone))
            }
            return runs
        } catch { throw Failure(.fileFailed, "the log of jobs \(path) cannot be read: \(error.message)") }
    }
}
