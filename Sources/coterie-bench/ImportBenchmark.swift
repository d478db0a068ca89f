import CatalogStore
import CommandLineOptions
import Glibc
import Model
import SQLite

/// `coterie-bench import`: importing a file of pairs against plain inserts of the same pairs.
///
/// The reference inserts sorted pairs of integers in one transaction into a table with the same key and the same
/// reverse index. Both run in turn on the same file system.
enum ImportBenchmark: Benchmark {
    static let command = Command(
        "import", summary: "Compare the time of an import with that of plain inserts of the same rows",
        discussion: """
            Imports FILE into a new catalog, then inserts the same rows as sorted integer pairs in one transaction \
            with the same indexes. Reports the median times, and the median of the ratios of the rounds.
            """,
        arguments: [
            Argument("KIND", help: "memberships or pools"), Argument("FILE", help: "The file to import"),
        ],
        options: [
            Option("rounds", "N", help: "The number of rounds, each of both", default: "3"),
            Option("folder", "FOLDER", help: "The folder for the databases", default: "/tmp"),
        ],
        examples: ["coterie-bench import memberships memberships.tsv"])

    static func run(_ parsed: ParsedCommand) throws {
        guard let source = RelationTable.standard.map(\.source).first(where: { $0.table == parsed.arguments[0] }) else {
            throw UsageError("KIND is memberships or pools, not \"\(parsed.arguments[0])\"")
        }
        let scratch = "\(parsed.text("folder"))/coterie-bench-\(getpid())"
        defer { remove(scratch) }
        try compare(
            source, file: parsed.arguments[1], rounds: try parsed.integer("rounds", in: 1...100), scratch: scratch)
    }

    private static func compare(_ source: RelationSource, file: String, rounds: Int, scratch: String) throws {
        var ratios: [Double] = []
        var importSeconds: [Double] = []
        var referenceSeconds: [Double] = []
        var rows = 0
        for round in 1...rounds {
            remove(scratch)
            let catalog = try Catalog(path: scratch + ".sqlite", mode: .writing)
            let options = ImportOptions(rejectsPath: scratch + "-rejects.tsv")
            let summary = try Importer(into: catalog, kind: .relation(source), options: options).run([file])
            rows = summary.rows
            let seconds = try reference(source, catalogPath: scratch + ".sqlite", path: scratch + "-reference.sqlite")
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
            {"benchmark":"import","rows":\(rows),"rounds":\(rounds),\
            "importSeconds":\(Measuring.fixed(Measuring.median(importSeconds))),\
            "referenceSeconds":\(Measuring.fixed(Measuring.median(referenceSeconds))),\
            "ratio":\(Measuring.fixed(Measuring.median(ratios)))}
            """)
    }

    /// Inserts the pairs of a catalog into a new database.
    ///
    /// - Returns: the seconds of the inserts alone.
    private static func reference(_ source: RelationSource, catalogPath: String, path: String) throws -> Double {
        let entry = source.entryColumn
        var pairs: [(Int64, Int64)] = []
        let catalog = try Database(path: catalogPath, mode: .readOnly)
        try catalog.prepare("SELECT group_key, \(entry) FROM \(source.table) ORDER BY group_key, \(entry)")
            .forEachIntegerPair { pairs.append(($0, $1)) }
        let database = try Database(path: path, mode: .create)
        try database.execute(
            """
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = NORMAL;
            PRAGMA secure_delete = OFF;
            PRAGMA cache_size = -262144;
            CREATE TABLE pairs (group_key INTEGER NOT NULL, entry_key INTEGER NOT NULL, time INTEGER,
                PRIMARY KEY (group_key, entry_key)) WITHOUT ROWID;
            CREATE INDEX pairs_by_entry ON pairs (entry_key, group_key);
            """)
        return try Measuring.seconds {
            try database.execute("BEGIN")
            let insert = try database.prepare("INSERT INTO pairs VALUES (?, ?, ?)")
            for (group, entry) in pairs { try insert.run(group, entry, nil) }
            try database.execute("COMMIT")
        }.seconds
    }

    private static func remove(_ scratch: String) {
        for name in [".sqlite", "-reference.sqlite"] {
            for suffix in ["", "-wal", "-shm"] { _ = unsafe unlink(scratch + name + suffix) }
        }
        _ = unsafe unlink(scratch + "-rejects.tsv")
    }
}
