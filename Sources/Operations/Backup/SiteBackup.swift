public import CatalogStore
import Model
public import ModelStore

/// Makes a backup of what a site cannot make again, while everything goes on: the catalog with the site's decisions,
/// its experiments, the journals of daemons on this machine, and what only the streams in Redis have.
///
/// A change goes from a journal to a stream, from there to the catalog, and is removed where it was only after that. So
/// they are copied in this order: whatever was acknowledged before the backup began is in it.
public struct SiteBackup {
    /// How many changes are read of a stream at a time.
    private static let batchSize = 1000

    private let catalog: String
    private let journals: [String]
    private let store: (any VersionStore)?

    /// - Parameters:
    ///   - catalog: its path; it may be of an older program.
    ///   - journals: the paths of daemons' journals, of different names.
    ///   - store: whose experiments are copied too, and its streams if it is shared; nil for none.
    public init(catalog: String, journals: [String], store: (any VersionStore)?) {
        self.catalog = catalog
        self.journals = journals
        self.store = store
    }

    /// Writes the backup.
    ///
    /// - Parameters:
    ///   - path: a file, of which nothing is seen until it is whole; meanwhile its folder needs room for it twice.
    ///   - isReplacing: whether a file that is there is replaced.
    ///   - now: Unix milliseconds.
    /// - Throws: `BackupError.Code.occupied` if the file is there.
    public func write(to path: String, isReplacing: Bool, now: Int64) throws(BackupError) -> BackupManifest {
        guard isReplacing || !FileName.exists(path) else {
            throw BackupError(.occupied, "\(path) is there already: name another file, or give --replace")
        }
        var writer = try ArchiveWriter(path)
        do throws(BackupError) {
            let manifest = try add(to: &writer, now)
            try writer.finish(manifest)
            return manifest
        } catch {
            ArchiveWriter.removeRemains(of: path)
            throw error
        }
    }

    private func add(to writer: inout ArchiveWriter, _ now: Int64) throws(BackupError) -> BackupManifest {
        var copied: [[String: KeptNumbers]] = []
        for path in journals {
            let journal = try cataloged { () throws(CatalogError) in try ChangeJournal(path: path, mode: .reading) }
            let name = path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
            guard !writer.files.contains(where: { $0.name == BackupManifest.journalPrefix + name }) else {
                throw BackupError(.fileFailed, "two journals have the name \(name): rename one, or make two backups")
            }
            // Before the copy, so that it is not more than what is copied.
            copied.append(try cataloged { () throws(CatalogError) in try journal.kept() })
            try writer.add(BackupManifest.journalPrefix + name) { target throws(BackupError) in
                try cataloged { () throws(CatalogError) in try journal.copy(to: target) }
            }
        }
        var streamedChanges: Int?
        if let channel = store?.shared?.channel {
            var count = 0
            try writer.add(BackupManifest.streamsName) { target throws(BackupError) in
                count = try copyStreams(of: channel, beyond: copied, to: target)
            }
            streamedChanges = count
        }
        let experiments = try store.flatMap { store throws(BackupError) in
            try stored { () throws(StoreError) in try store.experiments() }
        }
        if let experiments {
            try writer.add(BackupManifest.experimentsName) { target throws(BackupError) in
                try ArchiveFile(writing: target).append(experiments)
            }
        }
        var schemaVersion = 0
        try writer.add(BackupManifest.catalogName) { target throws(BackupError) in
            schemaVersion = try cataloged { () throws(CatalogError) in try Catalog.copy(catalog, to: target) }
        }
        return BackupManifest(
            format: BackupManifest.format, startedAtMilliseconds: now, schemaVersion: schemaVersion,
            streamedChanges: streamedChanges, files: writer.files)
    }

