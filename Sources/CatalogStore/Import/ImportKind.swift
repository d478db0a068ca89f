public import Model

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
