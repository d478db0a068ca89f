package import Basics
import Glibc
import Model
import SQLite

/// An import of files of one kind into a catalog.
///
/// An import is one transaction. If it fails or is killed, it has changed nothing and can be run again.
package final class Importer: FileImport {
    let catalog: Catalog
    let kind: ImportKind
    let columns: [ImportKind.Column]
    let options: ImportOptions
    let writer: Writer
    let findings = ImportFindings()
    var rejects: RejectedRecords
    var progress = ImportProgress(step: "reading", rows: 0, bytesRead: 0, totalBytes: 0)
    var summary: ImportSummary
    // In strict mode: the source and the line of each row of the batch.
    var batchLines: [(source: String, line: Int)] = []
    // The number of changes in the temporary tables of a replacing import.
    var temporaryChanges: Int64 = 0
    private(set) var state = State.prepared
    private let report: (ImportProgress) -> Void

    /// The stage of the import.
    enum State {
        /// Nothing has begun.
        case prepared
        /// The transaction has begun.
        case running(Start)
        /// A file was refused because it looks like one of another kind.
        case ofOtherKind(Start)
    }

    /// The catalog before the import.
    struct Start {
        /// Whether no import of this kind began before, and whether no file of this kind was imported before.
        var (isFirstBeginning, isFirstFile) = (false, false)
        /// The number of rows of the kind, for a replacing import.
        var rowCount = 0
        /// The largest group key; 0 for other kinds.
        var highestKey: Int64 = 0
        /// The number of changes of the connection.
        var changes: Int64 = 0
    }

    enum Writer {
        case entities(EntityWriter, EntityTable)
        case pairs(RelationshipWriter, RelationSource)
    }

    /// Prepares an import.
    ///
    /// - Parameter report: Receives the progress, often.
    package init(
        into catalog: Catalog, kind: ImportKind, options: ImportOptions,
        report: @escaping (ImportProgress) -> Void = { _ in }
    ) throws(Failure) {
        self.catalog = catalog
        self.kind = kind
        columns = kind.columns
        self.options = options
        self.report = report
        rejects = RejectedRecords(path: options.rejectsPath, inputs: [], writesFiles: false)
        summary = ImportSummary(kind: kind)
        // The cache holds the upper pages of the table while a sorted batch is written; SQLite's default is 2 MB. The
        // log grows to the size of the whole import, and is cut again afterwards.
        try catalog.database.execute(
            "PRAGMA cache_size = -262144; PRAGMA threads = 2; PRAGMA journal_size_limit = 67108864")
        switch kind {
        case .relation(let source):
            precondition(catalog.relations.sources.contains(source), "the catalog has no \(source.table)")
            let pairs = try RelationshipWriter(source, catalog.database, options: options, findings)
            writer = .pairs(pairs, source)
            pairs.progress = { [unowned self] step, rows in reportStep(step, rows) }
        case .entities(let table):
            writer = .entities(try EntityWriter(kind, table, catalog.database, options: options, findings), table)
        }
    }

    /// Imports files, one after the other.
    ///
    /// - Parameter paths: The paths of files; `-` is standard input.
    /// - Throws: `Failure`; nothing has changed then. A dry run puts the failures that concern the import as a
    ///   whole into its summary instead.
    package func run(_ paths: [String]) throws(Failure) -> ImportSummary {
        do throws(Failure) {
            try run(paths) { inputs throws(Failure) in
                progress.totalBytes = inputs.reduce(0) { sum, input in
                    guard let sum, let count = input.byteCount else { return nil }
                    return sum + count
                }
                for input in inputs { try read(input) }
                try flush()
                complete()
            }
        } catch {
            if case .ofOtherKind(let start) = state, start.isFirstBeginning { try? undescribed?.forgetBeginning() }
            throw error
        }
        summary.findings = findings.all(in: columns)
        return summary
    }

    func check() throws(Failure) {
        try checkRejects()
        if options.replaces {
            summary.removed = try removeOthers()
        } else if kind == .groups {
            try checkReturns()
        }
    }

    func finish() throws(Failure) {
        try countUnshown()
        try settlePairs()
    }

    /// Puts the results of reading into the summary.
    private func complete() {
        summary.timesWithoutZone = findings.timesWithoutZone
        switch writer {
        case .entities(let writer, _):
            summary.written = writer.written
            summary.duplicates = writer.repeatedCount
            summary.forgotten = writer.forgottenCount
            summary.created = writer.created.filter { $0.value > 0 }
        case .pairs(let writer, _):
            summary.written = writer.written
            summary.duplicates = writer.duplicates
            summary.forgotten = writer.forgottenCount
            summary.created = writer.created.filter { $0.value > 0 }
        }
    }

    func reportStep(_ step: String, _ rows: Int) {
        progress.step = step
        progress.rows = rows
        report(progress)
    }
}

// MARK: - The transaction

extension Importer {
    func begin() throws(Failure) {
        var start = Start()
        if !options.isDryRun { start.isFirstBeginning = try undescribed?.noteBeginning() ?? false }
        try catalog.database.execute("BEGIN IMMEDIATE")
        start.isFirstFile = try undescribed?.noteImport() ?? false
        start.changes = catalog.database.totalChanges
        if options.replaces {
            start.rowCount = Int(try catalog.database.integer("SELECT count(*) FROM \(kind.name)") ?? 0)
        }
        if start.isFirstFile { try undescribed?.forgetVisibility() }
        if kind == .groups {
            start.highestKey = try catalog.database.integer("SELECT max(group_key) FROM groups") ?? 0
        }
        state = .running(start)
    }

