package import Basics
import Model
package import RecordReading

extension Importer {
    func read(_ input: InputFile) throws(Failure) {
        let bytesBefore = progress.bytesRead
        var reader = try reader(of: input)
        try checkColumns(reader)
        var event = try reader.next()
        // The line of the last bad record, or of the last one with an unreadable value.
        var badLine = 0
        while event != .end {
            if case .rejected(let record) = event {
                if record.reason == .notUTF8 { summary.notUTF8 += 1 }
                try keepRow(ofRejected: record, reader)
                badLine = record.line
                try note(rejected: reader, record.line, record.reason.description, record.excerpt)
            } else {
                if try !take(reader) { badLine = reader.line }
                if reader.dialect.format == .jsonLines { try checkColumns(reader) }
            }
            if summary.rows & 0x3fff == 0 {
                progress.bytesRead = bytesBefore + input.bytesRead
                reportStep("reading", summary.rows)
            }
            event = try reader.next()
        }
        progress.bytesRead = bytesBefore + input.bytesRead
        try note(reader)
        try checkEnd(reader, badLine: badLine)
        for name in unknownColumns(reader) where !summary.unknownColumns.contains(where: { $0.name == name }) {
            summary.unknownColumns.append(.init(name: name, nearest: reader.nearestMissingColumn(to: name)))
            if ColumnMeaning(name) != nil { findings.note(.suspectColumns, of: shown(name)) }
        }
        try checkUnknownColumns(reader)
    }

    /// Takes the current record.
    ///
    /// - Returns: whether it was taken with all its values.
    private func take(_ reader: borrowing RecordReader) throws(Failure) -> Bool {
        var unreadable: [RecordProblem] = []
        defer { for problem in unreadable { note(problem, in: reader) } }
        do {
            try write(reader, &unreadable)
            return unreadable.isEmpty
        } catch let problem as RecordProblem {
            try keepRow(of: reader)
            try note(rejected: reader, reader.line, problem.reason, reader.excerpt(ofColumns: columns.count))
            return false
        } catch let failure as Failure {
            throw failure
        } catch { preconditionFailure("nothing else is thrown: \(error)") }
    }

