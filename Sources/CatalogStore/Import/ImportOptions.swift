public import RecordReading

/// How an import treats what it reads.
public struct ImportOptions: Sendable {
    /// The format of all files; nil: each by its name, or by its first bytes.
    public var format: RecordFormat?
    /// The first bad line, or unknown id, ends the import, with nothing kept of its batch.
    public var isStrict = false
    /// The kind becomes equal to the files: what they do not hold is removed.
    public var replaces = false
    /// Lets `replaces` remove more than half of what there is.
    public var allowsShrinking = false
    /// Where bad lines go; the file is made when there is one.
    public var rejectsPath: String
    /// How many rows of pairs are sorted and written at once, in one transaction; of things at most 100,000 are.
    public var batchRows = 16_000_000
    /// Memory for external ids, in bytes; beyond it they are looked up in the catalog again.
    public var identifierBytes = 1 << 30

    /// Options.
    public init(rejectsPath: String) { self.rejectsPath = rejectsPath }
}

/// How far an import is.
public struct ImportProgress: Sendable {
    /// What it does: "reading" or "writing" or "indexing".
    public var step: String
    /// Rows done, of this step if it is not "reading".
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
    /// Of these, repeated within one batch: the last one counts.
    public var duplicates = 0
    /// Rows inserted, or changed because they differ from what was there.
    public var written = 0
    /// Rows removed by `replaces`, without what went with them.
    public var removed = 0
    /// Bad lines, which are in the rejects file.
    public var rejected = 0
    /// Groups, users and photos made because something named them.
    public var created: [String: Int] = [:]
    /// Ids with a slash, of rows and of what was made: they cannot stand in the path of an address.
    public var idsWithSlash = 0
    /// Columns of the files that the kind does not have.
    public var unknownColumns: [String] = []
    /// Wall time, in seconds.
    public var seconds = 0.0

    /// Rows that were in the catalog already, just so.
    public var unchanged: Int { rows - duplicates - written }

    init(kind: ImportKind) { self.kind = kind }
}