    /// The catalog before the import, which has begun.
    var start: Start {
        switch state {
        case .prepared: Start()
        case .running(let start), .ofOtherKind(let start): start
        }
    }

    /// Notes that a file was refused because it looks like one of another kind.
    func noteOtherKind() { if case .running(let start) = state { state = .ofOtherKind(start) } }

    /// The undescribed groups or photos, if the import is of that kind.
    private var undescribed: UndescribedRowsWriter? {
        guard case .entities(let table) = kind else { return nil }
        return UndescribedRowsWriter(of: table, catalog.database)
    }

    /// Counts the groups and photos that are not shown because only relations name them.
    ///
    /// They are the ones created by this import of a relation, or missing in the first file of groups or photos.
    private func countUnshown() throws(Failure) {
        if start.isFirstFile, let undescribed { summary.unshown[kind.name] = try undescribed.rows.count() }
        let created = if case .pairs = writer { summary.created } else { [String: Int]() }
        for (name, count) in created {
            guard let table = EntityTable(rawValue: name),
                try UndescribedRows(of: table, catalog.facts.database)?.visibilityOfNewRow() == .unknown
            else { continue }
            summary.unshown[name] = count
        }
        summary.unshown = summary.unshown.filter { $0.value > 0 }
    }

    /// Lets what members did later win over the files, and counts the rows that it overrules.
    private func settlePairs() throws(Failure) {
        guard case .relation(let source) = kind else { return }
        summary.overruled = try PairEvents.reapply(to: source, catalog.database)
        summary.written = max(0, summary.written - summary.overruled)
    }

    func commit() throws(Failure) {
        let count = catalog.database.totalChanges - start.changes - temporaryChanges
        try catalog.recordChanges(count)
        if kind.changesMembers, count > 0 { try catalog.recordMemberChange() }
        try NotedColumn.note(notedColumns, in: catalog.database)
        if case .pairs(let writer, _) = writer { try writer.finish() }
        try catalog.database.execute("COMMIT")
    }

    /// The noted columns that got a value.
    private var notedColumns: Set<NotedColumn> {
        switch writer {
        case .entities(let writer, _): writer.noted
        case .pairs(let writer, let source): writer.hasTimes ? [source.notedTime] : []
        }
    }

    func flushIfFull() throws(Failure) {
        guard case .pairs(let writer, _) = writer, writer.pendingCount >= options.batchRows else { return }
        try flush()
    }

    /// Writes the batch of pairs.
    private func flush() throws(Failure) {
        guard case .pairs(let writer, _) = writer else { return }
        let unknown = try writer.flush()
        temporaryChanges = writer.seenChanges
        if let unknown {
            let origin = batchLines[unknown.row]
            throw strictError(origin.source, origin.line, "there is no \(unknown.id)")
        }
        batchLines.removeAll(keepingCapacity: true)
    }
}

extension Importer {
    /// Removes the rows that a replacing import did not see, within its transaction.
    ///
    /// - Returns: The number of rows of the kind that were removed.
    /// - Throws: `Failure` with the code `badData` if more than half of the rows would go, unless that is allowed,
    ///   or if removed groups look renamed.
    func removeOthers() throws(Failure) -> Int {
        let changes = catalog.database.totalChanges
        try collectVanished()
        temporaryChanges += catalog.database.totalChanges - changes
        let vanished = Int(try catalog.database.integer("SELECT count(*) FROM temp.vanished") ?? 0)
        // New rows must not hide that the old ones go.
        if !options.allowsShrinking {
            try ShrinkingBound.replacing.check(vanished, of: start.rowCount, kind.name, "replacing")
        }
        if kind == .groups { try checkRenames() }
        let noted = catalog.database.totalChanges
        if case .entities(let table) = kind { try catalog.removal.noteRemoval(ofVanished: table) }
        temporaryChanges += catalog.database.totalChanges - noted
        for removal in kind.removals(in: catalog.relations, isNamed: false) {
            try catalog.database.execute(removal.sql)
        }
        if kind == .groups, vanished > 0 { try catalog.removal.noteGroupRemoval() }
        try catalog.database.execute("DROP TABLE temp.vanished; DROP TABLE IF EXISTS temp.seen")
        return vanished
    }

    /// Whether an import of groups, or a replacing one, saw the group, user or photo with a key.
    func wasSeen(_ key: Int64) -> Bool {
        guard case .entities(let writer, _) = writer else { return true }
        return writer.wasSeen(key)
    }

    /// Fills the temporary table `vanished` with the keys of rows that the files do not have.
    private func collectVanished() throws(Failure) {
        guard case .entities(let table) = kind else {
            guard case .relation(let source) = kind else { return }
            try catalog.database.execute(
                """
                \(source.createKeys("vanished"));
                INSERT INTO temp.vanished SELECT \(source.keyColumns.joined(separator: ", ")) FROM \(source.table)
                EXCEPT SELECT * FROM temp.seen
                """)
            return
        }
        try catalog.database.execute("CREATE TEMP TABLE vanished (key INTEGER PRIMARY KEY)")
        // A hidden group stays in the catalog. It is then still hidden if a later import has it again.
        let condition = table == .groups ? "WHERE group_key NOT IN (SELECT group_key FROM hidden_groups)" : ""
        let keys = try catalog.database.prepare("SELECT \(table.keyColumn) FROM \(table.rawValue) \(condition)")
        let insert = try catalog.database.prepare("INSERT INTO temp.vanished VALUES (?)")
        while try keys.step() {
            let key = keys.integer(0)
            guard !wasSeen(key) else { continue }
            try insert.run(key)
        }
    }
}
