public import RecordReading

/// How an import treats what it reads.
public struct ImportOptions: Sendable {
    /// The format of all files; nil to find out each by its name or first bytes.
    public var format: RecordFormat?
    /// The first bad line or unknown id ends the import, and nothing of its batch is kept.
    public var isStrict = false
    /// Rows of the kind that the files do not have are removed.
    public var replaces = false
    /// Lets `replaces` remove more than half of what there is.
    public var allowsShrinking = false
    /// The file for bad lines; it is created at the first one.
    public var rejectsPath: String
    /// How many memberships or pool entries are sorted and written in one transaction; of groups, users and photos at
    /// most 100,000 are.
    public var batchRows = 16_000_000
    /// Memory for external ids, in bytes; when it is full it is emptied, and ids are looked up in the catalog again.
    public var identifierBytes = 1 << 30

    /// Options.
    public init(rejectsPath: String) { self.rejectsPath = rejectsPath }
}

/// The progress of an import.
public struct ImportProgress: Sendable {
    /// The step: "reading", "finding ids", "writing" or "indexing".
    public var step: String
    /// Rows done; in steps other than "reading", those of this step.
    public var rows: Int
    /// Bytes read of all files.
    public var bytesRead: Int
    /// The size of all files; nil if one is a pipe.
    public var totalBytes: Int?
}

/// What an import did.
public struct ImportSummary: Sendable, Equatable {
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
    /// Bad lines, which are in the rejects file.
    public var rejected = 0
    /// Groups, users and photos created because a row named them.
    public var created: [String: Int] = [:]
    /// Ids with a slash, of rows and of what was created: HTTP cannot address them.
    public var idsWithSlash = 0
    /// Columns of the files that the kind does not have.
    public var unknownColumns: [String] = []
    /// Wall time, in seconds.
    public var seconds = 0.0

    /// Rows that were in the catalog already, with the same values.
    public var unchanged: Int { rows - duplicates - written }

    init(kind: ImportKind) { self.kind = kind }
}
