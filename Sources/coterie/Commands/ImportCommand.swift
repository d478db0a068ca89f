import CatalogStore
import CommandLineOptions
import RecordReading

/// `coterie import KIND FILE…`.
enum ImportCommand: Subcommand {
    private static let kinds = ImportKind.all(of: Coterie.relations)
    private static var names: [String] { kinds.map(\.name) }

    static let command = Command(
        "import", summary: "Import \(names.dropLast().joined(separator: ", ")) or \(names.last ?? "") into the catalog",
        discussion: """
            The first line of a CSV or TSV file names its columns, in any order; in JSON Lines the keys do. A file may \
            leave out all columns but the ids. The columns of each kind:

            \(kinds.map { "\($0.name): \($0.columnNames.joined(separator: ", "))" }.joined(separator: "\n\n"))

            Times are ISO 8601 in UTC or Unix seconds. Topics, interests and tags are separated by ";". Importing the \
            same file again changes nothing. A later import overwrites what an earlier one set. Columns that a file \
            does not have keep their values.
            """,
        arguments: [
            Argument("KIND", help: names.joined(separator: ", ")),
            Argument("FILE", help: "Files; - is standard input", isRepeating: true),
        ],
        options: [
            CommonOptions.catalog,
            Option(
                "format", "FORMAT",
                help: "The format of all files; default: detected from the name or the first bytes",
                allowed: RecordFormat.allCases.map(\.rawValue)),
            Option(
                flag: "strict",
                help: "Stop at the first bad line or unknown id; the lines of its batch are not kept"),
            Option(
                flag: "replace",
                help: "Replace all rows of this kind by those of the files, in one transaction"),
            Option(flag: "allow-shrinking", help: "Let --replace remove more than half of the rows"),
            Option(
                "rejects", "FILE",
                help: "The file for rejected lines and their reasons (default: KIND-rejects.tsv)"),
            CommonOptions.json,
        ],
        examples: [
            "coterie import memberships memberships.tsv",
            "zcat photos.csv.gz | coterie import photos - --format csv",
            "coterie import groups groups.jsonl --replace --strict",
        ])

    static func run(_ parsed: ParsedCommand) throws {
        guard let kind = kinds.first(where: { $0.name == parsed.arguments[0] }) else {
            let near = nearest(to: parsed.arguments[0], among: names, limit: 1)
            throw UsageError(
                "\"\(parsed.arguments[0])\" cannot be imported; KIND is one of "
                    + names.joined(separator: ", "),
                advice: near.map { "did you mean \($0)?" })
        }
        var options = ImportOptions(rejectsPath: parsed.textIfGiven("rejects") ?? "\(kind.name)-rejects.tsv")
        options.format = try parsed.choiceIfGiven("format", of: RecordFormat.self)
        options.isStrict = parsed.flag("strict")
        options.replaces = parsed.flag("replace")
        options.allowsShrinking = parsed.flag("allow-shrinking")
        let catalog = try Catalog(path: parsed.text("catalog"), mode: .writing, relations: Coterie.relations)
        let line = ProgressLine()
        let watcher = ImportWatcher(line: line, kind: kind)
        let importer = try Importer(into: catalog, kind: kind, options: options, report: watcher.report)
        let summary: ImportSummary
        do {
            summary = try importer.run(Array(parsed.arguments.dropFirst()))
        } catch {
            line.clear()
            throw error
        }
        line.clear()
        var output = try Output()
        if parsed.flag("json") {
            try output.json(document: SummaryJSON(summary, rejectsPath: options.rejectsPath))
        } else {
            for text in text(summary, rejectsPath: options.rejectsPath) { try output.line(text) }
        }
        try output.flush()
    }

    private static func text(_ summary: ImportSummary, rejectsPath: String) -> [String] {
        func counted(_ count: Int, _ what: String) -> String { "\(Formats.grouped(count)) \(what)" }
        var parts = [
            counted(summary.rows, "rows"), counted(summary.written, "new or changed"),
            counted(summary.unchanged, "unchanged"),
        ]
        if summary.duplicates > 0 { parts.append(counted(summary.duplicates, "repeated")) }
        if summary.removed > 0 { parts.append(counted(summary.removed, "removed")) }
        for (name, count) in summary.created.sorted(by: { $0.key < $1.key }) {
            parts.append(counted(count, "\(name) made"))
        }
        parts.append(counted(summary.rejected, "rejected"))
        let rate = Formats.grouped(Int(Double(summary.rows) / max(summary.seconds, 1e-9)))
        let time = "\(Formats.seconds(summary.seconds)), \(rate) rows/s"
        var lines = ["\(summary.kind.name): \(parts.joined(separator: ", ")); \(time)"]
        if !summary.unknownColumns.isEmpty {
            lines.append("columns passed over: \(summary.unknownColumns.joined(separator: ", "))")
        }
        if summary.idsWithSlash > 0 {
            let ids = summary.idsWithSlash == 1 ? "id has" : "ids have"
            lines.append("\(counted(summary.idsWithSlash, ids)) a slash: HTTP cannot address ids that contain a slash")
        }
        if summary.rejected > 0 { lines.append("rejected lines and reasons: \(rejectsPath)") }
        return lines
    }

    private struct SummaryJSON: Encodable {
        var kind, rejectsFile: String?
        var rows, written, unchanged, repeated, removed, rejected, idsWithSlash: Int
        var created: [String: Int]
        var unknownColumns: [String]
        var seconds: Double

        init(_ summary: ImportSummary, rejectsPath: String) {
            kind = summary.kind.name
            rejectsFile = summary.rejected > 0 ? rejectsPath : nil
            rows = summary.rows
            written = summary.written
            unchanged = summary.unchanged
            repeated = summary.duplicates
            removed = summary.removed
            rejected = summary.rejected
            idsWithSlash = summary.idsWithSlash
            created = summary.created
            unknownColumns = summary.unknownColumns
            seconds = summary.seconds
        }
    }
}

/// Turns the progress of an import into a line.
private final class ImportWatcher {
    private let line: ProgressLine
    private let kind: ImportKind
    private var step = ""

    init(line: ProgressLine, kind: ImportKind) {
        self.line = line
        self.kind = kind
    }

    func report(_ progress: ImportProgress) {
        if progress.step != step {
            step = progress.step
            line.begin("\(kind.name), \(step)")
        }
        if step == "reading", progress.totalBytes != nil {
            line.show(
                done: progress.bytesRead, total: progress.totalBytes, unit: "bytes",
                note: ", \(Formats.grouped(progress.rows)) rows")
        } else {
            line.show(done: progress.rows, total: nil, unit: "rows")
        }
    }
}
