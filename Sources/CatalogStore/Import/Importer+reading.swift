import CivilTime
public import RecordReading
import SQLite

extension Importer {
    /// Takes all records of a file.
    func read(_ input: InputFile) throws(CatalogError) {
        let bytesBefore = progress.bytesRead
        var reader = try reader(of: input)
        try checkColumns(reader)
        var event = try reader.nextEvent()
        while event != .end {
            if case .rejected(let record) = event {
                if record.reason == .notUTF8 { summary.notUTF8 += 1 }
                try reject(reader, record.line, record.reason.description, record.excerpt)
            } else {
                do throws(RecordProblem) {
                    try take(reader)
                } catch {
                    try keepRow(of: reader)
                    let fields = columns.indices.map { reader.text($0) }
                    try reject(
                        reader, reader.line, error.reason, String(fields.joined(separator: "  ").prefix(200)))
                }
                if let failure { throw failure }
                if reader.format == .jsonLines { try checkColumns(reader) }
            }
            if summary.rows & 0x3fff == 0 {
                progress.bytesRead = bytesBefore + input.bytesRead
                reportStep("reading", summary.rows)
            }
            event = try reader.nextEvent()
        }
        progress.bytesRead = bytesBefore + input.bytesRead
        for name in reader.unknownColumns where !summary.unknownColumns.contains(where: { $0.name == name }) {
            summary.unknownColumns.append(.init(name: name, nearest: reader.nearestMissingColumn(to: name)))
        }
    }

    private func reader(of input: InputFile) throws(CatalogError) -> RecordReader {
        let columns = columns.map {
            RecordColumn($0.name, isRequired: $0.isRequired, sourceName: options.sourceNames[$0.name])
        }
        return try input.records(columns, format: options.format, delimiter: options.delimiter)
    }

    /// A strict import does not pass over columns that the kind does not have.
    private func checkColumns(_ reader: borrowing RecordReader) throws(CatalogError) {
        guard options.isStrict, reader.hasUnknownColumns, let name = reader.unknownColumns.first else { return }
        let advice = reader.nearestMissingColumn(to: name).map { "; did you mean \($0)?" } ?? ""
        throw strictError(reader.source, reader.line, "\(kind.name) have no column \"\(name)\"\(advice)")
    }

    private func reject(_ reader: borrowing RecordReader, _ line: Int, _ reason: String, _ excerpt: String)
        throws(CatalogError)
    {
        guard !options.isStrict else { throw strictError(reader.source, line, reason) }
        try rejects.add(.init(source: reader.source, line: line, reason: reason, excerpt: excerpt), reader)
        if rejects.areMany { try checkShare(isAtEnd: false) }
    }

    /// Keeps the group, user or photo of a rejected record from being removed by `replaces`.
    private func keepRow(of reader: borrowing RecordReader) throws(CatalogError) {
        guard case .entities(let writer, _) = writer else { return }
        do throws(DatabaseError) { try writer.noteRejected(reader) } catch { throw CatalogError(error) }
    }

    func strictError(_ source: String, _ line: Int, _ reason: String) -> CatalogError {
        CatalogError(.badData, "\(source), line \(line): \(reason); nothing was changed (--strict)")
    }

    private func take(_ reader: borrowing RecordReader) throws(RecordProblem) {
        switch writer {
        case .entities(let writer, _):
            do throws(EntityFailure) {
                try writer.write(reader)
            } catch {
                switch error {
                case .record(let problem): throw problem
                case .database(let error):
                    failure = CatalogError(error)
                    return
                }
            }
        case .pairs(let writer, _):
            try columns[0].checkID(0, in: reader)
            try columns[1].checkID(1, in: reader)
            let time = reader.isNull(2) ? nil : try columns[2].time(2, in: reader, zone: options.zone)
            if let time, !time.hasZone { summary.timesWithoutZone += 1 }
            reader.withField(0) { group in
                reader.withField(1) { entry in
                    writer.add(groupID: group, entryID: entry, time: time?.time.seconds)
                }
            }
            if options.isStrict { batchLines.append((reader.source, reader.line)) }
        }
        summary.rows += 1
        do throws(CatalogError) { try flushIfFull() } catch { failure = error }
    }
}

extension InputFile {
    /// A reader of the file's records; of format and delimiter, what is nil is found out.
    public func records(_ columns: [RecordColumn], format: RecordFormat? = nil, delimiter: RecordDelimiter? = nil)
        throws(CatalogError) -> RecordReader
    {
        do throws(RecordError) {
            return unsafe try RecordReader(format: format, delimiter: delimiter, columns: columns, source: name) {
                try unsafe self.read(into: $0)
            }
        } catch { throw CatalogError(.badData, error.description) }
    }
}

extension RecordReader {
    /// `next` with an error of the catalog's.
    mutating func nextEvent() throws(CatalogError) -> RecordEvent {
        do throws(RecordError) {
            return try next()
        } catch { throw CatalogError(.badData, error.description) }
    }
}
