/// What a file to import holds.
public enum ImportKind: String, Sendable, CaseIterable {
    /// Groups, one a row.
    case groups
    /// Users, one a row.
    case users
    /// Photos, one a row.
    case photos
    /// A user in a group, one pair a row.
    case memberships
    /// A photo in a group's pool, one pair a row.
    case pools

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
        case .groups:
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
        case .users:
            [
                Column(name: "user_id", type: .id, isRequired: true, target: "user_id"),
                Column(name: "name", type: .text, target: "name"),
                Column(name: "interests", type: .list, target: "interests"),
            ]
        case .photos:
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
        case .memberships:
            [
                Column(name: "group_id", type: .id, isRequired: true, target: "group_key"),
                Column(name: "user_id", type: .id, isRequired: true, target: "user_key"),
                Column(name: "joined_at", type: .time, target: "joined_at"),
            ]
        case .pools:
            [
                Column(name: "group_id", type: .id, isRequired: true, target: "group_key"),
                Column(name: "photo_id", type: .id, isRequired: true, target: "photo_key"),
                Column(name: "added_at", type: .time, target: "added_at"),
            ]
        }
    }

    /// The names of its columns, required ones first.
    public var columnNames: [String] { columns.map(\.name) }

    /// The table of things, for kinds that describe things.
    var entityTable: EntityTable? { EntityTable(rawValue: rawValue) }

    /// The table of pairs, for kinds that describe pairs.
    var relationshipTable: RelationshipTable? {
        switch self {
        case .memberships: .memberships
        case .pools: .pools
        default: nil
        }
    }
}
