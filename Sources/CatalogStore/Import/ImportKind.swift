package import Basics
import Glibc
package import Model
package import RecordReading

/// The content of a file to import.
package enum ImportKind: Hashable, Sendable {
    /// Groups, users or photos, one per row.
    case entities(EntityTable)
    /// A pair per row, such as a group and a user, or a user and a photo.
    case relation(RelationSource)

    package static let groups = ImportKind.entities(.groups)
    package static let users = ImportKind.entities(.users)
    package static let photos = ImportKind.entities(.photos)
    /// The users in groups.
    package static let memberships = ImportKind.relation(.memberships)
    /// The photos in groups' pools.
    package static let pools = ImportKind.relation(.pools)
    /// The photos that users like.
    package static let favourites = ImportKind.relation(.favourites)
    /// The posts of users in groups.
    package static let posts = ImportKind.relation(.posts)
    /// The users whom users follow.
    package static let follows = ImportKind.relation(.follows)

    /// Returns all kinds: groups, users and photos, then pairs in the order of their tables' names.
    package static func all(of relations: RelationTable = .standard) -> [ImportKind] {
        EntityTable.allCases.map(entities)
            + relations.sources.sorted { $0.table < $1.table }.map(ImportKind.relation)
    }

    /// Whether a version publishes what a file of this kind tells of members.
    package var changesMembers: Bool { self == .users || self == .memberships }

    /// The name of the kind, which is the name of the catalog's table.
    package var name: String {
        switch self {
        case .entities(let table): table.rawValue
        case .relation(let source): source.table
        }
    }

    /// A column of a file: its name, its type and its target.
    struct Column: Sendable {
        var name: String
        var type: ColumnType
        var isRequired = false
        /// The column in the catalog.
        var target: String

        /// Whether the column holds external ids.
        var isID: Bool {
            switch type {
            case .id, .owner: true
            default: false
            }
        }

        /// Returns the column as records have it.
        func inRecords(isRequired: Bool, sourceName: String? = nil) -> RecordColumn {
            RecordColumn(name, isRequired: isRequired, sourceName: sourceName, isList: type.isList, isID: isID)
        }
    }

    /// The type of a column's values.
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
        case yesOrNo
        /// A number of degrees from −bound to bound, both inclusive.
        case degrees(bound: Double)
        /// A whole number of pixels.
        case pixels
        /// Any text, of which only the presence counts.
        case mark
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
                Column(name: "listed", type: .yesOrNo, target: "listed"),
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
                Column(name: "width", type: .pixels, target: "width"),
                Column(name: "height", type: .pixels, target: "height"),
            ]
        case .relation(let source):
            [
                Column(name: source.rowTable.idColumn, type: .id, isRequired: true, target: source.rowColumn),
                Column(name: source.entryWord + "_id", type: .id, isRequired: true, target: source.entryColumn),
                Column(
                    name: source.timeColumn, type: .time, isRequired: source.repeats, target: source.timeColumn),
            ]
                + (source.answerColumn.map { answers in
                    [
                        Column(name: answers, type: .mark, target: answers),
                        // Known, but not kept: the time tells an entry from others.
                        Column(name: source.table.dropLast() + "_id", type: .mark, target: ""),
                    ]
                } ?? [])
        }
    }

    /// The names of the columns, required ones first.
    package var columnNames: [String] { columns.map(\.name) }
}

/// The options of an import.
package struct ImportOptions: Sendable {
    /// The known parts of the dialect of all files; the rest is detected in each file.
    package var dialect = DialectChoice()
    /// The names of columns in the files, by the names of the columns.
    package var sourceNames: [String: String] = [:]
    /// The words of the column `visibility` that mean public; empty for the usual words.
    ///
    /// All other words, and no value, then mean private.
    package var publicWords: [String] = []
    /// The names of columns in the files that do not matter.
    package var ignoredColumns: Set<String> = []
    /// The zone of times without a zone of their own.
    package var zone = ClockZone.utc
    /// The present, in Unix seconds; times more than five minutes later are unknown.
    package var presentSeconds = Int64(time(nil))
    /// Whether the first bad line, unreadable value, unknown id or unknown column ends the import.
    package var isStrict = false
    /// The largest allowed share of rejected records, from 0 to 1, inclusive.
    package var maximumRejectedShare = 0.01
    /// Whether rows of the kind that the files do not have are removed.
    package var replaces = false
    /// Whether `replaces` may remove more than half of the rows.
    package var allowsShrinking = false
    /// Whether many vectors may be replaced by ones of another direction, which another model seems to have made.
    package var allowsAnotherModel = false
    /// Whether `replaces` may remove rows although records were rejected, which may be the same ones.
    package var allowsRejects = false
    /// Whether `replaces` may remove groups that look renamed, with the decisions about them.
    package var allowsRenames = false
    /// Whether to report what would happen, and to change nothing.
    package var isDryRun = false
    /// Whether members who were forgotten may come back.
    package var readmits = false
    /// The path of the file for rejected records, which is created at the first one.
    ///
    /// A path without an extension gets that of the format.
    package var rejectsPath: String
    /// The number of memberships or pool entries that are sorted and written at a time.
    package var batchRows = 16_000_000
    /// The memory for external ids, in bytes.
    ///
    /// When the memory is full, it is emptied, and ids are looked up in the catalog again.
    package var identifierBytes = 1 << 30

    package init(rejectsPath: String) { self.rejectsPath = rejectsPath }
}

