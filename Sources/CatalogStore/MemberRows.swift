import Basics
import Changes
package import Model
import SQLite

/// A table of the catalog with rows about members, and the SQL condition for the rows about one of them.
///
/// All that counts, exports or looks for the data of a member goes by these lists. A test compares them with the
/// schema.
package struct MemberRows: Sendable {
    package let table: String
    /// The condition, whose parameter `?1` is the member's external id.
    let condition: String

    private static let keys = "SELECT user_key FROM users WHERE user_id = ?1"

    private init(_ table: String, where condition: String) { (self.table, self.condition) = (table, condition) }

    private init(_ table: String, _ columns: [String], in keys: String = Self.keys) {
        self.init(table, where: columns.map { "\($0) IN (\(keys))" }.joined(separator: " OR "))
    }

    package static func naming(_ relations: RelationTable) -> [MemberRows] {
        let own = ["users", "exposures", "photos"].map { Self($0, ["user_key"]) }
        let pairs = relations.sources.filter { !$0.columns(naming: .users).isEmpty }.flatMap { source in
            source.tables.map { Self($0, source.columns(naming: .users)) }
        }
        return own + [Self("interactions", ["user_key", "followed_key"])] + pairs + [
            Self("renamed_ids", where: "entity = '\(EntityTable.users.rawValue)' AND ?1 IN (old_id, new_id)"),
            Self("noted_removals", where: NotedRemovals.isAboutMember),
        ]
    }

    package static func ofPhotos(_ relations: RelationTable) -> [MemberRows] {
        let photos = "SELECT photo_key FROM photos WHERE user_key IN (\(keys))"
        let pools = relations.sources.filter { $0.rows == .groups && $0.entries == .photos }.flatMap { source in
            source.tables.map { Self($0, [source.entryColumn], in: photos) }
        }
        return pools + [Self("photo_vectors", ["photo_key"], in: photos)]
    }
}
