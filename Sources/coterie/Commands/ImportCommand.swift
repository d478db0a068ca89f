import Basics
import CatalogStore
import CommandLine
import Recompute
import RecordReading

/// `coterie import KIND FILE…`.
enum ImportCommand: Subcommand {
    private static let kinds = ImportKind.all(of: Coterie.relations)
    private static var names: [String] { kinds.map(\.name) + [VectorImport.name] }

    /// The name of what is imported, and of the columns of its files.
    private struct Content {
        let name: String
        let columnNames: [String]
    }

    static let command = Command(
        "import", changes: true,
        summary: "Import \(names.dropLast().joined(separator: ", ")) or \(names.last ?? "") into the catalog",
        discussion: """
            The first line of a CSV or TSV file names its columns, in any order; in JSON Lines the keys do. A file may \
            leave out all columns but the ids. The columns of each kind:

            \(kinds.map { "\($0.name): \($0.columnNames.joined(separator: ", "))" }.joined(separator: "\n\n"))

            \(VectorImport.help)

            The format, the delimiter, quotes and gzip are detected from the content; --dry-run says how, and why. \
            Times are ISO 8601, as databases write them (2026-11-01 12:00:00+00). They can also be seconds, \
            milliseconds, microseconds or nanoseconds since 1970. \\N, an empty field and a date of zeros are null. A \
            value that cannot be read is unknown, and is counted; a row whose ids or visibility cannot be read is \
            left out. Topics, interests and tags are separated by ";". Importing the same file again changes nothing. \
            A later import overwrites what an earlier one set. Columns that a file does not have keep their values.

            Files of pairs, such as memberships, also make the groups, users and photos that they name. After the \
            first file of groups, groups that no such file describes are not shown: they may be private. The same \
            holds for photos.

            The column listed of users is yes or no. The groups of a member with no do not count in the lists of \
            followers.

            After an import of groups, the store is told which groups of its versions are not public any more. Daemons \
            without the catalog hide them within a second. After one of memberships or users, the members of the \
            version that serves are published anew.

            An import is one transaction: if it fails, or is killed, nothing was changed. Rejected lines are written \
            to a file, with the header of their source. Mend and import it; the reasons are in a file beside it. An \
            import without rejected lines removes such files of an earlier one.
            """,
        arguments: [
            Argument("KIND", help: "The kind of records", allowed: names),
            Argument("FILE", help: "Files; - is standard input", isRepeating: true),
        ],
        options: [
            CommonOptions.catalog,
            Option(
                "format", "FORMAT",
                help: "The format of all files; copy and mysql have backslash escapes (default: detected)",
                allowed: RecordFormat.allCases.map(\.rawValue)),
            Option(
                "delimiter", "DELIMITER", help: "The delimiter of fields (default: detected from the first line)",
                allowed: RecordDelimiter.allCases.map(\.rawValue)),
            Option("null", "WORD", help: "A word that stands for no value, beside \\N and the empty field"),
            Option(
                "columns", "NAME=THEIRS,…", help: "The names of columns in the files: group_id=gid,joined_at=created",
                isRepeating: true),
            Option(
                "public", "WORD,…",
                help: "The words of the column visibility that mean public; all others, and no value, mean private"),
            Option(
                "ignore", "NAME,…", help: "Columns of the files that do not matter, whatever their names suggest",
                isRepeating: true),
            Option(
                "timezone", "ZONE", help: "The zone of times without one: +02:00, Europe/Berlin", default: "UTC"),
            Option(flag: "dry-run", help: "Say what would happen, with ten examples of bad lines; change nothing"),
            Option(flag: "strict", help: "Fail at the first bad line or value, unknown id or unknown column"),
            Option(
                "maximum-rejected", "PERCENT", help: "Fail if more than this share of the lines is rejected",
                default: "1"),
            Option(flag: "replace", help: "Replace all rows of this kind by those of the files"),
            Option(flag: "allow-shrinking", help: "Let --replace remove more than half of the rows"),
            Option(flag: "allow-rejects", help: "Let --replace remove rows although lines were rejected"),
            Option(flag: "another-model", help: "Let more than a tenth of the vectors turn by more than 60 degrees"),
            Option(
                flag: "allow-renames",
                help: "Take groups that look renamed for new ones, and lose hiding, curation and dismissals"),
            Option(flag: "readmit", help: "Let members come back whom \"coterie forget\" has removed"),
            Option(
                "rejects", "FILE",
                help: "The file for rejected lines (default: KIND-rejects.csv, .tsv or .jsonl)", isOutput: true),
        ] + VectorImport.options + CommonOptions.storeOptions + [CommonOptions.json],
        examples: [
            "coterie import memberships memberships.tsv",
            "coterie import photos photos-1.csv.gz photos-2.csv.gz --dry-run",
            "coterie import memberships export.csv --columns group_id=gid,joined_at=created --timezone Europe/Berlin",
            "coterie import groups groups.jsonl --replace --strict",
            "coterie import vectors vectors.npy --ids ids.txt --model-name clip-vit-b32",
        ])

