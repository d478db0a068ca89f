import Glibc
import Model
import RecordReading
import SQLite

/// Imports files of one kind into a catalog.
///
/// Rows are written in batches, each in one transaction: a killed import leaves whole batches and can simply be run
/// again. A replacing import is one transaction: all of it or nothing.
public final class Importer {
    let catalog: Catalog
    let kind: ImportKind
    let options: ImportOptions
    let rejects: RejectsFile
    private let report: (ImportProgress) -> Void
    private let writer: Writer
    private var progress = ImportProgress(step: "reading", rows: 0, bytesRead: 0, totalBytes: 0)
    private var summary: ImportSummary
    // In strict mode: the source and line of each row of the batch.
    private var batchLines: [(source: String, line: Int)] = []
    // The error of SQLite that ends the import, noted while a record was written.
    private var failure: CatalogError?
    private var changesAtBegin: Int64 = 0
    // Of these, changes in the temporary tables that say what a replacing import removes.
    var temporaryChanges: Int64 = 0

    /// The most groups, users or photos in one transaction.
    static let entityBatchRows = 100_000

    private enum Writer {
        case entities(EntityWriter, EntityTable)
        case pairs(RelationshipWriter, RelationSource)
    }

    /// Prepares an import.
    ///
    /// - Parameter report: called with the progress, often.
    public init(
        into catalog: Catalog, kind: ImportKind, options: ImportOptions,
        report: @escaping (ImportProgress) -> Void = { _ in }
    ) throws(CatalogError) {
        self.catalog = catalog
        self.kind = kind
        self.options = options
        self.report = report
        rejects = RejectsFile(path: options.rejectsPath)
        summary = ImportSummary(kind: kind)
        // Enough to keep the upper pages of the table in memory while a sorted batch is written; SQLite's default is 2
        // MB.
        try wrapping { () throws(DatabaseError) in
            try catalog.database.execute("PRAGMA cache_size = -262144; PRAGMA threads = 2")
        }
        switch kind {
        case .relation(let source):
            precondition(catalog.relations.contains { $0.source == source }, "the catalog has no \(source.table)")
            let pairs = try RelationshipWriter(source, catalog.database, options: options)
            writer = .pairs(pairs, source)
            pairs.progress = { [unowned self] step, rows in reportStep(step, rows) }
        case .entities(let table):
            writer = .entities(try EntityWriter(kind, table, catalog.database, options: options), table)
        }
    }

    /// Imports files, one after the other.
    ///
    /// - Parameter paths: files; `-` is standard input.
    /// - Throws: `CatalogError`. Earlier batches stay, unless the import replaces.
    public func run(_ paths: [String]) throws(CatalogError) -> ImportSummary {
        let clock = ContinuousClock()
        let start = clock.now
        var inputs: [InputFile] = []
        for path in paths { inputs.append(try InputFile(path: path)) }
        progress.totalBytes = inputs.reduce(0) { sum, input in
            guard let sum, let count = input.byteCount else { return nil }
            return sum + count
        }
        try begin()
        do throws(CatalogError) {
            for input in inputs { try read(input) }
            try flush()
            if options.replaces { summary.removed = try removeOthers() }
            try commit()
        } catch {
            try? catalog.database.execute("ROLLBACK")
            if case .pairs(let writer, _) = writer { try? writer.finish() }
            throw error
        }
        if case .pairs(let writer, _) = writer { try wrapping { () throws(DatabaseError) in try writer.finish() } }
        complete(&summary)
        let elapsed = start.duration(to: clock.now).components
        summary.seconds = Double(elapsed.seconds) + Double(elapsed.attoseconds) * 1e-18
        return summary
    }

    /// Whether a replacing import saw the group, user or photo with a key.
    func wasSeen(_ key: Int64) -> Bool {
        guard case .entities(let writer, _) = writer else { return true }
        return writer.wasSeen(key)
    }

    private func complete(_ summary: inout ImportSummary) {
        switch writer {
        case .entities(let writer, _):
            summary.written = writer.written
            summary.idsWithSlash = writer.idsWithSlash
            summary.created = writer.created.filter { $0.value > 0 }
        case .pairs(let writer, _):
            summary.written = writer.written
            summary.idsWithSlash = writer.idsWithSlash
            summary.duplicates = writer.duplicates
            summary.created = writer.created.filter { $0.value > 0 }
        }
        summary.rejected = rejects.count
    }

