package import Basics
import RecordReading

extension Remover {
    /// Returns the ids of each row in files with the columns of an import.
    ///
    /// - Parameter ignoring: the names of columns that do not tell what kind of file it is.
    /// - Throws: `Failure` if a file has no row, is of another kind, or has a row that cannot be read.
    package func rows(inFiles paths: [String], ignoring: Set<String> = []) throws(Failure) -> [[String]] {
        guard !paths.isEmpty else { return [] }
        let kindGuard = KindGuard(
            kind: kind, relations: catalog.relations, ignoredColumns: ignoring, removes: true)
        var (rows, names): ([[String]], [String]) = ([], [])
        for path in paths {
            let input = try InputFile(path: path)
            names.append(input.name)
            try rows.append(contentsOf: self.rows(in: input, kindGuard))
        }
        guard !rows.isEmpty else { throw .noRows(names) }
        return rows
    }

    private func rows(in input: InputFile, _ kindGuard: KindGuard) throws(Failure) -> [[String]] {
        let ids = kind.columns.prefix(Self.idCount(of: kind))
        var reader = try input.records(
            kind.columns.enumerated().map { RecordColumn($1.name, isRequired: $0 < ids.count, isList: $1.type.isList) })
        let isJSON = reader.dialect.format == .jsonLines
        if !isJSON { try kindGuard.check(reader) }
        var rows: [[String]] = []
        var event = try reader.nextEvent()
        while event != .end {
            if case .rejected(let record) = event { throw failure(reader, record.line, "\(record.reason)") }
            do throws(RecordProblem) {
                for (index, column) in ids.enumerated() { try column.checkID(index, in: reader) }
            } catch { throw failure(reader, reader.line, error.reason) }
            if isJSON { try kindGuard.check(reader) }
            rows.append(ids.indices.map { reader.text($0) })
            event = try reader.nextEvent()
        }
        if let doubt = reader.doubt { throw Failure(.badData, "\(doubt); nothing was removed") }
        return rows
    }

    private func failure(_ reader: borrowing RecordReader, _ line: Int, _ reason: String) -> Failure {
        Failure(.badData, "\(reader.source), line \(line): \(reason); nothing was removed")
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
