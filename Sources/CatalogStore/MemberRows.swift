package import Basics
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

    /// Returns the tables with rows that name a member.
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

    /// Returns the tables with rows about the photos of a member.
    package static func ofPhotos(_ relations: RelationTable) -> [MemberRows] {
        let photos = "SELECT photo_key FROM photos WHERE user_key IN (\(keys))"
        let pools = relations.sources.filter { $0.rows == .groups && $0.entries == .photos }.flatMap { source in
            source.tables.map { Self($0, [source.entryColumn], in: photos) }
        }
        return pools + [Self("photo_vectors", ["photo_key"], in: photos)]
    }
}

extension Catalog {
    /// Returns all rows about a member and the member's photos as JSON objects, with external ids in place of keys.
    package func rows(ofMember id: String) throws(Failure) -> [(table: String, json: String)] {
        let entities = relations.sources.reduce(into: ["followed_key": EntityTable.users]) { entities, source in
            (entities[source.rowColumn], entities[source.entryColumn]) = (source.rowTable, source.entityTable)
        }.merging(EntityTable.allCases.map { ($0.keyColumn, $0) }) { $1 }
        var found: [(table: String, json: String)] = []
        for rows in MemberRows.naming(relations) + MemberRows.ofPhotos(relations) {
            let names = try database.prepare("SELECT name FROM pragma_table_info('\(rows.table)')").texts()
            let values = names.compactMap { name -> String? in
                guard name.hasSuffix("_key") else { return "'\(name)', \(name)" }
                // Other keys are numbers of rows, and never leave the catalog.
                guard let entity = entities[name], entity.rawValue != rows.table else { return nil }
                let (table, key, id) = (entity.rawValue, entity.keyColumn, entity.idColumn)
                return "'\(name.dropLast(4))_id', (SELECT \(id) FROM \(table) WHERE \(table).\(key) = found.\(name))"
            }
            let select = try database.prepare(
                "SELECT json_object(\(values.joined(separator: ", "))) FROM \(rows.table) AS found WHERE \(rows.condition)"
            )
            select.bind(id, at: 1)
            found += try select.texts().map { (rows.table, $0) }
        }
        if let times = try LedgerTable(database).times(of: id) {
            let row = #"{"forgotten_at":\#(times.forgotten),"readmitted_at":\#(times.readmitted)}"#
            found.append(("ledger", row))
        }
        return found
    }
}
