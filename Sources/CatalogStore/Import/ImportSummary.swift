/// What an import did, or would do.
public struct ImportSummary: Sendable, Equatable {
    /// A rejected record.
    public struct Example: Sendable, Equatable {
        /// The file.
        public var source: String
        /// The line where it begins, from 1.
        public var line: Int
        /// Why it was rejected.
        public var reason: String
        /// Its beginning, safe to show.
        public var excerpt: String
    }

    /// A column of a file that the kind does not have.
    public struct UnknownColumn: Sendable, Equatable {
        /// Its name.
        public var name: String
        /// The column that may have been meant.
        public var nearest: String?
    }

    /// The kind.
    public var kind: ImportKind
    /// Rows read that were not bad.
    public var rows = 0
    /// Of these, repetitions within one batch, of which the last one counts.
    public var duplicates = 0
    /// Rows inserted or changed.
    public var written = 0
    /// Rows of the kind removed by `replaces`, without rows of other tables that named them.
    public var removed = 0
    /// Bad records.
    public var rejected = 0
    /// The first ten of them.
    public var examples: [Example] = []
    /// Of these, records that are not UTF-8.
    public var notUTF8 = 0
    /// The files with the bad records, and the one with the reasons.
    public var rejectsPaths: [String] = []
    /// The file that says why records were rejected; nil if none was.
    public var reasonsPath: String?
    /// Groups, users and photos created because a row named them.
    public var created: [String: Int] = [:]
    /// Times that did not say their zone.
    public var timesWithoutZone = 0
    /// Rows left out because they name a member who was forgotten.
    public var forgotten = 0
    /// Columns of the files that the kind does not have.
    public var unknownColumns: [UnknownColumn] = []
    /// Why a dry run's import would fail; nil if it would not.
    public var failure: CatalogError?
    /// Wall time, in seconds.
    public var seconds = 0.0

    /// Rows that were in the catalog already, with the same values.
    public var unchanged: Int { rows - duplicates - written - forgotten }

    init(kind: ImportKind) { self.kind = kind }
}
