package import Answers
import Basics
package import CatalogStore
import RecordReading

/// The result of an import or of its dry run, for people and as JSON.
struct ImportReport {
    let summary: ImportSummary
    let zone: String
    let isDryRun: Bool

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
            let paths = summary.rejectsPaths.map(ShellWords.file).joined(separator: " ")
            lines.append(
                (paths.isEmpty ? "" : "\(kept)rejected lines: \(paths); ") + "reasons: \(ShellWords.file(reasons))")
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
}

/// The outcome of an import: `coterie import`.
struct ImportOutcome: Answer {
    let summary: ImportSummary
    let isDryRun: Bool

    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("kind", \.summary.name, "The kind of files")
        fields.always("isDryRun", \.isDryRun, "Whether nothing was changed")
        fields.always("rows", \.summary.rows, "Rows in the files")
        fields.always("written", \.summary.written, "Rows that changed the catalog")
        fields.always("unchanged", \.summary.unchanged, "Rows that the catalog had already")
        fields.always("overruled", \.summary.overruled, "Rows that a later action of a member overrules")
        fields.always("repeated", \.summary.duplicates, "Rows that came again")
        fields.always("removed", \.summary.removed, "Rows of the catalog that the files lack, and that were removed")
        fields.always("rejected", \.summary.rejected, "Rows that could not be read")
        fields.always("forgotten", \.summary.forgotten, "Rows of forgotten members")
        fields.always("timesWithoutZone", \.summary.timesWithoutZone, "Times without a zone")
        fields.always("created", \.summary.created, "Things that only these rows name, by the name of their table")
        fields.always("unshown", \.summary.unshown, "Those of them that are not shown until they are described")
        fields.always("unknownColumns", { $0.summary.unknownColumns.map(\.name) }, "Columns that were passed over")
        fields.always("nearestColumns", \.nearestColumns, "The known columns most like them, by their names")
        fields.sometimes("rejectsFile", \.summary.rejectsPaths.first, "The first file of rejected rows")
        fields.always("rejectsFiles", \.summary.rejectsPaths, "All files of rejected rows")
        fields.sometimes("reasonsFile", \.summary.reasonsPath, "The file of the reasons")
        fields.sometimes("failure", \.summary.failure?.message, "Why a real import would fail")
        fields.always("examples", \.summary.examples, "The first rejected rows")
        fields.always("dialects", { $0.summary.dialects.map(ReadDialect.init) }, "How each file was read")
        fields.always("findings", \.summary.findings, "What may have been misread")
        fields.always("seconds", \.summary.seconds, "How long it took")
    }

    private var nearestColumns: [String: String] {
        Dictionary(
            summary.unknownColumns.compactMap { column in column.nearest.map { (column.name, $0) } },
            uniquingKeysWith: { $1 })
    }
}

/// The dialect in which a file was read.
private struct ReadDialect: Answer {
    let source: String
    let dialect: Dialect

    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("source", \.source, "The file")
        fields.always("format", \.dialect.format.rawValue, "Its format")
        fields.always("description", \.dialect.description, "The same for people")
        fields.sometimes(
            "delimiter", { $0.dialect.format == .jsonLines ? nil : $0.dialect.delimiter.rawValue }, "Its delimiter")
        fields.always("isQuoted", { $0.dialect.hasQuotes ?? false }, "Whether fields are quoted")
    }
}

extension ImportFinding: Answer {
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("kind", \.kind.rawValue, "The kind")
        fields.always("message", \.message, "What was found, and what helps")
        fields.always("count", \.count, "How many rows, values or lines it concerns")
    }
}

extension ImportSummary.Example: Answer {
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("source", \.source, "The file")
        fields.always("line", \.line, "The line")
        fields.always("reason", \.reason, "Why it was rejected")
        fields.always("record", \.excerpt, "Its beginning")
    }
}
