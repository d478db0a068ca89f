package import Basics
import Model
package import RecordReading
import SQLite

extension Importer {
    /// Imports all records of a file.
    func read(_ input: InputFile) throws(Failure) {
        let bytesBefore = progress.bytesRead
        var reader = try reader(of: input)
        try checkColumns(reader)
        var event = try reader.nextEvent()
        badLine = 0
        while event != .end {
            if case .rejected(let record) = event {
                if record.reason == .notUTF8 { summary.notUTF8 += 1 }
                try keepRow(ofRejected: record, reader)
                try reject(reader, record.line, record.reason.description, record.excerpt)
            } else {
                do throws(RecordProblem) {
                    try take(reader)
                } catch {
                    try keepRow(of: reader)
                    try reject(reader, reader.line, error.reason, reader.excerpt(ofColumns: columns.count))
                }
                if !unreadable.isEmpty { noteUnreadable(reader) }
                if let failure { throw failure }
                if reader.dialect.format == .jsonLines { try checkColumns(reader) }
            }
            if summary.rows & 0x3fff == 0 {
                progress.bytesRead = bytesBefore + input.bytesRead
                reportStep("reading", summary.rows)
            }
            event = try reader.nextEvent()
        }
        progress.bytesRead = bytesBefore + input.bytesRead
        try note(reader)
        try checkEnd(reader)
        for name in unknownColumns(reader) where !summary.unknownColumns.contains(where: { $0.name == name }) {
            summary.unknownColumns.append(.init(name: name, nearest: reader.nearestMissingColumn(to: name)))
        }
        try checkUnknownColumns(reader)
    }

    private func reader(of input: InputFile) throws(Failure) -> RecordReader {
        let columns = columns.map {
            RecordColumn(
                $0.name, isRequired: $0.isRequired, sourceName: options.sourceNames[$0.name], isList: $0.type.isList)
        }
        return try input.records(columns, options.dialect)
    }

    /// Refuses, in a strict import, a column that the kind does not have.
    private func checkColumns(_ reader: borrowing RecordReader) throws(Failure) {
        if reader.dialect.format != .jsonLines { try checkUnknownColumns(reader) }
        guard options.isStrict, reader.hasUnknownColumns, let name = unknownColumns(reader).first else { return }
        let advice = reader.nearestMissingColumn(to: name).map { "; did you mean \($0)?" } ?? ""
        throw strictError(reader.source, reader.line, "\(kind.name) have no column \"\(name)\"\(advice)")
    }

    private func reject(_ reader: borrowing RecordReader, _ line: Int, _ reason: String, _ excerpt: String)
        throws(Failure)
    {
        guard !options.isStrict else { throw strictError(reader.source, line, reason) }
        badLine = line
        try rejects.add(.init(source: reader.source, line: line, reason: reason, excerpt: excerpt), reader)
        if rejects.areMany { try checkShare(isAtEnd: false) }
    }

    /// Keeps the row of a record that was read and then rejected; see `EntityWriter.noteRejected`.
    private func keepRow(of reader: borrowing RecordReader) throws(Failure) {
        guard case .entities(let writer, _) = writer else { return }
        try writer.noteRejected(reader.text(0), reader, visibility: writer.visibility(in: reader))
    }

    /// Keeps the row of a record that could not be read, as far as its id can be found.
    private func keepRow(ofRejected record: RejectedRecord, _ reader: borrowing RecordReader) throws(Failure) {
        guard case .entities(let writer, _) = writer, let id = reader.likelyText(ofRejected: 0) else { return }
        // Only bad characters leave the other fields in their places.
        let isInPlace = record.reason == .notUTF8 || record.reason == .nul
        try writer.noteRejected(
            id, reader, visibility: writer.likelyVisibility(in: reader, isInPlace: isInPlace))
    }

    func strictError(_ source: String, _ line: Int, _ reason: String) -> Failure {
        Failure(.badData, "\(source), line \(line): \(reason); nothing was changed (--strict)")
    }

