public import Model
import SQLite

extension CatalogSnapshot {
    /// Calls `body` with each member's interactions other than joins and leaves, in ascending order of the column.
    ///
    /// Interactions with private and hidden groups are left out.
    ///
    /// - Parameters:
    ///   - impressionsSince: impressions before it are left out; in Unix milliseconds.
    ///   - body: is given the user's column in a matrix of the same snapshot, and one or more interactions in the order
    ///     in which they were recorded; their groups are rows of that matrix.
    public func forEachMember(
        impressionsSince: Int64, _ body: (_ column: Int, [Interaction]) -> Void
    ) throws(CatalogError) {
        var rowsOfKeys: [Int64: UInt32] = [:]
        for group in try groups() where group.isShown { rowsOfKeys[group.key] = UInt32(rowsOfKeys.count) }
        let isInBounds = try wrapping { () throws(DatabaseError) in
            let rows = try database.prepare(
                """
                SELECT user_key, kind, group_key, occurred_at FROM interactions
                WHERE kind > ?1 AND (kind <> ?2 OR occurred_at >= ?3) ORDER BY user_key, interaction_key
                """)
            rows.bind(Interaction.Kind.leave.code, at: 1)
            rows.bind(Interaction.Kind.impression.code, at: 2)
            rows.bind(impressionsSince, at: 3)
            var member = (column: 0, interactions: [Interaction]())
            while try rows.step() {
                guard (0...Catalog.keyLimit).contains(rows.integer(0)) else { return false }
                let column = Int(rows.integer(0))
                if column != member.column {
                    if !member.interactions.isEmpty { body(member.column, member.interactions) }
                    member = (column, [])
                }
                guard let kind = Interaction.Kind(code: rows.integer(1)), let row = rowsOfKeys[rows.integer(2)]
                else { continue }
                member.interactions.append(Interaction(kind, group: row, atMilliseconds: rows.milliseconds(3)))
            }
            if !member.interactions.isEmpty { body(member.column, member.interactions) }
            return true
        }
        guard isInBounds else { throw .damaged("interactions of a user who cannot be") }
    }
}
