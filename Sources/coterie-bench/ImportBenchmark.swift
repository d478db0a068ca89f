import CatalogStore
import CommandLineOptions
import Glibc
import Model
import SQLite

/// `coterie-bench import`: importing a file against plain inserts of the same rows.
///
/// The reference has the rows in memory as they are stored, in the order of their keys, and inserts them by SQLite's C
/// interface in one transaction into tables with the same keys and indexes. Both run in turn on the same file system.
enum ImportBenchmark: Benchmark {
    static let command = Command(
        "import", summary: "Compare the time of an import with that of plain inserts of the same rows",
        discussion: """
            Imports FILE into a new catalog, then inserts the same rows in one transaction with the same indexes. \
            Reports the median times, and the median of the ratios of the rounds.
            """,
        arguments: [
            Argument("KIND", help: "groups, users, photos, memberships or pools"),
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
        let kinds = ImportKind.all()
        guard let kind = kinds.first(where: { $0.name == parsed.arguments[0] }) else {
            throw UsageError("KIND is one of \(kinds.map(\.name).joined(separator: ", "))")
        }
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
            // Of the first import: afterwards the rows of the reference are in memory.
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
