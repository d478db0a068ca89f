package import Basics
package import Model
import RecordReading

/// Rows of ids in files with a header; a file with anything doubtful is refused as a whole.
package enum NamedRows {
    /// Returns the ids of each row in files with the columns of an import.
    ///
    /// - Parameter ignoring: the names of columns that do not tell what kind of file it is.
    /// - Throws: `Failure` if a file has no row, is of another kind, or has a row that cannot be read.
    package static func rows(
        of kind: ImportKind, _ relations: RelationTable, inFiles paths: [String], ignoring: Set<String> = []
    ) throws(Failure) -> [[String]] {
        guard !paths.isEmpty else { return [] }
        let kindGuard = KindGuard(
            kind: kind, relations: relations, ignoredColumns: ignoring, removes: true)
        var (rows, names): ([[String]], [String]) = ([], [])
        for path in paths {
            let input = try InputFile(path: path)
            names.append(input.name)
            rows += try read(input, kind.columns, idCount: kind.idCount) { reader throws(Failure) in
                try kindGuard.check(reader)
            }
        }
        guard !rows.isEmpty else { throw .noRows(names) }
        return rows
    }

    /// Returns the old and the new id of each row of a file.
    package static func renamings(inFile path: String, ignoring: Set<String> = []) throws(Failure) -> [[String]] {
        let columns = ["old_id", "new_id"].map { ImportKind.Column(name: $0, type: .id, isRequired: true, target: "") }
        let ignored = Set(ignoring.map(RecordColumn.comparable))
        let input = try InputFile(path: path)
        let rows = try read(input, columns, idCount: 2) { reader throws(Failure) in
            guard let other = reader.unknownColumns.first(where: { !ignored.contains(RecordColumn.comparable($0)) })
            else { return }
            throw Failure(
                .badData,
                """
                \(reader.source): the column \(other) is neither old_id nor new_id, so this may be another kind of file; \
                say --ignore \(other) if it does not matter; nothing was changed
                """)
        }
        guard !rows.isEmpty else { throw .noRows([input.name]) }
        return rows
    }

    /// Reads a file.
    ///
    /// - Parameter check: refuses a file by its columns.
    fileprivate static func read(
        _ input: InputFile, _ columns: [ImportKind.Column], idCount: Int,
        check: (borrowing RecordReader) throws(Failure) -> Void
    ) throws(Failure) -> [[String]] {
        let ids = columns.prefix(idCount)
        var reader = try input.records(
            columns.enumerated().map { $1.inRecords(isRequired: $0 < ids.count) })
        let isJSON = reader.dialect.format == .jsonLines
        if !isJSON { try check(reader) }
        var rows: [[String]] = []
        var event = try reader.next()
        while event != .end {
            if case .rejected(let record) = event { throw failure(reader, record.line, "\(record.reason)") }
            do throws(RecordProblem) {
                for (index, column) in ids.enumerated() { try column.checkID(index, in: reader) }
            } catch { throw failure(reader, reader.line, error.reason) }
            if isJSON { try check(reader) }
            rows.append(ids.indices.map { reader.text($0) })
            event = try reader.next()
        }
        if let doubt = reader.doubt { throw Failure(.badData, "\(doubt); nothing was changed") }
        return rows
    }

    private static func failure(_ reader: borrowing RecordReader, _ line: Int, _ reason: String) -> Failure {
        Failure(.badData, "\(reader.source), line \(line): \(reason); nothing was changed")
    }
}

extension RecordReader {
    /// The reason to distrust the end or the lines of a file that removes something, with its place; nil if there is
    /// none.
    var doubt: String? {
        if let reason = cutReason {
            return "\(source), line \(unendedLine): the file seems to be cut off: the last line has no line end, and "
                + reason
        }
        guard joinedLines.count > 0 else { return nil }
        return "\(source), line \(joinedLines.firstLine): quotes stretch over lines that could be records by themselves"
    }
}