    private func take(_ reader: borrowing RecordReader) throws(RecordProblem) {
        if !reader.faults.isEmpty { try take(faults: reader.faults) }
        switch writer {
        case .entities(let writer, _):
            do throws(EntityFailure) {
                try writer.write(reader)
                unreadable += writer.unreadable
            } catch {
                switch error {
                case .record(let problem): throw problem
                case .database(let error):
                    failure = error
                    return
                }
            }
        case .pairs(let writer, let source):
            try columns[0].checkID(0, in: reader)
            try columns[1].checkID(1, in: reader)
            let (time, ahead) = try time(reader, source)
            if let time { times.note(time, reader) }
            let isAnswer =
                source.answerColumn != nil && reader.isPresent(3) && !reader.isNull(3)
                && columns[3].isMarked(3, in: reader)
            reader.withField(0) { row in
                reader.withField(1) { entry in
                    writer.add(
                        rowID: row, entryID: entry, time: time?.time.seconds ?? ahead,
                        isMarked: isAnswer || ahead != nil)
                }
            }
            if options.isStrict { batchLines.append((reader.source, reader.line)) }
        }
        summary.rows += 1
        do throws(Failure) { try flushIfFull() } catch { failure = error }
    }
}

// MARK: - Findings

extension Importer {
    /// Returns the time of an entry of a relation if it has one, or the seconds of a time that is ahead of the clock.
    ///
    /// - Throws: `RecordProblem` if the entry needs a time, which then tells it from others.
    private func time(_ reader: borrowing RecordReader, _ source: RelationSource) throws(RecordProblem)
        -> (known: WrittenTime?, ahead: Int64?)
    {
        var (time, ahead): (WrittenTime?, Int64?) = (nil, nil)
        if !reader.isNull(2) {
            do throws(RecordProblem) { time = try columns[2].time(2, in: reader, options) } catch {
                guard !options.isStrict, !source.repeats else { throw error }
                unreadable.append(error)
                ahead = error.aheadSeconds
            }
        }
        guard time != nil || !source.repeats else {
            throw RecordProblem(reason: "\(source.timeColumn) is empty: each of the \(source.table) needs its time")
        }
        return (time, ahead)
    }

    /// Treats values that the reader could not read as missing, if the row makes sense without them.
    private func take(faults: [FieldFault]) throws(RecordProblem) {
        for fault in faults {
            let mayBeUnknown = columns[fault.column].type.mayBeUnknown && !options.isStrict
            guard mayBeUnknown else { throw RecordProblem(reason: fault.reason.description) }
        }
        unreadable += faults.map { RecordProblem(reason: $0.reason.description, column: $0.column) }
    }

    /// Counts the unreadable values of a row.
    private func noteUnreadable(_ reader: borrowing RecordReader) {
        badLine = reader.line
        for problem in unreadable {
            guard let column = problem.column else { continue }
            let values = UnusedValue(column: column, isAhead: problem.aheadSeconds != nil)
            let first = unusedValues[values]?.first ?? "\(reader.source), line \(reader.line): \(problem.reason)"
            unusedValues[values] = ((unusedValues[values]?.count ?? 0) + 1, first)
        }
        unreadable.removeAll()
    }

    /// Notes the dialect and the peculiarities of a file that was read.
    private func note(_ reader: borrowing RecordReader) throws(Failure) {
        summary.dialects.append((reader.source, reader.dialect))
        repeatedHeaders += reader.repeatedHeaders
        if !reader.dialect.hasEscapes, reader.dialect.format != .jsonLines { keptEscapes += reader.escapeCount }
        let joined = reader.joinedLines
        guard joined.count > 0 else { return }
        if options.isStrict {
            throw strictError(
                reader.source, joined.firstLine, "quotes stretch over lines that could be records by themselves")
        }
        let first = joinedLines?.first ?? "\(reader.source), line \(joined.firstLine)"
        joinedLines = ((joinedLines?.count ?? 0) + joined.count, first)
    }