    private func reader(of input: InputFile) throws(Failure) -> RecordReader {
        let columns = columns.map {
            $0.inRecords(isRequired: $0.isRequired, sourceName: options.sourceNames[$0.name])
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

    private func note(rejected reader: borrowing RecordReader, _ line: Int, _ reason: String, _ excerpt: String)
        throws(Failure)
    {
        try reject(reader, line, reason, excerpt)
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

    /// Writes the current record.
    ///
    /// - Parameter unreadable: gets the values that cannot be read, and are left out.
    private func write(_ reader: borrowing RecordReader, _ unreadable: inout [RecordProblem]) throws {
        // They count as missing if the row makes sense without them.
        let faults = reader.faults
        if let fault = faults.first(where: { options.isStrict || !columns[$0.column].type.mayBeUnknown }) {
            throw RecordProblem(reason: fault.reason.description)
        }
        unreadable += faults.map { RecordProblem(reason: $0.reason.description, column: $0.column) }
        switch writer {
        case .entities(let writer, _):
            try writer.write(reader)
            unreadable += writer.unreadable
        case .pairs(let writer, let source): try add(reader, to: writer, source, &unreadable)
        }
        summary.rows += 1
        try flushIfFull()
    }

    private func add(
        _ reader: borrowing RecordReader, to writer: RelationshipWriter, _ source: RelationSource,
        _ unreadable: inout [RecordProblem]
    ) throws(RecordProblem) {
        try columns[0].checkID(0, in: reader)
        try columns[1].checkID(1, in: reader)
        let (time, ahead) = try time(reader, source, &unreadable)
        if let time { findings.note(time, in: reader) }
        let isAnswer =
            source.answerColumn != nil && reader.isPresent(3) && !reader.isNull(3) && columns[3].isMarked(3, in: reader)
        reader.withField(0) { row in
            reader.withField(1) { entry in
                writer.add(
                    rowID: row, entryID: entry, time: time?.time.seconds ?? ahead, isMarked: isAnswer || ahead != nil)
            }
        }
        if options.isStrict { batchLines.append((reader.source, reader.line)) }
    }
}

// MARK: - Findings

extension Importer {
    /// Returns the time of an entry of a relation if it has one, or the seconds of a time that is ahead of the clock.
    ///
    /// - Throws: `RecordProblem` if the entry needs a time, which then tells it from others.
    private func time(
        _ reader: borrowing RecordReader, _ source: RelationSource, _ unreadable: inout [RecordProblem]
    ) throws(RecordProblem) -> (known: WrittenTime?, ahead: Int64?) {
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

    /// Counts an unreadable value of the current record.
    private func note(_ problem: RecordProblem, in reader: borrowing RecordReader) {
        guard let column = problem.column else { return }
        findings.note(
            problem.aheadSeconds != nil ? .futureTimes : .unreadableValues, of: columns[column].name,
            first: "\(reader.source), line \(reader.line): \(problem.reason)")
    }

    /// Notes the dialect and the peculiarities of a file that was read.
    private func note(_ reader: borrowing RecordReader) throws(Failure) {
        summary.dialects.append((reader.source, reader.dialect))
        findings.note(.repeatedHeaders, reader.repeatedHeaders)
        if !reader.dialect.hasEscapes, reader.dialect.format != .jsonLines {
            findings.note(.keptEscapes, reader.escapeCount)
        }
        let joined = reader.joinedLines
        guard joined.count > 0 else { return }
        if options.isStrict {
            throw strictError(
                reader.source, joined.firstLine, "quotes stretch over lines that could be records by themselves")
        }
        findings.note(.joinedLines, joined.count, first: "\(reader.source), line \(joined.firstLine)")
    }

    /// Looks whether a file that was read to its end may have been cut off.
    ///
    /// - Throws: `Failure` with the code `badData` if it surely was, and the import is strict or replaces rows.
    private func checkEnd(_ reader: borrowing RecordReader, badLine: Int) throws(Failure) {
        guard reader.unendedLine > 0 else { return }
        let place = "\(reader.source), line \(reader.unendedLine)"
        guard let reason = reader.unendedLine == badLine ? "its record is bad" : reader.cutReason else {
            return findings.note(
                .unendedFiles, of: "\(place): the last line has no line end; if the file was cut off, rows are missing")
        }
        let message = "\(place): the file seems to be cut off: the last line has no line end, and \(reason)"
        guard options.isStrict || options.replaces else {
            return findings.note(.unendedFiles, of: message)
        }
        throw Failure(
            .badData, "\(message); nothing was changed. If it is whole, end the line by: sed -i -e '$a\\' FILE")
    }
}

// MARK: - Unknown columns

extension Importer {
    /// The columns of a file that the kind does not have, without those that the caller said do not matter.
    func unknownColumns(_ reader: borrowing RecordReader) -> [String] { kindGuard.unknownColumns(reader) }

    private var kindGuard: KindGuard {
        KindGuard(kind: kind, relations: catalog.relations, ignoredColumns: options.ignoredColumns)
    }

    /// Refuses a file whose unknown columns tell that it must not be imported like this.
    func checkUnknownColumns(_ reader: borrowing RecordReader) throws(Failure) {
        do throws(Failure) { try kindGuard.check(reader) } catch {
            noteOtherKind()
            throw error
        }
        try checkMeanings(reader)
    }

    /// Refuses a file with an unknown column that seems to say which groups or photos must not be shown.
    ///
    /// If the file has the column `visibility`, other columns of that meaning are only reported.
    private func checkMeanings(_ reader: borrowing RecordReader) throws(Failure) {
        guard let visibility = columns.firstIndex(where: { $0.name == "visibility" }) else { return }
        let isMissing = reader.isMissing(visibility)
        for name in unknownColumns(reader) {
            // In JSON Lines, a misspelt key may be in one record, and the right one in all others.
            let isNear = (isMissing || reader.dialect.format == .jsonLines) && reader.isNear(name, visibility)
            let advice: String
            switch isNear ? .privacy : ColumnMeaning(name) {
            case .privacy where isMissing || isNear:
                advice = """
                    say what is private: name it with --columns visibility=\(shown(name)), and its words for public \
                    with --public
                    """
            case .deletion:
                advice = """
                    say what is deleted: leave such \(kind.name) out, or say with --columns \
                    visibility=\(shown(name)) --public '' that only \(kind.name) without a value there are public
                    """
            default: continue
            }
            throw Failure(
                .badData,
                """
                \(reader.source): the column \(shown(name)) would be passed over, but seems to \(advice); if it does \
                not matter, say --ignore \(shown(name)); nothing was changed
                """)
        }
    }
}

extension InputFile {
    /// Returns a reader of the file's records; the parts of the dialect that are not given are detected.
    package func records(_ columns: [RecordColumn], _ choice: DialectChoice = DialectChoice())
        throws(Failure) -> RecordReader
    {
        unsafe try RecordReader(choice, columns: columns, source: name) { try unsafe self.read(into: $0) }
    }
}
