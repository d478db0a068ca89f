package import Basics
package import Model
import RecordReading

/// A converter of import files to one normal form, for programs that fill tables without a catalog.
///
/// Records are checked as by an import. The output has a header and tabs between fields:
///
/// - A field with a tab, a quote or an end of line is in double quotes.
/// - Times are seconds since 1970. Null is an empty field.
/// - The column `fields` tells which fields the record sets, even to null, as a sum of powers of two: 1 for the first
///   column.
/// - The column `line` is the line in the input where the record begins.
package struct RecordCleaner: Sendable {
    package let kind: ImportKind
    private let options: ImportOptions

    private let kindGuard: KindGuard

    /// Creates a cleaner.
    ///
    /// - Parameters:
    ///   - zone: The zone of times without a zone of their own.
    ///   - ignoring: The names of columns that do not tell another kind of file.
    package init(
        _ kind: ImportKind, zone: ClockZone, relations: RelationTable = .standard, ignoring: Set<String> = []
    ) {
        self.kind = kind
        var options = ImportOptions(rejectsPath: "")
        options.zone = zone
        self.options = options
        kindGuard = KindGuard(kind: kind, relations: relations, ignoredColumns: ignoring)
    }

    /// The result of a run.
    package struct Summary: Sendable, Codable {
        /// The number of records that were written.
        package var rows = 0
        /// The number of records that were left out.
        package var rejected = 0
        /// The number of unreadable values, which became null.
        package var unreadable = 0
        /// The reasons for the first records left out and the first unreadable values, at most ten.
        package var examples: [String] = []
    }

    /// Cleans a file or standard input.
    ///
    /// - Parameters:
    ///   - path: The path of a file, or `-` for standard input.
    ///   - rejectsPath: The path of the file for rejected records, as of an import, or nil for none.
    ///   - write: Receives the output, many rows at a time.
    /// - Throws: `Failure` if the input cannot be read, lacks a required column, or looks like another kind.
    package func clean(
        _ path: String, rejectsPath: String? = nil, _ write: ([UInt8]) throws(Failure) -> Void
    ) throws(Failure) -> Summary {
        let rejects = rejectsPath.map { RejectedRecords(path: $0, inputs: [], writesFiles: true) }
        let columns = kind.columns
        var reader = try InputFile(path: path).records(
            columns.map { $0.inRecords(isRequired: $0.isRequired) })
        let isJSON = reader.dialect.format == .jsonLines
        if !isJSON { try kindGuard.check(reader) }
        var summary = Summary()
        let names = columns.map(\.name) + ["fields", "line"]
        var buffer = Array((names.joined(separator: "\t") + "\n").utf8)
        while true {
            switch try reader.next() {
            case .end:
                try write(buffer)
                try rejects?.finish()
                return summary
            case .rejected(let record):
                note("line \(record.line): \(record.reason)", &summary)
                let reason = record.reason.description
                try rejects?.add(
                    .init(source: reader.source, line: record.line, reason: reason, excerpt: record.excerpt), reader)
            case .record:
                if isJSON { try kindGuard.check(reader) }
                do throws(RecordProblem) {
                    let length = buffer.count
                    do throws(RecordProblem) { try append(reader, columns, to: &buffer, &summary) } catch {
                        buffer.removeLast(buffer.count - length)
                        throw error
                    }
                    summary.rows += 1
                } catch {
                    note("line \(reader.line): \(error.reason)", &summary)
                    try rejects?.add(
                        .init(
                            source: reader.source, line: reader.line, reason: error.reason,
                            excerpt: reader.excerpt(ofColumns: columns.count)), reader)
                }
            }
            if buffer.count >= 1 << 18 {
                try write(buffer)
                buffer.removeAll(keepingCapacity: true)
            }
        }
    }

    private func note(_ reason: String, _ summary: inout Summary, isOfRow: Bool = true) {
        if isOfRow { summary.rejected += 1 } else { summary.unreadable += 1 }
        if summary.examples.count < 10 { summary.examples.append(reason) }
    }

    private func append(
        _ reader: borrowing RecordReader, _ columns: [ImportKind.Column], to row: inout [UInt8],
        _ summary: inout Summary
    ) throws(RecordProblem) {
        var fields = 0
        for fault in reader.faults {
            guard columns[fault.column].type.mayBeUnknown else { throw RecordProblem(reason: fault.reason.description) }
            note("line \(reader.line): \(fault.reason)", &summary, isOfRow: false)
        }
        for (index, column) in columns.enumerated() {
            do throws(RecordProblem) {
                try append(column, index, of: reader, to: &row)
                if column.isGiven(index, in: reader) { fields |= 1 << index }
            } catch {
                guard error.column != nil else { throw error }
                note("line \(reader.line): \(error.reason)", &summary, isOfRow: false)
            }
            row.append(UInt8(ascii: "\t"))
        }
        row += Array("\(fields)\t\(reader.line)\n".utf8)
    }

    private func append(
        _ column: ImportKind.Column, _ index: Int, of reader: borrowing RecordReader, to row: inout [UInt8]
    ) throws(RecordProblem) {
        if case .id = column.type { try column.checkID(index, in: reader) }
        guard !reader.isNull(index) else { return }
        switch column.type {
        case .owner:
            try column.checkID(index, in: reader)
            reader.withField(index) { Self.quote($0, to: &row) }
        case .id, .text: reader.withField(index) { Self.quote($0, to: &row) }
        case .mark: if column.isMarked(index, in: reader) { row.append(UInt8(ascii: "1")) }
        case .list: Self.quote((column.list(index, in: reader).joined ?? "").utf8Span.span, to: &row)
        case .time:
            if let written = try column.time(index, in: reader, options) {
                row += Array(String(written.time.seconds).utf8)
            }
        case .visibility:
            let isPublic = try column.code(index, in: reader, of: Visibility.words) == Visibility.public.code
            row += Array((isPublic ? Visibility.public : .private).rawValue.utf8)
        case .joinPolicy:
            let policy = JoinPolicy(code: try column.code(index, in: reader, of: JoinPolicy.words))
            row += Array((policy?.rawValue ?? "").utf8)
        case .yesOrNo:
            row += Array(String(try column.code(index, in: reader, of: column.type.words)).utf8)
        case .degrees(let bound):
            if let degrees = try column.degrees(index, in: reader, bound: bound) { row += Array("\(degrees)".utf8) }
        case .pixels: if let pixels = try column.pixels(index, in: reader) { row += Array(String(pixels).utf8) }
        }
    }

    private static func quote(_ field: Span<UInt8>, to row: inout [UInt8]) {
        let quote = UInt8(ascii: "\"")
        let isPlain = !(0..<field.count).contains { index in
            let byte = field[index]
            return byte == quote || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\n")
                || byte == UInt8(ascii: "\r")
        }
        if !isPlain { row.append(quote) }
        for index in 0..<field.count {
            if field[index] == quote { row.append(quote) }
            row.append(field[index])
        }
        if !isPlain { row.append(quote) }
    }
}
