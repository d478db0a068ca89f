package import Basics
import CatalogStore
import Changes
import Model
package import ModelStore

/// A backup of the data that a site cannot compute again.
///
/// It holds the catalog with the site's decisions, its experiments, and the journals of daemons on this machine. It
/// also holds the changes that only the streams in Redis have. The site keeps running during the backup.
///
/// A change moves from a journal to a stream, and from there to the catalog. It is removed from its old place only
/// after it has reached the next. So a copy in this order has every change that was acknowledged before the backup
/// began.
package struct SiteBackup {
    private let catalog: String
    private let journals: [String]
    private let store: (any VersionStore)?

    /// Creates a backup.
    ///
    /// - Parameters:
    ///   - catalog: the path of the catalog.
    ///   - journals: the paths of daemons' journals, with different file names.
    ///   - store: the store of the experiments, and of the streams if it is shared; or `nil` for none.
    package init(catalog: String, journals: [String], store: (any VersionStore)?) {
        self.catalog = catalog
        self.journals = journals
        self.store = store
    }

    /// Writes the backup.
    ///
    /// - Parameters:
    ///   - path: the file to write. It appears when it is complete; until then its folder needs space for it twice.
    ///   - isReplacing: whether an existing file is replaced.
    ///   - now: the time, in Unix milliseconds.
    /// - Throws: `Failure.Code.fileFailed`, among others, if the file exists and must stay, or is a database or a link.
    package func write(to path: String, isReplacing: Bool, now: Int64) throws(Failure) -> BackupManifest {
        guard isReplacing || !FileTree.exists(path) else {
            throw Failure(.fileFailed, "\(path) is there already: name another file, or give --replace")
        }
        try PrivateFile.refuseOther(path)
        var writer = try ArchiveWriter(path)
        do throws(Failure) {
            let manifest = try add(to: &writer, now)
            try writer.finish(manifest)
            return manifest
        } catch {
            ArchiveWriter.removeRemains(of: path)
            throw error
        }
    }

    private func add(to writer: inout ArchiveWriter, _ now: Int64) throws(Failure) -> BackupManifest {
        var copied: [[String: SequenceRange]] = []
        for path in journals {
            let journal = try ChangeJournal(path: path, mode: .reading)
            let name = path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
            guard !writer.files.contains(where: { $0.name == BackupManifest.journalPrefix + name }) else {
                throw Failure(.fileFailed, "two journals have the name \(name): rename one, or make two backups")
            }
            // Read before the copy, which then has at least these changes.
            copied.append(try journal.kept())
            try writer.add(BackupManifest.journalPrefix + name) { target throws(Failure) in
                try journal.copy(to: target)
            }
        }
        var streamedChanges: Int?
        if let channel = store?.shared?.channel {
            var count = 0
            try writer.add(BackupManifest.streamsName) { target throws(Failure) in
                count = try copyStreams(of: channel, beyond: copied, to: target, now)
            }
            streamedChanges = count
        }
        let experiments = try store.flatMap { store throws(Failure) in
            try store.experiments()
        }
        if let experiments {
            try writer.add(BackupManifest.experimentsName) { target throws(Failure) in
                try OpenFile(target, for: .rewriting).append(experiments)
            }
        }
        var schemaVersion = 0
        var (vectors, catalogID): (VectorSpace?, String?)
        try writer.add(BackupManifest.catalogName) { target throws(Failure) in
            schemaVersion = try Catalog.copy(catalog, to: target)
            let copy = try Facts(path: target)
            (vectors, catalogID) = (try copy.vectors.space(), try copy.catalogID())
        }
        if let vectors {
            try writer.add(BackupManifest.vectorsName) { target throws(Failure) in
                try CatalogVectors.copy(vectors, from: catalog, to: target)
            }
        }
        return BackupManifest(
            format: BackupManifest.format, startedAtMilliseconds: now, schemaVersion: schemaVersion,
            catalogId: catalogID, streamedChanges: streamedChanges, files: writer.files)
    }

    /// Copies the changes of the streams that neither the catalog nor the copied journals have, into a journal.
    ///
    /// - Returns: the number of changes.
    private func copyStreams(
        of channel: SharedChannel, beyond journals: [[String: SequenceRange]], to path: String, _ now: Int64
    ) throws(Failure) -> Int {
        // The catalog is copied later, and then has at least these changes.
        let taken = try Facts(path: catalog).appliedChanges()
        return try ChangeSources.copy(channel, beyond: Self.covered(beyond: taken, by: journals), to: path, at: now)
            .count
    }

    /// Returns the changes that the catalog has, and those after them that the copied journals have without a gap.
    private static func covered(beyond taken: AppliedChanges, by journals: [[String: SequenceRange]]) -> AppliedChanges
    {
        var sequences = taken.sequences
        for (origin, kept) in journals.joined().sorted(by: { $0.value.after < $1.value.after }) {
            let covered = sequences[origin] ?? 0
            if kept.after <= covered { sequences[origin] = max(covered, kept.last) }
        }
        return AppliedChanges(sequences)
    }
}

/// The contents of a backup: `manifest.json`, which only the checksum of the manifest follows.
package struct BackupManifest: Codable, Sendable, Equatable {
    /// The format that this program writes and reads; `EarlierBackup` reads another one.
    static let format = 4
    static let fileName = "manifest.json"
    static let catalogName = "catalog.sqlite"
    /// The name of the file of vectors in the archive.
    static let vectorsName = "vectors"
    /// The name of the journal with the changes that only the streams in Redis had.
    static let streamsName = "streams.sqlite"
    /// The name of the site's experiments in the archive, with the same text as in the store.
    static let experimentsName = "experiments.json"
    static let journalPrefix = "journals/"

    /// A file of the archive.
    package struct File: Codable, Sendable, Equatable {
        package var name: String
        /// The length in bytes.
        package var byteCount: Int
        /// The checksum, a `RunningChecksum`.
        package var checksum: String
    }

    package var format: Int
    /// The beginning of the backup, in Unix milliseconds; it has all changes that were acknowledged before.
    package var startedAtMilliseconds: Int64
    package var schemaVersion: Int
    /// The id of the catalog, which its copies share; nil in backups of programs before it.
    package var catalogId: String?
    /// The number of changes that only the streams in Redis had, or `nil` if no shared store was given.
    package var streamedChanges: Int?
    /// The files, in the order of the archive.
    package var files: [File]

    /// The file names of the journals, without their folder.
    package var journals: [String] {
        files.compactMap { file in
            file.name.hasPrefix(Self.journalPrefix) ? String(file.name.dropFirst(Self.journalPrefix.count)) : nil
        }
    }
}
