public import CatalogStore
import Model

/// Brings a backup back.
///
/// Everything is read, compared with its checksums and prepared beside where it belongs before anything is replaced;
/// the catalog is replaced last, in one step.
public struct Restoration: ~Copyable {
    /// Where a backup is brought back to.
    public struct Places: Sendable {
        /// The catalog.
        public var catalog: String
        /// The folder of journals.
        public var journalFolder: String

        /// Places.
        public init(catalog: String, journalFolder: String) {
            self.catalog = catalog
            self.journalFolder = journalFolder
        }
    }

    /// What was brought back.
    public struct Outcome: Sendable, Equatable {
        /// The journals' paths.
        public var journals: [String] = []
        /// What became of the changes that the catalog did not have yet.
        public var changes = AppliedChangeCounts()
        /// The first change that is missing of journals of which changes are held back.
        public var missing: [String: Int64] = [:]
        /// Members whom the catalog that was replaced had forgotten since, and who were forgotten again.
        public var forgottenAgain = 0
    }

    /// How many changes are applied in one transaction.
    private static let changesPerTransaction = 2000

    /// What the backup holds.
    public var manifest: BackupManifest { archive.manifest }

    private let archive: ArchiveReader

    /// Opens a backup and reads what it holds.
    ///
    /// - Throws: `BackupError.Code.damaged` if it is incomplete or something else, `newer` if it is of a newer program.
    public init(_ path: String) throws(BackupError) { archive = try ArchiveReader(path) }

    /// Reads all of the backup, and compares it with its checksums.
    public func verify() throws(BackupError) {
        for file in manifest.files { try archive.read(file) { _ in } }
    }

    /// Brings the backup back.
    ///
    /// - Parameters:
    ///   - isReplacing: whether files that are there are replaced.
    ///   - skipsMissing: whether changes are taken that follow others that are nowhere.
    ///   - now: Unix milliseconds.
    /// - Throws: `BackupError.Code.occupied` if files are there, or a program has them open; then nothing was changed.
    public func restore(to places: Places, isReplacing: Bool, skipsMissing: Bool, now: Int64)
        throws(BackupError) -> Outcome
    {
        let journals = manifest.journals.map { RestoredFile("\(places.journalFolder)/\($0)") }
        let catalog = RestoredFile(places.catalog)
        let streams = RestoredFile(places.catalog + "-streams")
        for file in journals + [catalog] { try file.checkTarget(isReplacing: isReplacing) }
        let forgotten = isReplacing ? Self.forgotten(in: places.catalog) : []
        func removeRemains() { for file in journals + [catalog, streams] { file.removeRemains() } }
        // A restore that was killed has left files, and logs that SQLite would take for those of the new files.
        removeRemains()
        defer { removeRemains() }
        var outcome = Outcome()
        try FileName.makeFolder(Catalog.folder(of: places.catalog))
        if !journals.isEmpty { try FileName.makeFolder(places.journalFolder) }
        for file in manifest.files {
            switch file.name {
            case BackupManifest.catalogName: try archive.extract(file, to: catalog.prepared)
            case BackupManifest.streamsName: try archive.extract(file, to: streams.prepared)
            default:
                let name = file.name.dropFirst(BackupManifest.journalPrefix.count)
                try archive.extract(file, to: RestoredFile("\(places.journalFolder)/\(name)").prepared)
            }
        }
        try complete(
            catalog.prepared,
            with: ChangeSources(
                journals: Self.open(journals.map(\.prepared)),
                streams: manifest.streamedChanges == nil ? nil : StreamCopy(streams.prepared)),
            forgetting: forgotten, skipsMissing: skipsMissing, now, &outcome)
        for file in journals { try file.putInPlace() }
        try catalog.putInPlace()
        outcome.journals = journals.map(\.path)
        return outcome
    }

    private static func open(_ paths: [String]) throws(BackupError) -> [ChangeJournal] {
        var journals: [ChangeJournal] = []
        for path in paths {
            journals.append(try cataloged { () throws(CatalogError) in try ChangeJournal(path: path, mode: .reading) })
        }
        return journals
    }

    /// The members whom a catalog has forgotten; none if it cannot be read.
    private static func forgotten(in path: String) -> [String] {
        (try? Catalog(path: path, mode: .reading).forgottenMembers().map(\.id)) ?? []
    }

    /// Migrates the catalog, and applies to it what journals and streams have beyond it: whatever reads the catalog
    /// then has all that was acknowledged.
    private func complete(
        _ path: String, with sources: ChangeSources, forgetting forgotten: [String], skipsMissing: Bool,
        _ now: Int64, _ outcome: inout Outcome
    ) throws(BackupError) {
        // It also gets its write-ahead log.
        _ = try cataloged { () throws(CatalogError) in try Catalog(path: path, mode: .writing) }
        let catalog = try cataloged { () throws(CatalogError) in try Catalog(path: path, mode: .recording) }
        let last = try sources.last()
        outcome.changes = try Self.apply(sources, last, to: catalog)
        outcome.missing = try Self.missing(in: catalog, last)
        while skipsMissing, !outcome.missing.isEmpty {
            for (origin, number) in outcome.missing {
                let next = try sources.changes(of: origin, after: number - 1, limit: 1).first?.sequence
                try cataloged { () throws(CatalogError) in
                    try catalog.skipMissing(through: next.map { $0 - 1 } ?? last[origin] ?? number, of: origin)
                }
            }
            let more = try Self.apply(sources, last, to: catalog)
            outcome.changes = outcome.changes + more
            outcome.changes.held = more.held
            outcome.missing = try Self.missing(in: catalog, last)
        }
        try cataloged { () throws(CatalogError) in
            let known = Set(try catalog.forgottenMembers().map(\.id))
            let since = forgotten.filter { !known.contains($0) }
            guard !since.isEmpty else { return }
            _ = try catalog.forget(since, withPhotos: false, atMilliseconds: now)
            outcome.forgottenAgain = since.count
        }
    }

    private static func apply(_ sources: ChangeSources, _ last: [String: Int64], to catalog: Catalog)
        throws(BackupError) -> AppliedChangeCounts
    {
        let taken = try cataloged { () throws(CatalogError) in try catalog.takenChanges() }
        var merge = ChangeMerge(
            last.reduce(into: [:]) { numbers, entry in
                numbers[entry.key] = KeptNumbers(after: taken.last(of: entry.key), last: entry.value)
            })
        var counts = AppliedChangeCounts()
        while true {
            let changes = try merge.next(limit: changesPerTransaction) { origin, after, limit throws(BackupError) in
                try sources.changes(of: origin, after: after, limit: limit)
            }
            if changes.isEmpty { return counts }
            counts = counts + (try cataloged { () throws(CatalogError) in try catalog.apply(journaled: changes) })
        }
    }

    /// The number after the last change of each journal that was applied, where there are more.
    private static func missing(in catalog: Catalog, _ last: [String: Int64]) throws(BackupError) -> [String: Int64] {
        let taken = try cataloged { () throws(CatalogError) in try catalog.takenChanges() }
        return last.filter { taken.last(of: $0.key) < $0.value }.reduce(into: [:]) {
            $0[$1.key] = taken.last(of: $1.key) + 1
        }
    }
}
