public import CivilTime
public import RecordReading

/// How an import treats what it reads.
public struct ImportOptions: Sendable {
    /// The format of all files; nil to find out each by its first bytes.
    public var format: RecordFormat?
    /// The delimiter of all files; nil to find out each by its header.
    public var delimiter: RecordDelimiter?
    /// What the files call columns of the kind, by the columns' names.
    public var sourceNames: [String: String] = [:]
    /// The zone of times that do not say theirs.
    public var zone = ClockZone.utc
    /// The first bad line, unknown id or unknown column ends the import.
    public var isStrict = false
    /// The share of rejected records beyond which the import fails, 0 to 1; inclusive.
    public var maximumRejectedShare = 0.01
    /// Rows of the kind that the files do not have are removed.
    public var replaces = false
    /// Lets `replaces` remove more than half of what there is.
    public var allowsShrinking = false
    /// Lets `replaces` remove rows although records were rejected, which may have been those.
    public var allowsRejects = false
    /// Tells what would happen, and changes nothing.
    public var isDryRun = false
    /// Members who were forgotten may come back.
    public var readmits = false
    /// The file for rejected records; it is made at the first one.
    ///
    /// Without an ending it gets that of the format.
    public var rejectsPath: String
    /// How many memberships or pool entries are sorted and written at a time.
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
    /// Bytes read of all files, as they are stored.
    public var bytesRead: Int
    /// The size of all files; nil if one is a pipe.
    public var totalBytes: Int?
}