    /// Looks whether a file that was read to its end may have been cut off.
    ///
    /// - Throws: `Failure` with the code `badData` if it surely was, and the import is strict or replaces rows.
    private func checkEnd(_ reader: borrowing RecordReader) throws(Failure) {
        guard reader.unendedLine > 0 else { return }
        let place = "\(reader.source), line \(reader.unendedLine)"
        guard let reason = reader.unendedLine == badLine ? "its record is bad" : reader.cutReason else {
            unendedFiles.append("\(place): the last line has no line end; if the file was cut off, rows are missing")
            return
        }
        let message = "\(place): the file seems to be cut off: the last line has no line end, and \(reason)"
        guard options.isStrict || options.replaces else {
            unendedFiles.append(message)
            return
        }
        throw Failure(
            .badData, "\(message); nothing was changed. If it is whole, end the line by: sed -i -e '$a\\' FILE")
    }

    /// The findings about all files.
    var findings: [ImportFinding] {
        var findings = meaningFindings
        func add(_ kind: String, _ count: Int, _ message: String) {
            if count > 0 { findings.append(ImportFinding(kind: kind, count: count, message: message)) }
        }
        for (values, (count, first)) in unusedValues.sorted(by: { $0.key.column < $1.key.column }) {
            let (name, verb) = (columns[values.column].name, count == 1 ? "is" : "are")
            add(
                values.isAhead ? "futureTimes" : "unreadableValues", count,
                values.isAhead
                    ? "\(count) \(name) \(verb) more than five minutes ahead of this machine's clock, and unknown "
                        + "(--strict refuses that): see whether a zone (--timezone) or a clock is wrong; the first is \(first)"
                    : "\(count) \(name) could not be read and \(verb) unknown (--strict refuses that); the first is \(first)"
            )
        }
        add(
            "repeatedHeaders", repeatedHeaders,
            "\(repeatedHeaders) repeated header\(repeatedHeaders == 1 ? " was" : "s were") passed over")
        add(
            "joinedLines", joinedLines?.count ?? 0,
            "\(joinedLines?.count ?? 0) quoted over lines that could be records by themselves, the first at "
                + "\(joinedLines?.first ?? ""): see whether a quote is missing there")
        findings += unendedFiles.map { ImportFinding(kind: "unendedFiles", count: 1, message: $0) }
        add(
            "keptEscapes", keptEscapes,
            "backslashes were kept as they stand, \(keptEscapes) in all; if they are escapes, as COPY and mysql write "
                + "them, say --format copy or --format mysql, with --delimiter comma for commas")
        switch writer {
        case .entities(let writer, _): findings += writer.findings
        case .pairs(let writer, _):
            findings += [times.finding].compactMap(\.self) + writer.doubtfulIDs.findings
            let count = writer.refusedCount
            add(
                "refusedTimes", count,
                "\(count) \(columns[2].name) \(count == 1 ? "was" : "were") ahead of the clock in an earlier import, and "
                    + "\(count == 1 ? "stays" : "stay") unknown")
        }
        return findings
    }
}

extension InputFile {
    /// Returns a reader of the file's records; the parts of the dialect that are not given are detected.
    package func records(_ columns: [RecordColumn], _ choice: DialectChoice = DialectChoice())
        throws(Failure) -> RecordReader
    {
        do throws(RecordError) {
            return unsafe try RecordReader(choice, columns: columns, source: name) {
                try unsafe self.read(into: $0)
            }
        } catch { throw Failure(.badData, error.description) }
    }
}

extension RecordReader {
    /// Reads the next record, and throws the catalog's kind of error.
    mutating func nextEvent() throws(Failure) -> RecordEvent {
        do throws(RecordError) {
            return try next()
        } catch { throw Failure(.badData, error.description) }
    }
}
