import Basics
import CatalogStore
import CommandLine
import RecordReading

/// The result of an import or of its dry run, for people and as JSON.
struct ImportReport {
    let summary: ImportSummary
    let zone: String
    let isDryRun: Bool

    /// The lines for people.
    var lines: [String] {
        var lines = [counts]
        if !summary.unknownColumns.isEmpty {
            let names = summary.unknownColumns.map { column in
                (column.name.isEmpty ? "one without a name" : shown(column.name))
                    + (column.nearest.map { " (did you mean \($0)?)" } ?? "")
            }
            lines.append("columns passed over: \(names.joined(separator: ", "))")
        }
        for (table, count) in summary.unshown.sorted(by: { $0.key < $1.key }) {
            lines.append(
                "\(counted(count, table)) not shown: no file of \(table) has described them, and they may be private "
                    + "(coterie import \(table))")
        }
        if summary.timesWithoutZone > 0 {
            let times = summary.timesWithoutZone == 1 ? "time without a zone was" : "times without a zone were"
            lines.append("\(counted(summary.timesWithoutZone, times)) taken for \(zone) (--timezone)")
        }
        lines += summary.findings.map(\.message)
        lines += summary.dialects.filter { isDryRun || $0.dialect.isUnusual }.map { "\($0.source): \($0.dialect)" }
        if let reasons = summary.reasonsPath {
            let kept =
                summary.keptRejects < summary.rejected ? "the first \(summary.keptRejects.grouped) " : ""
            // Rejected rows of a binary file are not written.
            let paths = summary.rejectsPaths.joined(separator: ", ")
            lines.append((paths.isEmpty ? "" : "\(kept)rejected lines: \(paths); ") + "reasons: \(reasons)")
        }
        if isDryRun { lines += examples }
        return lines
    }

    private var counts: String {
        var parts = [
            counted(summary.rows, "rows"), counted(summary.written, "new or changed"),
            counted(summary.unchanged, "unchanged"),
        ]
        if summary.duplicates > 0 { parts.append(counted(summary.duplicates, "repeated")) }
        if summary.removed > 0 { parts.append(counted(summary.removed, "removed")) }
        if summary.overruled > 0 { parts.append(counted(summary.overruled, "overruled by later actions of members")) }
        if summary.forgotten > 0 { parts.append(counted(summary.forgotten, "of forgotten members")) }
        for (name, count) in summary.created.sorted(by: { $0.key < $1.key }) {
            parts.append(counted(count, "\(name) made"))
        }
        parts.append(counted(summary.rejected, "rejected"))
        let text = "\(summary.name): \(parts.joined(separator: ", "))"
        guard !isDryRun else { return text + "; dry run: nothing was changed" }
        let rate = (Int(Double(summary.rows) / max(summary.seconds, 1e-9))).grouped
        return "\(text); \(Formats.seconds(summary.seconds)), \(rate) rows/s"
    }

    private var examples: [String] {
        summary.examples.flatMap { example in
            ["\(example.source), line \(example.line): \(example.reason)", "    \(example.excerpt)"]
        }
    }

    private func counted(_ count: Int, _ what: String) -> String { "\(count.grouped) \(what)" }

    var json: some Encodable { Document(summary, isDryRun: isDryRun) }

    private struct Document: Encodable {
        struct Example: Encodable {
            var source, reason, record: String
            var line: Int
        }

        struct Dialect: Encodable {
            var source, format, description: String
            var delimiter: String?
            var isQuoted: Bool
        }

        struct Finding: Encodable {
            var kind, message: String
            var count: Int
        }

        var kind: String
        var isDryRun: Bool
        var rows, written, unchanged, overruled, repeated, removed, rejected, forgotten, timesWithoutZone: Int
        var created, unshown: [String: Int]
        var unknownColumns: [String]
        /// The most similar known columns, by the names of unknown columns.
        var nearestColumns: [String: String]
        /// The first of `rejectsFiles`, if any.
        var rejectsFile: String?
        var rejectsFiles: [String]
        var reasonsFile, failure: String?
        var examples: [Example]
        var dialects: [Dialect]
        var findings: [Finding]
        var seconds: Double

        init(_ summary: ImportSummary, isDryRun: Bool) {
            kind = summary.name
            self.isDryRun = isDryRun
            rows = summary.rows
            written = summary.written
            unchanged = summary.unchanged
            overruled = summary.overruled
            repeated = summary.duplicates
            removed = summary.removed
            rejected = summary.rejected
            forgotten = summary.forgotten
            timesWithoutZone = summary.timesWithoutZone
            created = summary.created
            unshown = summary.unshown
            unknownColumns = summary.unknownColumns.map(\.name)
            nearestColumns = [:]
            for column in summary.unknownColumns { nearestColumns[column.name] = column.nearest }
            rejectsFile = summary.rejectsPaths.first
            rejectsFiles = summary.rejectsPaths
            reasonsFile = summary.reasonsPath
            failure = summary.failure?.message
            examples = summary.examples.map {
                Example(source: $0.source, reason: $0.reason, record: $0.excerpt, line: $0.line)
            }
            dialects = summary.dialects.map { source, dialect in
                Dialect(
                    source: source, format: dialect.format.rawValue, description: dialect.description,
                    delimiter: dialect.format == .jsonLines ? nil : dialect.delimiter.rawValue,
                    isQuoted: dialect.hasQuotes ?? false)
            }
            findings = summary.findings.map { Finding(kind: $0.kind.rawValue, message: $0.message, count: $0.count) }
            seconds = summary.seconds
        }
    }
}
