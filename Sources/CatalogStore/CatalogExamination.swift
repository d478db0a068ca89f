import Model
import SQLite

/// What reading all of a catalog found.
public struct CatalogExamination: Sendable, Equatable {
    /// What SQLite's integrity check says is wrong, at most ten lines; if there is any, the rest was not looked for.
    public var damage: [String] = []
    /// Rows that name a row that does not exist, by table and column, such as `memberships.user_key`.
    public var dangling: [String: Int] = [:]
    /// Tables of relations without their reverse index.
    public var withoutIndex: [String] = []
    /// Changes of daemons that were put aside, as the program that took them could not read them.
    public var unreadableChanges = 0
    /// The latest time of the interactions that came last, in Unix milliseconds; nil if there are none.
    public var latestInteractionMilliseconds: Int64?
}

extension Catalog {
    /// How many of the interactions that came last are looked at for their times.
    private static var latestInteractions: Int { 1000 }

    /// Reads all of the catalog, and changes nothing.
    ///
    /// - Complexity: O(rows · log rows).
    public func examine() throws(CatalogError) -> CatalogExamination {
        try snapshot { () throws(CatalogError) in
            try wrapping { () throws(DatabaseError) in
                var examination = CatalogExamination()
                examination.damage = try database.integrityFindings()
                guard examination.damage.isEmpty else { return examination }
                examination.dangling = try danglingRows()
                let index = try database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?")
                for facts in relations {
                    index.bind(Optional(facts.source.indexName), at: 1)
                    if try !index.step() { examination.withoutIndex.append(facts.source.table) }
                    index.reset()
                }
                examination.unreadableChanges = Int(
                    try database.integer("SELECT count(*) FROM unreadable_changes") ?? 0)
                examination.latestInteractionMilliseconds = try database.integer(
                    """
                    SELECT max(occurred_at) FROM (
                        SELECT occurred_at FROM interactions ORDER BY interaction_key DESC
                        LIMIT \(Self.latestInteractions))
                    """)
                return examination
            }
        }
    }

    /// Counts the rows that name others that do not exist; those of other tables, by key.
    private func danglingRows() throws(DatabaseError) -> [String: Int] {
        var references: [(table: String, column: String, entity: EntityTable)] = [
            ("photos", "user_key", .users), ("interactions", "user_key", .users),
            ("interactions", "group_key", .groups), ("hidden_groups", "group_key", .groups),
            ("curated_groups", "group_key", .groups),
        ]
        for facts in relations {
            references.append((facts.source.table, "group_key", .groups))
            references.append((facts.source.table, facts.source.entryColumn, facts.source.entityTable))
        }
        var dangling: [String: Int] = [:]
        for (table, column, entity) in references {
            let count = try database.integer(
                """
                SELECT count(*) FROM \(table)
                WHERE \(column) NOT IN (SELECT \(entity.keyColumn) FROM \(entity.rawValue))
                """)
            if let count, count > 0 { dangling["\(table).\(column)"] = Int(count) }
        }
        return dangling
    }
}

extension Database {
    /// What SQLite's integrity check finds wrong, at most ten lines.
    func integrityFindings() throws(DatabaseError) -> [String] {
        do throws(DatabaseError) {
            let lines = try prepare("PRAGMA integrity_check(10)").texts()
            return lines == ["ok"] ? [] : lines
        } catch {
            // Some damage ends the check itself.
            guard error.isDamaged || error.isNotADatabase else { throw error }
            return [error.reason]
        }
    }
}
