import CatalogStore
import CommandLine
import Glibc
import SQLite

/// The benchmark `coterie-bench import`: importing a file, compared with plain inserts of the same rows.
///
/// The reference has the rows in memory as they are stored, in the order of their keys. The rows are inserted with
/// SQLite's C interface, in one transaction, into tables with the same keys and indexes. Both run in turn on the same
/// file system.
enum ImportBenchmark: Benchmark {
    static let command = Command(
        "import", summary: "Compare the time of an import with that of plain inserts of the same rows",
        discussion: """
            Imports FILE into a new catalog, then inserts the same rows in one transaction with the same indexes. \
            Reports the median times, and the median of the ratios of the rounds.
            """,
        arguments: [
            Argument("KIND", help: "The kind of records", allowed: ImportKind.all().map(\.name)),
            Argument("FILE", help: "The file to import"),
        ],
        options: [
            Option("users", "FILE", help: "Users to import first, untimed, so that photos find their owners"),
            Option("rounds", "N", help: "The number of rounds, each of both", default: "3"),
            Option("folder", "FOLDER", help: "The folder for the databases", default: "/tmp"),
        ],
        examples: [
            "coterie-bench import memberships memberships.tsv",
            "coterie-bench import photos photos.tsv --users users.tsv",
        ])

    static func run(_ parsed: ParsedCommand) throws {
        let kind = parsed.chosen(ImportKind.all(), by: \.name)
        let scratch = "\(parsed.text("folder"))/coterie-bench-\(getpid())"
        defer { remove(scratch) }
        try compare(
            kind, file: parsed.arguments[1], users: parsed.textIfGiven("users"),
            rounds: try parsed.integer("rounds", in: 1...100), scratch: scratch)
    }

    private static func compare(_ kind: ImportKind, file: String, users: String?, rounds: Int, scratch: String) throws {
        var ratios: [Double] = []
        var importSeconds: [Double] = []
        var referenceSeconds: [Double] = []
        var rows = 0
        var peakBytes = 0
        for round in 1...rounds {
            remove(scratch)
            let path = scratch + ".sqlite"
            var options = ImportOptions(rejectsPath: scratch + "-rejects.tsv")
            options.maximumRejectedShare = 1
            if let users {
                _ = try Importer(into: Catalog(path: path, mode: .writing), kind: .users, options: options).run([users])
            }
            let catalog = try Catalog(path: path, mode: .writing)
            let summary = try Importer(into: catalog, kind: kind, options: options).run([file])
            rows = summary.rows
            // The peak is that of the first import, because afterwards the reference's rows are in memory.
            if round == 1 { peakBytes = Measuring.peakBytes }
            let reference = try BareInserts(kind, catalogPath: path)
            let seconds = try reference.seconds(path: scratch + "-reference.sqlite")
            importSeconds.append(summary.seconds)
            referenceSeconds.append(seconds)
            ratios.append(summary.seconds / seconds)
            print(
                """
                round \(round): import \(Measuring.fixed(summary.seconds)) s, \
                reference \(Measuring.fixed(seconds)) s, ratio \(Measuring.fixed(ratios[round - 1]))
                """)
        }
        print(
            """
            {"benchmark":"import","kind":"\(kind.name)","rows":\(rows),"rounds":\(rounds),\
            "importSeconds":\(Measuring.fixed(Measuring.median(importSeconds))),\
            "referenceSeconds":\(Measuring.fixed(Measuring.median(referenceSeconds))),\
            "ratio":\(Measuring.fixed(Measuring.median(ratios))),"peakBytes":\(peakBytes)}
            """)
    }

    private static func remove(_ scratch: String) {
        for name in [".sqlite", "-reference.sqlite"] {
            for suffix in ["", "-wal", "-shm"] { _ = unsafe unlink(scratch + name + suffix) }
        }
        _ = unsafe unlink(scratch + "-rejects.tsv")
    }
}

/// The rows of a catalog's table, inserted again into an empty database.
struct BareInserts {
    private let table: String
    /// The statements that made the table and its indexes in the catalog.
    private let schema: [String]
    private let rows: PackedRows

    /// Reads the rows of a kind, in the order of the table's keys.
    init(_ kind: ImportKind, catalogPath: String) throws {
        table = kind.name
        let catalog = try Database(path: catalogPath, mode: .readOnly)
        let objects = try catalog.prepare(
            "SELECT sql FROM sqlite_schema WHERE tbl_name = ? AND sql IS NOT NULL ORDER BY type DESC", table)
        var schema: [String] = []
        while try objects.step() { schema.append(objects.text(0)) }
        self.schema = schema
        let info = try catalog.prepare("SELECT name, type FROM pragma_table_info('\(table)')")
        var columns: [(name: String, type: String)] = []
        while try info.step() { columns.append((info.text(0), info.text(1))) }
        var key = columns[0].name
        if case .relation(let source) = kind {
            key += ", \(source.entryColumn)"
        } else {
            columns.removeFirst()
        }
        rows = try PackedRows(table, key: key, columns: columns, from: catalog)
    }

    /// Inserts all rows in one transaction; returns the seconds that inserting took, without the preparation.
    func seconds(path: String) throws -> Double {
        let database = try Database(path: path, mode: .create)
        try database.execute(
            """
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = FULL;
            PRAGMA secure_delete = OFF;
            PRAGMA cache_size = -262144;
            """)
        for statement in schema { try database.execute(statement) }
        return try Measuring.seconds {
            try database.execute("BEGIN")
            let marks = rows.names.map { _ in "?" }.joined(separator: ", ")
            try rows.insert(
                by: database.prepare(
                    "INSERT INTO \(table) (\(rows.names.joined(separator: ", "))) VALUES (\(marks))"))
            try database.execute("COMMIT")
        }.seconds
    }
}
