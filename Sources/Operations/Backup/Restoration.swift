package import Basics
package import CatalogStore
import Changes
package import Model
package import ModelStore

/// A restore of a backup.
///
/// Everything is read, compared with its checksums and prepared beside its target before anything is replaced. The
/// catalog is replaced last, in one step.
package struct Restoration: ~Copyable {
    /// The targets of a restore.
    package struct Places: Sendable {
        /// The path of the catalog, with links resolved: a link stays, and what it leads to is replaced.
        package var catalog: String
        package var journalFolder: String
        /// The store for the site's experiments, or nil to leave them out.
        package var store: (any VersionStore)?

        package init(catalog: String, journalFolder: String, store: (any VersionStore)? = nil) {
            self.catalog = Catalog.resolved(catalog) ?? catalog
            self.journalFolder = journalFolder
            self.store = store
        }
    }

    /// The result of a restore.
    package struct Outcome: Sendable, Equatable {
        /// The paths of the restored journals.
        package var journals: [String] = []
        /// The counts of the changes that the backup's catalog did not have yet.
        package var changes = AppliedChangeCounts()
        /// The missing or newer change that holds back others, by journal.
        package var stopping: [String: StoppingChange] = [:]
        /// The number of members whom the replaced site had forgotten since, and who were forgotten again.
        package var forgottenAgain = 0
        /// The number of their photos that were removed again.
        package var photosRemovedAgain = 0
        /// The numbers of things that the replaced site had withdrawn since, and that were withdrawn again.
        package var withdrawnAgain = WithdrawnAgain()
        /// The problems that kept parts of the replaced site from being searched for what it forgot or withdrew.
        package var unread: [String] = []
        /// Whether the site's experiments were restored.
        package var hasExperiments = false
    }

    package var manifest: BackupManifest { archive.manifest }

    private let archive: ArchiveReader

    /// Opens a backup and reads its manifest.
    ///
    /// - Throws: `Failure.Code.corrupt` if the file is incomplete or no backup, `otherFormat` if another program
    ///   made it.
    package init(_ path: String) throws(Failure) { archive = try ArchiveReader(path) }

    /// Reads all of the backup, and compares it with its checksums.
    package func verify() throws(Failure) {
        for file in manifest.files { try archive.read(file) { _ in } }
    }

    /// Returns the number of changes about members, and of rows in the catalog by table, without restoring anything.
    ///
    /// - Parameter folder: a folder for temporary files, which the caller removes.
    package func traces(of users: [String], in folder: String) throws(Failure) -> [BytewiseString: [String: Int]] {
        let catalogPath = "\(folder)/catalog"
        var journals: [String] = []
        for (number, file) in manifest.files.enumerated() {
            switch file.name {
            case BackupManifest.catalogName: try archive.extract(file, to: catalogPath)
            // Both name no members.
            case BackupManifest.experimentsName, BackupManifest.vectorsName: break
            default:
                journals.append("\(folder)/journal-\(number)")
                try archive.extract(file, to: journals[journals.count - 1])
            }
        }
        var changes = ChangeSources(try Self.open(journals, .recording))
        var traces = try changes.traceCounts(of: users).mapValues {
            ["changes of daemons": $0.values.reduce(0, +)]
        }
        let catalog = try Catalog(path: catalogPath, mode: .writing)
        for user in users {
            let rows = try catalog.facts.traces(ofMember: user).rows
            traces[BytewiseString(user), default: [:]].merge(rows) { $0 + $1 }
        }
        return traces.filter { !$0.value.isEmpty }
    }

    /// Restores the backup.
    ///
    /// Changes that only a replaced journal has are applied to the catalog, too.
    ///
    /// - Parameters:
    ///   - places: the targets.
    ///   - isReplacing: whether existing files are replaced.
    ///   - skipsMissing: whether changes are applied after others that no source has.
    ///   - keepsRemoved: whether what a replaced catalog lacks is shown again.
    /// - Throws: `Failure.Code.busy` if files exist, or a program has them open; then nothing was changed.
    package func restore(to places: Places, isReplacing: Bool, skipsMissing: Bool, keepsRemoved: Bool = false)
        throws(Failure) -> Outcome
    {
        // The journal beside the catalog stays beside it, whatever the catalog is called now.
        let logPath = Catalog.journalPath(beside: places.catalog)
        func journal(_ name: some StringProtocol) -> RestoredFile {
            RestoredFile(name.hasSuffix(Catalog.journalSuffix) ? logPath : "\(places.journalFolder)/\(name)")
        }
        let journals = manifest.journals.map { journal($0) }
        let catalog = RestoredFile(places.catalog)
        let streams = RestoredFile(places.catalog + "-streams")
        let latestStreams = RestoredFile(places.catalog + "-streams-now")
        let vectors = places.catalog + "-vectors.restoring"
        for file in journals + [catalog] { try file.checkTarget(isReplacing: isReplacing) }
        let experiments = try experiments(for: places, isReplacing: isReplacing)
        func removeRemains() {
            for file in journals + [catalog, streams, latestStreams] { file.removeRemains() }
            try? FileTree.remove(vectors)
        }
        // A killed restore may have left files, and logs that SQLite would apply to the new files.
        removeRemains()
        defer { removeRemains() }
        var outcome = Outcome()
        try FileTree.makeDirectory(FileTree.folder(of: places.catalog), mode: 0o700)
        if !journals.isEmpty { try FileTree.makeDirectory(places.journalFolder, mode: 0o700) }
        try extractFiles(catalog: catalog.prepared, streams: streams.prepared, vectors: vectors, journal: journal)
        /// Applies the changes of the backup, and of other journals.
        func complete(with others: [ChangeJournal], skipsMissing: Bool, withoutRemovals: Bool = false)
            throws(Failure)
        {
            let streamed = manifest.streamedChanges == nil ? [] : [streams.prepared]
            let journals = try Self.open(journals.map(\.prepared) + streamed, .recording)
            try self.complete(
                catalog.prepared, with: ChangeSources(journals + others), skipsMissing: skipsMissing,
                withoutRemovals: withoutRemovals, &outcome)
        }
        try complete(with: [], skipsMissing: skipsMissing && !isReplacing)
        if isReplacing {
            // The journal beside the catalog is in its place, whether the backup has it or not.
            let replaced = journals.map(\.path).filter { $0 != logPath } + [logPath]
            try Self.withdrawAgain(
                in: catalog.prepared, replacing: (places.catalog, replaced), keepsRemoved: keepsRemoved, &outcome)
            // What streams have is applied later, with its removals, unless the removals count as applied now.
            let channel = keepsRemoved ? places.store?.shared?.channel : nil
            let latest = try channel.map { channel throws(Failure) in
                try ChangeSources.copy(channel, beyond: .none, to: latestStreams.prepared, at: 0).journal
            }
            try complete(
                with: Self.replaced(replaced) + (latest.map { [$0] } ?? []), skipsMissing: skipsMissing,
                withoutRemovals: keepsRemoved)
        }
        for file in journals { try file.putInPlace() }
        if let experiments {
            try experiments.putInPlace()
            outcome.hasExperiments = true
        }
        if FileTree.exists(vectors) { try Self.putInPlace(vectors, of: catalog.prepared, places.catalog) }
        try catalog.putInPlace()
        try Facts(path: places.catalog).vectors.removeOtherFiles()
        outcome.journals = journals.map(\.path)
        return outcome
    }

    /// Extracts all files but the experiments.
    ///
    /// - Parameter journal: returns the file for the journal with a name.
    private func extractFiles(catalog: String, streams: String, vectors: String, journal: (Substring) -> RestoredFile)
        throws(Failure)
    {
        for file in manifest.files {
            switch file.name {
            case BackupManifest.catalogName: try archive.extract(file, to: catalog)
            case BackupManifest.streamsName: try archive.extract(file, to: streams)
            case BackupManifest.vectorsName: try archive.extract(file, to: vectors)
            case BackupManifest.experimentsName: break
            default:
                let name = file.name.dropFirst(BackupManifest.journalPrefix.count)
                try archive.extract(file, to: journal(name).prepared)
            }
        }
    }

    /// Moves the file of vectors beside the catalog, under a number that the replaced catalog does not know.
    private static func putInPlace(_ vectors: String, of prepared: String, _ catalog: String) throws(Failure) {
        let place = try CatalogVectors.renumber(in: Catalog(path: prepared, mode: .recording), for: catalog)?.to
        guard let place else { return }
        try OpenFile(vectors, for: .reading, unreadable: .fileFailed).synchronize()
        try FileTree.move(vectors, to: place, .powerLoss)
    }

    private static func open(_ paths: [String], _ mode: ChangeJournal.Mode) throws(Failure) -> [ChangeJournal] {
        try paths.map { path throws(Failure) in try ChangeJournal(path: path, mode: mode) }
    }

    /// Opens the journals that are replaced, as far as they can be read: no other place may have their latest changes.
    private static func replaced(_ paths: [String]) -> [ChangeJournal] {
        paths.filter(FileTree.exists).flatMap { (try? open([$0], .reading)) ?? [] }
    }

    /// Prepares the experiments of the backup for the store; nil if there is nothing to restore.
    ///
    /// - Throws: `Failure.Code.busy` if the store has experiments that must stay.
    private func experiments(for places: Places, isReplacing: Bool) throws(Failure) -> RestoredExperiments? {
        guard let store = places.store, let text = try archive.content(of: BackupManifest.experimentsName) else {
            return nil
        }
        return try RestoredExperiments(text, in: store, isReplacing: isReplacing)
    }

    /// Forgets in the prepared catalog the members whom the replaced files have forgotten, and withdraws what they have
    /// withdrawn.
    private static func withdrawAgain(
        in path: String, replacing files: (catalog: String, journals: [String]), keepsRemoved: Bool,
        _ outcome: inout Outcome
    ) throws(Failure) {
        var replaced = ReplacedSite(catalog: files.catalog, journals: files.journals)
        (outcome.forgottenAgain, outcome.photosRemovedAgain) = try replaced.forget(
            in: Catalog(path: path, mode: .recording))
        outcome.withdrawnAgain = try replaced.withdraw(
            from: Catalog(path: path, mode: .recording), keepsRemoved: keepsRemoved)
        outcome.unread = replaced.problems
    }

    /// Applies the changes that the catalog lacks, from journals and streams.
    ///
    /// The restored catalog then has every change that was acknowledged.
    ///
    /// - Parameter withoutRemovals: whether removals count as applied and are not; the forgetting of a member is.
    private func complete(
        _ path: String, with sources: ChangeSources, skipsMissing: Bool, withoutRemovals: Bool, _ outcome: inout Outcome
    ) throws(Failure) {
        // Writing mode also creates the write-ahead log.
        _ = try Catalog(path: path, mode: .writing)
        let catalog = try Catalog(path: path, mode: .recording)
        let (counts, stopping) = try catalog.ingest.takeOver(
            through: try sources.kept().mapValues(\.last), skipsMissing: skipsMissing
        ) { origin, after, limit throws(Failure) in
            let changes = try sources.changes(of: origin, after: after, limit: limit)
            guard withoutRemovals else { return changes }
            return changes.map { change in
                if case .removal(let removal) = change.change, removal.forgottenUserID == nil {
                    change.erased
                } else {
                    change
                }
            }
        }
        outcome.changes.applied += counts.applied
        outcome.changes.repeated += counts.repeated
        outcome.changes.leftOut += counts.leftOut
        (outcome.changes.held, outcome.stopping) = (counts.held, stopping)
    }
}
