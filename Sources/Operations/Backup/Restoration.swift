public import CatalogStore
import Changes
import Changes
import Model
public import ModelStore

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
        /// Where the site's experiments are brought back to; nil to leave them out.
        public var store: (any VersionStore)?

        /// Places.
        public init(catalog: String, journalFolder: String, store: (any VersionStore)? = nil) {
            self.catalog = catalog
            self.journalFolder = journalFolder
            self.store = store
        }
    }

    /// What was brought back.
    public struct Outcome: Sendable, Equatable {
        /// The journals' paths.
        public var journals: [String] = []
        /// What became of the changes that the catalog did not have yet.
        public var changes = AppliedChangeCounts()
        /// The change that is missing, or needs a newer program, of journals of which changes are held back.
        public var stopping: [String: StoppingChange] = [:]
        /// Members whom the site that was replaced had forgotten since, and who were forgotten again.
        public var forgottenAgain = 0
        /// Their photos that were removed again.
        public var photosRemovedAgain = 0
        /// Why some of what was replaced could not be asked for forgotten members.
        public var unread: [String] = []
        /// Whether the site's experiments were brought back.
        public var hasExperiments = false
    }

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
    /// - Throws: `BackupError.Code.occupied` if files are there, or a program has them open; then nothing was changed.
    public func restore(to places: Places, isReplacing: Bool, skipsMissing: Bool) throws(BackupError) -> Outcome {
        let journals = manifest.journals.map { RestoredFile("\(places.journalFolder)/\($0)") }
        let catalog = RestoredFile(places.catalog)
        let streams = RestoredFile(places.catalog + "-streams")
        for file in journals + [catalog] { try file.checkTarget(isReplacing: isReplacing) }
        let experiments = try experiments(for: places, isReplacing: isReplacing)
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
            case BackupManifest.experimentsName: break
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
            skipsMissing: skipsMissing, &outcome)
        if isReplacing {
            try Self.forgetAgain(
                in: catalog.prepared, replacing: (places.catalog, journals.map(\.path)), &outcome)
        }
        for file in journals { try file.putInPlace() }
        if let experiments {
            try experiments.putInPlace()
            outcome.hasExperiments = true
        }
        try catalog.putInPlace()
        outcome.journals = journals.map(\.path)
        return outcome
    }

    private static func open(_ paths: [String]) throws(BackupError) -> [ChangeJournal] {
        var journals: [ChangeJournal] = []
        for path in paths {
            // One of an earlier program is upgraded.
            let journal = try journaled { () throws(ChangeError) in try ChangeJournal(path: path, mode: .recording) }
            journals.append(journal)
        }
        return journals
    }

    /// The experiments of the backup, and what the store has in their place; nil if there is nothing to bring back.
    ///
    /// - Throws: `BackupError.Code.occupied` if the store has others that must stay.
    private func experiments(for places: Places, isReplacing: Bool) throws(BackupError) -> RestoredExperiments? {
        guard let store = places.store, let text = try archive.content(of: BackupManifest.experimentsName) else {
            return nil
        }
        return try RestoredExperiments(text, in: store, isReplacing: isReplacing)
    }

    /// Forgets in the prepared catalog whom the files that it replaces have forgotten.
    private static func forgetAgain(
        in path: String, replacing files: (catalog: String, journals: [String]), _ outcome: inout Outcome
    ) throws(BackupError) {
        var replaced = ReplacedSite(catalog: files.catalog, journals: files.journals)
        (outcome.forgottenAgain, outcome.photosRemovedAgain) = try cataloged { () throws(CatalogError) in
            try replaced.forget(in: Catalog(path: path, mode: .recording))
        }
        outcome.unread = replaced.problems
    }

    /// Migrates the catalog, and applies to it what journals and streams have beyond it: whatever reads the catalog
    /// then has all that was acknowledged.
    private func complete(
        _ path: String, with sources: ChangeSources, skipsMissing: Bool, _ outcome: inout Outcome
    ) throws(BackupError) {
        // It also gets its write-ahead log.
        _ = try cataloged { () throws(CatalogError) in try Catalog(path: path, mode: .writing) }
        let catalog = try cataloged { () throws(CatalogError) in try Catalog(path: path, mode: .recording) }
        (outcome.changes, outcome.stopping) = try catalog.takeOver(
            through: try sources.last(), skipsMissing: skipsMissing, wrap: BackupError.init
        ) { origin, after, limit throws(BackupError) in
            try sources.changes(of: origin, after: after, limit: limit)
        }
    }
}