    static func run(_ parsed: ParsedCommand) throws {
        if parsed.arguments[0] == VectorImport.name { return try importVectors(parsed) }
        let kind = parsed.chosen(kinds, by: \.name)
        let options = try options(parsed, Content(name: kind.name, columnNames: kind.columnNames))
        if !options.isDryRun {
            warn(ofRejects: options.rejectsPath)
            // What was recorded before must not remove what the file brings.
            if try CatalogLog.isThere(besideCatalog: parsed.text("catalog"), parsed.openStore()) {
                try applyChanges(parsed)
            }
        }
        try show(parsed, kind.name) { report in
            try Importer(
                into: catalog(parsed, isDryRun: options.isDryRun), kind: kind, options: options, report: report
            ).run(Array(parsed.arguments.dropFirst()))
        } finish: {
            // Daemons without a catalog are told which groups are private by now and what members have, and the store
            // who came back.
            if kind == .groups || kind.changesMembers || options.readmits, !options.isDryRun {
                try applyChanges(parsed, renewsMembers: true)
            }
        }
    }

    /// Applies what was recorded; a failure is a warning, as the next applying makes up for it.
    private static func applyChanges(_ parsed: ParsedCommand, renewsMembers: Bool = false) throws {
        guard Catalog.resolved(parsed.text("catalog")) != nil else { return }
        let store = try parsed.openStore()
        do throws(Failure) { try parsed.applyChanges(store, renewsMembers: renewsMembers) } catch {
            // The import itself says what is wrong with the catalog.
            guard error.code.isOutOfReach || error.code == .corrupt else { return }
            printToStandardError("warning: \(error). The next \"coterie apply\" makes up for it")
        }
    }

    private static func importVectors(_ parsed: ParsedCommand) throws {
        let sources = try VectorImport.sources(parsed)
        let options = try options(
            parsed, Content(name: VectorImport.name, columnNames: VectorImport.columnNames))
        if !options.isDryRun { warn(ofRejects: options.rejectsPath) }
        try show(parsed, VectorImport.name) { report in
            try VectorImporter(
                into: catalog(parsed, isDryRun: options.isDryRun), model: parsed.textIfGiven("model-name"),
                options: options, report: report
            ).run(sources)
        }
    }

    /// Runs an import, with a progress line and what follows it, and shows its result.
    private static func show(
        _ parsed: ParsedCommand, _ name: String, _ run: (@escaping (ImportProgress) -> Void) throws -> ImportSummary,
        finish: () throws -> Void = {}
    ) throws {
        let line = ProgressLine()
        let watcher = ImportWatcher(
            line: line, name: name, catalog: parsed.flag("dry-run") ? nil : parsed.text("catalog"))
        // The first import of all makes the catalog. If it cannot, it leaves no log either.
        if Catalog.resolved(parsed.text("catalog")) != nil { watcher.log?.advance(to: "reading") }
        let summary: ImportSummary
        do {
            summary = try run(watcher.report)
        } catch {
            line.clear()
            if Catalog.resolved(parsed.text("catalog")) != nil {
                watcher.log?.end(Failure(error).message, hasFailed: true)
            }
            throw error
        }
        line.clear()
        let report = ImportReport(summary: summary, zone: parsed.text("timezone"), isDryRun: parsed.flag("dry-run"))
        watcher.log?.end(
            report.lines[0],
            notes: report.lines.dropFirst()
                + summary.examples.map { "rejected: \($0.source), line \($0.line): \($0.reason)" })
        try finish()
        try parsed.print(ImportOutcome(summary: summary, isDryRun: report.isDryRun)) { output in
            for text in report.lines { try output.line(text) }
        }
        if let failure = summary.failure { throw Failure(failure) }
    }

    /// Says it before reading if a bad line would stop the import, because it could not be written.
    private static func warn(ofRejects path: String) {
        let folder = FileTree.folder(of: path)
        guard let reason = Catalog.obstacle(toCreatingIn: folder) else { return }
        printToStandardError(
            "bad lines could not be written to \(path), and would stop the import: \(reason); name another file with "
                + "--rejects")
    }

    /// Returns the catalog to import into; a dry run creates none.
    private static func catalog(_ parsed: ParsedCommand, isDryRun: Bool) throws(Failure) -> Catalog {
        let path = parsed.text("catalog")
        guard isDryRun else {
            if let place = CatalogPlace(of: path), place != .mountedFile {
                printToStandardError("\(place.problem(ofCatalog: path)); \(place.advice)")
            }
            return try Catalog(path: path, mode: .writing, relations: Coterie.relations)
        }
        do throws(Failure) {
            return try Catalog(path: path, mode: .trying, relations: Coterie.relations)
        } catch {
            guard error.code == .missing else { throw error }
            return try Catalog(path: "", mode: .writing, relations: Coterie.relations)
        }
    }

