import Catalog
import Glibc
import SQLite

/// `coterie-bench import`: importing a file of pairs against inserting the same pairs bare.
///
/// The reference inserts rows that are integers already and sorted already, in one transaction, into a table with
/// the same key and the same reverse index. Both run in turn on the same file system.
enum ImportBenchmark {
    static let name = "import"

    static let usage = """
        usage: coterie-bench import memberships|pools FILE [--rounds N] [--folder FOLDER]
               Imports FILE into a new catalog, then inserts the same rows as sorted integer pairs in one
               transaction with the same indexes; N rounds (3), in FOLDER (/tmp). The ratio is time by time.
        """

    static func run(_ arguments: [String]) throws(BenchError) {
        var rounds = 3
        var folder = "/tmp"
        var words: [String] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--rounds":
                guard let count = Int(rest.popFirst() ?? ""), (1...100).contains(count) else {
                    throw .usage("--rounds: a number from 1 to 100")
                }
                rounds = count
            case "--folder": folder = rest.popFirst() ?? folder
            default: words.append(argument)
            }
        }
        guard words.count == 2, let kind = ImportKind(rawValue: words[0]), kind == .memberships || kind == .pools else {
            throw .usage(usage)
        }
        let scratch = "\(folder)/coterie-bench-\(getpid())"
        defer { remove(scratch) }
        do {
            try compare(kind, file: words[1], rounds: rounds, scratch: scratch)
        } catch { throw .data("\(error)") }
    }

    private static func compare(_ kind: ImportKind, file: String, rounds: Int, scratch: String) throws {
        var ratios: [Double] = []
        var importSeconds: [Double] = []
        var referenceSeconds: [Double] = []
        var rows = 0
        for round in 1...rounds {
            remove(scratch)
            let catalog = try Catalog(path: scratch + ".sqlite", mode: .writing)
            let options = ImportOptions(rejectsPath: scratch + "-rejects.tsv")
            let summary = try Importer(into: catalog, kind: kind, options: options).run([file])
            rows = summary.rows
            let seconds = try reference(kind, catalogPath: scratch + ".sqlite", path: scratch + "-reference.sqlite")
            importSeconds.append(summary.seconds)
            referenceSeconds.append(seconds)
            ratios.append(summary.seconds / seconds)
            print(
                "round \(round): import \(fixed(summary.seconds)) s, reference \(fixed(seconds)) s, ratio \(fixed(ratios[round - 1]))"
            )
        }
        print(
            """
            {"benchmark":"import","rows":\(rows),"rounds":\(rounds),"importSeconds":\(fixed(median(importSeconds))),\
            "referenceSeconds":\(fixed(median(referenceSeconds))),"ratio":\(fixed(median(ratios)))}
            """)
    }

    /// Inserts the pairs that a catalog holds into a bare database; only the inserting is timed, in seconds.
    private static func reference(_ kind: ImportKind, catalogPath: String, path: String) throws -> Double {
        let entry = kind == .memberships ? "user_key" : "photo_key"
        var pairs: [(Int64, Int64)] = []
        let source = try Database(path: catalogPath, mode: .readOnly)
        try source.prepare("SELECT group_key, \(entry) FROM \(kind.rawValue) ORDER BY group_key, \(entry)")
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
        let start = ContinuousClock.now
        try database.execute("BEGIN")
        let insert = try database.prepare("INSERT INTO pairs VALUES (?, ?, ?)")
        for (group, entry) in pairs { try insert.run(group, entry, nil) }
        try database.execute("COMMIT")
        return SimilarityBenchmark.seconds(ContinuousClock.now - start)
    }

    private static func remove(_ scratch: String) {
        for name in [".sqlite", "-reference.sqlite"] {
            for suffix in ["", "-wal", "-shm"] { _ = unsafe unlink(scratch + name + suffix) }
        }
        _ = unsafe unlink(scratch + "-rejects.tsv")
    }

    static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    static func fixed(_ value: Double) -> String {
        let thousandths = Int((value * 1000).rounded())
        let fraction = String(thousandths % 1000)
        return "\(thousandths / 1000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction)"
    }
}
