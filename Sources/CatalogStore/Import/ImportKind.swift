public import CivilTime
public import Model
public import RecordReading

/// What a file to import holds.
public enum ImportKind: Hashable, Sendable {
    /// Things, one a row.
    case entities(EntityTable)
    /// Entries of a relation, a pair of group and user or of group and photo a row.
    case relation(RelationSource)

    /// Groups.
    public static let groups = ImportKind.entities(.groups)
    /// Users.
    public static let users = ImportKind.entities(.users)
    /// Photos.
    public static let photos = ImportKind.entities(.photos)
    /// Users in groups.
    public static let memberships = ImportKind.relation(.memberships)
    /// Photos in groups' pools.
    public static let pools = ImportKind.relation(.pools)

    /// Everything that can be imported: things, then relations in the order of their tables' names.
    public static func all(of relations: RelationTable = .standard) -> [ImportKind] {
        EntityTable.allCases.map(entities)
            + relations.map(\.source).sorted { $0.table < $1.table }.map(ImportKind.relation)
    }

    /// The kind's name, which is that of the catalog's table.
    public var name: String {
        switch self {
        case .entities(let table): table.rawValue
        case .relation(let source): source.table
        }
    }

    /// A column of a file: its name, what it holds, and where it goes.
    struct Column: Sendable {
        var name: String
        var type: ColumnType
        var isRequired = false
        /// The catalog's column.
        var target: String

        /// Whether it holds an external id.
        var isID: Bool {
            switch type {
            case .id, .owner: true
            default: false
            }
        }
    }

    /// How a field is read.
    enum ColumnType: Sendable {
        /// An external id.
        case id
        /// The external id of a user, stored as the user's key.
        case owner
        case text
        /// Several texts, separated by `;`.
        case list
        case time
        case visibility
        case joinPolicy
        /// A number in degrees, in absolute value at most the bound (inclusive).
        case degrees(bound: Double)
    }

    var columns: [Column] {
        switch self {
        case .entities(.groups):
            [
                Column(name: "group_id", type: .id, isRequired: true, target: "group_id"),
                Column(name: "title", type: .text, target: "title"),
                Column(name: "description", type: .text, target: "description"),
                Column(name: "visibility", type: .visibility, target: "visibility"),
                Column(name: "topics", type: .list, target: "topics"),
                Column(name: "join_policy", type: .joinPolicy, target: "join_policy"),
                Column(name: "created_at", type: .time, target: "created_at"),
                Column(name: "last_active_at", type: .time, target: "last_active_at"),
            ]
        case .entities(.users):
            [
                Column(name: "user_id", type: .id, isRequired: true, target: "user_id"),
                Column(name: "name", type: .text, target: "name"),
                Column(name: "interests", type: .list, target: "interests"),
            ]
        case .entities(.photos):
            [
                Column(name: "photo_id", type: .id, isRequired: true, target: "photo_id"),
                Column(name: "user_id", type: .owner, target: "user_key"),
                Column(name: "visibility", type: .visibility, target: "visibility"),
                Column(name: "taken_at", type: .time, target: "taken_at"),
                Column(name: "uploaded_at", type: .time, target: "uploaded_at"),
                Column(name: "tags", type: .list, target: "tags"),
                Column(name: "latitude", type: .degrees(bound: 90), target: "latitude"),
                Column(name: "longitude", type: .degrees(bound: 180), target: "longitude"),
            ]
        case .relation(let source):
            [
                Column(name: "group_id", type: .id, isRequired: true, target: "group_key"),
                Column(
                    name: source.entityTable.idColumn, type: .id, isRequired: true, target: source.entityTable.keyColumn
                ),
                Column(name: source.timeColumn, type: .time, target: source.timeColumn),
            ]
        }
    }

    /// The names of its columns, required ones first.
    public var columnNames: [String] { columns.map(\.name) }
}

/// How an import treats what it reads.
public struct ImportOptions: Sendable {
    /// What is said of how all files are written; the rest is found by a look at each.
    public var dialect = DialectChoice()
    /// What the files call columns of the kind, by the columns' names.
    public var sourceNames: [String: String] = [:]
    /// The zone of times that do not say theirs.
    public var zone = ClockZone.utc
    /// The first bad line, unreadable value, unknown id or unknown column ends the import.
    public var isStrict = false
    /// The share of rejected records beyond which the import fails, 0 to 1; inclusive.
    public var maximumRejectedShare = 0.01
    /// Rows of the kind that the files do not have are removed.
    public var replaces = false
    /// Lets `replaces` remove more than half of what there is.
    public var allowsShrinking = false
    /// Lets `replaces` remove rows although records were rejected, which may have been those.
    public var allowsRejects = false
    /// Lets `replaces` remove groups that look renamed, with what the site and its members decided about them.
    public var allowsRenames = false
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

/// What an import did, or would do.
public struct ImportSummary: Sendable {
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
    /// Of these, how many of the first are in the files of bad records.
    public var keptRejects = 0
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
    /// Groups and photos, by table, that are not shown because only relations name them: those of `created`, or after
    /// the first file of groups or photos all that it does not have.
    public var unshown: [String: Int] = [:]
    /// Times that did not say their zone.
    public var timesWithoutZone = 0
    /// Rows left out because they name a member who was forgotten.
    public var forgotten = 0
    /// Columns of the files that the kind does not have.
    public var unknownColumns: [UnknownColumn] = []
    /// How each file is written, as it was said or found.
    public var dialects: [(source: String, dialect: Dialect)] = []
    /// What was noticed, and is worth a look.
    public var findings: [ImportFinding] = []
    /// Why a dry run's import would fail; nil if it would not.
    public var failure: CatalogError?
    /// Wall time, in seconds.
    public var seconds = 0.0

    /// Rows that were in the catalog already, with the same values.
    public var unchanged: Int { rows - duplicates - written - forgotten }

    init(kind: ImportKind) { self.kind = kind }
}

/// Something of the files that was taken in one way, and may have been meant in another.
public struct ImportFinding: Sendable, Equatable {
    /// Its name for programs, such as `unreadableValues`.
    public var kind: String
    /// How many rows, values or lines it is about.
    public var count: Int
    /// What it is, and what to do, for a person.
    public var message: String
}