    private static func options(_ parsed: ParsedCommand, _ kind: Content) throws -> ImportOptions {
        var options = ImportOptions(rejectsPath: parsed.textIfGiven("rejects") ?? "\(kind.name)-rejects")
        options.dialect = DialectChoice(
            format: parsed.choiceIfGiven("format", of: RecordFormat.self),
            delimiter: parsed.choiceIfGiven("delimiter", of: RecordDelimiter.self),
            nullWord: parsed.textIfGiven("null"))
        options.sourceNames = try sourceNames(parsed, kind)
        options.publicWords = try publicWords(parsed, kind)
        options.ignoredColumns = try ignoredColumns(parsed, kind)
        options.zone = try parsed.clockZone("timezone")
        options.isStrict = parsed.flag("strict")
        options.isDryRun = parsed.flag("dry-run")
        options.maximumRejectedShare = try parsed.number("maximum-rejected", in: 0...100) / 100
        options.replaces = parsed.flag("replace")
        options.allowsShrinking = parsed.flag("allow-shrinking")
        options.allowsRejects = parsed.flag("allow-rejects")
        options.allowsAnotherModel = parsed.flag("another-model")
        options.allowsRenames = parsed.flag("allow-renames")
        options.readmits = parsed.flag("readmit")
        return options
    }

    /// Returns the words of `--public`, of which one may be empty; none if it is not given.
    private static func publicWords(_ parsed: ParsedCommand, _ kind: Content) throws(UsageError) -> [String] {
        guard let words = parsed.textIfGiven("public") else { return [] }
        guard kind.columnNames.contains("visibility") else {
            throw UsageError("--public: \(kind.name) have no column \"visibility\"")
        }
        return words.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    private static func ignoredColumns(_ parsed: ParsedCommand, _ kind: Content) throws(UsageError) -> Set<String> {
        let names = parsed.names("ignore")
        let renamed = try sourceNames(parsed, kind)
        if let known = names.first(where: { kind.columnNames.contains($0) && renamed[$0] == nil }) {
            throw UsageError("--ignore: \(known) is a column of \(kind.name), and cannot be ignored")
        }
        return Set(names)
    }

    /// Returns the names of columns in the files, by the names of the columns.
    private static func sourceNames(_ parsed: ParsedCommand, _ kind: Content) throws(UsageError) -> [String: String] {
        var names: [String: String] = [:]
        for pair in parsed.texts("columns").flatMap({ $0.split(separator: ",") }) {
            let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else {
                throw parsed.badValue(String(pair), of: "columns", expected: "pairs such as group_id=gid, with commas")
            }
            guard kind.columnNames.contains(parts[0]) else {
                let near = nearest(to: parts[0], among: kind.columnNames, limit: 1)
                let isTurned = kind.columnNames.contains(parts[1])
                throw UsageError(
                    "--columns: \(kind.name) have no column \"\(parts[0])\"; they have "
                        + kind.columnNames.joined(separator: ", "),
                    advice: isTurned
                        ? ["the file's own name stands behind the sign: \(parts[1])=\(parts[0])"]
                        : near.map { "did you mean \($0)?" })
            }
            guard names.updateValue(parts[1], forKey: parts[0]) == nil else {
                throw UsageError("--columns names \(parts[0]) twice")
            }
        }
        return names
    }
}

/// The progress of an import, on a terminal and in the log of jobs.
private final class ImportWatcher {
    private let line: ProgressLine
    private let name: String
    private let catalog: String?
    private var step = ""
    /// The log of jobs, or nil for a dry run; it begins with the first use, after the catalog was made.
    private(set) lazy var log = catalog.map { catalog in
        WorkLog("import \(name)", beside: catalog) { SystemClock.nowMilliseconds }
    }

    init(line: ProgressLine, name: String, catalog: String?) {
        self.line = line
        self.name = name
        self.catalog = catalog
    }

    func report(_ progress: ImportProgress) {
        if progress.step != step {
            step = progress.step
            line.begin("\(name), \(step)")
            log?.advance(to: step)
        }
        if step == "reading", let total = progress.totalBytes {
            log?.advance(done: progress.bytesRead, total: total, unit: "bytes")
            line.show(
                done: progress.bytesRead, total: progress.totalBytes, unit: "bytes",
                note: ", \(progress.rows.grouped) rows")
        } else {
            log?.advance(done: progress.rows, unit: "rows")
            line.show(done: progress.rows, total: nil, unit: "rows")
        }
    }
}
