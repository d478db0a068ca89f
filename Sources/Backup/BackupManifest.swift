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