    /// Copies what the streams have beyond the catalog and the journals that were copied.
    ///
    /// - Returns: how many changes.
    private func copyStreams(of channel: SharedChannel, beyond journals: [[String: KeptNumbers]], to path: String)
        throws(BackupError) -> Int
    {
        let copy = try StreamCopy(path, makes: true)
        // The catalog will be copied later, and then has as much at least. One of an older program may not say.
        let taken = (try? Catalog(path: catalog, mode: .reading).takenChanges()) ?? .none
        var streams = try stored { () throws(StoreError) in try channel.journals() }
        let survey = try stored { () throws(StoreError) in try streams.survey() }
        var count = 0
        for (origin, numbers) in survey.sorted(by: { $0.key < $1.key }) {
            var last = Self.covered(origin, from: taken.last(of: origin), by: journals)
            while last < numbers.last {
                let found = try stored { () throws(StoreError) in
                    try streams.changes(of: origin, after: last, limit: Self.batchSize)
                }
                let changes = found.filter { $0.sequence <= numbers.last }
                try copy.add(changes, of: origin)
                count += changes.count
                last = found.last?.sequence ?? numbers.last
            }
        }
        return count
    }

    /// Up to which number the journals that were copied have all changes after one.
    private static func covered(_ origin: String, from number: Int64, by journals: [[String: KeptNumbers]]) -> Int64 {
        journals.compactMap { $0[origin] }.sorted { $0.after < $1.after }.reduce(number) { covered, kept in
            kept.after <= covered ? max(covered, kept.last) : covered
        }
    }
}

/// What a backup holds: `manifest.json`, its last file.
public struct BackupManifest: Codable, Sendable, Equatable {
    /// The format that this program writes, and the newest that it reads.
    static let format = 2
    /// Its name in the archive.
    static let fileName = "manifest.json"
    /// The name of the catalog in the archive.
    static let catalogName = "catalog.sqlite"
    /// The name of what only the streams in Redis had.
    static let streamsName = "streams.sqlite"
    /// The name of the site's experiments in the archive, the text that the store has.
    static let experimentsName = "experiments.json"
    /// What the names of journals begin with.
    static let journalPrefix = "journals/"

    /// A file of the archive.
    public struct File: Codable, Sendable, Equatable {
        /// Its name there.
        public var name: String
        /// Its length in bytes.
        public var byteCount: Int
        /// Its `RunningChecksum`.
        public var checksum: String
    }

    /// The layout of the backup.
    public var format: Int
    /// The moment: whatever was acknowledged before it is in the backup, in Unix milliseconds.
    public var startedAtMilliseconds: Int64
    /// The schema version of the catalog.
    public var schemaVersion: Int
    /// How many changes of daemons only the streams in Redis had; nil if they were not asked.
    public var streamedChanges: Int?
    /// The files, in their order.
    public var files: [File]

    /// The names of the journals, without their folder.
    public var journals: [String] {
        files.compactMap { file in
            file.name.hasPrefix(Self.journalPrefix) ? String(file.name.dropFirst(Self.journalPrefix.count)) : nil
        }
    }
}

/// Why a backup could not be made or brought back.
public struct BackupError: Error, CustomStringConvertible {
    /// What kind of failure it is; callers decide by it what the exit code is.
    public enum Code: Sendable, Equatable {
        /// Something is there that would be overwritten, or is in use.
        case occupied
        /// The backup is damaged, incomplete, or something else.
        case damaged
        /// A newer program has made the backup.
        case newer
        /// A file could not be read or written.
        case fileFailed
        /// The catalog or a journal failed.
        case catalog(CatalogError.Code)
        /// The store failed.
        case store(StoreError.Code)
    }

    /// The kind.
    public let code: Code
    /// What happened, where, and what to do.
    public let message: String

    /// An error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    init(_ error: CatalogError) { self.init(.catalog(error.code), error.message) }

    init(_ error: StoreError) { self.init(.store(error.code), error.message) }

    /// The message.
    public var description: String { message }
}

/// Runs `body`, and turns an error of the catalog's into one of the backup's.
func cataloged<Result>(_ body: () throws(CatalogError) -> Result) throws(BackupError) -> Result {
    do throws(CatalogError) { return try body() } catch { throw BackupError(error) }
}

/// Runs `body`, and turns an error of the store's into one of the backup's.
func stored<Result: ~Copyable>(_ body: () throws(StoreError) -> Result) throws(BackupError) -> Result {
    do throws(StoreError) { return try body() } catch { throw BackupError(error) }
}