    private func read(_ input: InputFile) throws(CatalogError) {
        let bytesBefore = progress.bytesRead
        var reader = try reader(of: input)
        var event = try next(&reader)
        while event != .end {
            if case .rejected(let record) = event {
                try reject(input.name, record.line, record.reason.description, record.excerpt)
            } else {
                do throws(RecordProblem) {
                    try take(reader, input.name)
                } catch {
                    let fields = kind.columns.indices.map { reader.text($0) }
                    let excerpt = fields.joined(separator: "  ").prefix(200)
                    try reject(input.name, reader.line, error.reason, String(excerpt))
                }
                if let failure { throw failure }
            }
            if summary.rows & 0x3fff == 0 {
                progress.bytesRead = bytesBefore + reader.bytesRead
                reportStep("reading", summary.rows)
            }
            event = try next(&reader)
        }
        progress.bytesRead = bytesBefore + reader.bytesRead
        for name in reader.unknownColumns where !summary.unknownColumns.contains(name) {
            summary.unknownColumns.append(name)
        }
    }

    private func reader(of input: InputFile) throws(CatalogError) -> RecordReader {
        let format = options.format ?? RecordFormat(fileName: input.name)
        let columns = kind.columns.map { RecordColumn($0.name, isRequired: $0.isRequired) }
        do throws(RecordError) {
            return unsafe try RecordReader(format: format, columns: columns, source: input.name) { buffer in
                try unsafe input.read(into: buffer)
            }
        } catch { throw CatalogError(.badData, error.description) }
    }

    private func next(_ reader: inout RecordReader) throws(CatalogError) -> RecordEvent {
        do throws(RecordError) {
            return try reader.next()
        } catch { throw CatalogError(.badData, error.description) }
    }

    private func reject(_ source: String, _ line: Int, _ reason: String, _ excerpt: String) throws(CatalogError) {
        guard !options.isStrict else {
            throw CatalogError(
                .badData, "\(source), line \(line): \(reason); nothing of its batch was kept (--strict)")
        }
        try rejects.add(source: source, line: line, reason: reason, excerpt: excerpt)
    }

    private func take(_ reader: borrowing RecordReader, _ source: String) throws(RecordProblem) {
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
            let columns = kind.columns
            try columns[0].checkID(0, in: reader)
            try columns[1].checkID(1, in: reader)
            let time = reader.isEmpty(2) ? nil : try columns[2].time(2, in: reader)
            reader.withField(0) { group in
                reader.withField(1) { entry in writer.add(groupID: group, entryID: entry, time: time) }
            }
            if options.isStrict { batchLines.append((source, reader.line)) }
        }
        summary.rows += 1
        do throws(CatalogError) { try flushIfFull() } catch { failure = error }
    }

    private func reportStep(_ step: String, _ rows: Int) {
        progress.step = step
        progress.rows = rows
        report(progress)
    }
}

// MARK: - Transactions

extension Importer {
    private func begin() throws(CatalogError) {
        try wrapping { () throws(DatabaseError) in try catalog.database.execute("BEGIN IMMEDIATE") }
        changesAtBegin = catalog.database.totalChanges
    }

    private func commit() throws(CatalogError) {
        try wrapping { () throws(DatabaseError) in
            // The files do not undo what members did after they were written.
            if kind == .memberships { try catalog.reapplyInteractions() }
            try catalog.recordChanges(catalog.database.totalChanges - changesAtBegin - temporaryChanges)
            try catalog.note(notedColumns)
            try catalog.database.execute("COMMIT")
        }
    }

    /// The columns that were given a value.
    private var notedColumns: Set<NotedColumn> {
        switch writer {
        case .entities(let writer, _): writer.noted
        case .pairs(let writer, let source): writer.hasTimes ? [source.notedTime] : []
        }
    }

    private func flushIfFull() throws(CatalogError) {
        switch writer {
        case .entities(let writer, _):
            guard writer.pendingCount >= min(Self.entityBatchRows, options.batchRows) else { return }
            writer.beginBatch()
        case .pairs(let writer, _):
            guard writer.pendingCount >= options.batchRows else { return }
            try flush()
        }
        guard !options.replaces else { return }
        try commit()
        try begin()
    }

    /// Writes the pairs of the batch.
    private func flush() throws(CatalogError) {
        guard case .pairs(let writer, _) = writer else { return }
        let unknown = try wrapping { () throws(DatabaseError) in try writer.flush() }
        temporaryChanges = writer.seenChanges
        if let unknown {
            let origin = batchLines[unknown.row]
            throw CatalogError(
                .badData,
                "\(origin.source), line \(origin.line): there is no \(unknown.id); nothing of its batch was kept (--strict)"
            )
        }
        batchLines.removeAll(keepingCapacity: true)
    }
}