/// The progress of an import.
package struct ImportProgress: Sendable {
    /// The step: "reading", "finding ids", "writing" or "indexing".
    package var step: String
    /// The number of rows done; in steps other than "reading", the rows of this step.
    package var rows: Int
    /// The number of stored (compressed) bytes that were read of all files.
    package var bytesRead: Int
    /// The size of all files in stored bytes, or nil if one is a pipe.
    package var totalBytes: Int?
}

/// The result of an import, or of a dry run.
package struct ImportSummary: Sendable {
    /// A rejected record.
    package struct Example: Sendable, Equatable {
        package var source: String
        /// The line where the record begins, counted from 1.
        package var line: Int
        package var reason: String
        /// The beginning of the record, safe to show.
        package var excerpt: String
    }

    /// A column of a file that the kind does not have.
    package struct UnknownColumn: Sendable, Equatable {
        package var name: String
        /// The "did you mean" suggestion, if there is one.
        package var nearest: String?
    }

    /// The kind; photos if vectors were imported.
    package var kind: ImportKind
    /// The name of the content, such as memberships or vectors.
    package internal(set) var name: String
    /// The number of rows that were accepted.
    package var rows = 0
    /// The number of accepted rows with the ids of another one: of pairs, of one in the same batch; of photos, none.
    ///
    /// The last of such rows counts.
    package var duplicates = 0
    /// The number of rows that were inserted or changed.
    package var written = 0
    /// The number of rows of pairs that members ended later, such as memberships.
    package var overruled = 0
    /// The number of rows of the kind that `replaces` removed, without rows of other tables that named them.
    package var removed = 0
    /// The number of rejected records.
    package var rejected = 0
    /// The number of rejected records in the files; they are the first ones.
    package var keptRejects = 0
    /// The first ten rejected records.
    package var examples: [Example] = []
    /// The number of rejected records that are not UTF-8.
    package var notUTF8 = 0
    /// The files with the rejected records.
    package var rejectsPaths: [String] = []
    /// The file with the reasons, or nil if no record was rejected.
    package var reasonsPath: String?
    /// The numbers of groups, users and photos that were created because a row named them.
    package var created: [String: Int] = [:]
    /// The numbers of groups and photos, by table, that are not shown because only relations name them.
    ///
    /// They are among `created`, or, after the first file of groups or photos, all those missing in that file.
    package var unshown: [String: Int] = [:]
    /// The number of times without a zone.
    package var timesWithoutZone = 0
    /// The number of rows that were left out because they name a member who was forgotten.
    package var forgotten = 0
    /// The columns of the files that the kind does not have.
    package var unknownColumns: [UnknownColumn] = []
    /// The dialect of each file, as given or detected.
    package var dialects: [(source: String, dialect: Dialect)] = []
    /// The findings that deserve a look.
    package var findings: [ImportFinding] = []
    /// The reason why the import would fail, noted by a dry run; nil if it would succeed.
    package var failure: Failure?
    /// The elapsed time, in seconds.
    package var seconds = 0.0

    /// The number of rows that the catalog already had, with the same values.
    package var unchanged: Int { rows - duplicates - written - overruled - forgotten }

    init(kind: ImportKind, name: String? = nil) {
        self.kind = kind
        self.name = name ?? kind.name
    }

    /// Takes the numbers, files and examples of rejected records.
    mutating func take(_ rejects: RejectedRecords) {
        rejected = rejects.count
        keptRejects = rejects.keptCount
        rejectsPaths = rejects.recordsPaths
        reasonsPath = rejects.reasonsPath
        examples = rejects.examples
    }
}
