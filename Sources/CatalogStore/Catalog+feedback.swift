public import Model
import SQLite

/// What a member did with groups, beyond joining and leaving them.
public struct MemberEvents: Sendable, Equatable {
    /// Something that was done.
    public struct Event: Sendable, Equatable {
        /// What was done: neither `join` nor `leave`.
        public var kind: InteractionRecord.Kind
        /// The row that stands for the group in a matrix of the same state of the catalog.
        public var row: Int
        /// When, in Unix milliseconds.
        public var atMilliseconds: Int64
    }

    /// The column that stands for the user in a matrix of the same state of the catalog.
    public var column: Int
    /// In the order in which they were recorded; not empty.
    public var events: [Event]
}

extension Catalog {
    /// Calls `body` with what each member did, in ascending order of the column.
    ///
    /// - Parameters:
    ///   - groups: all groups of the same state of the catalog; what was done with private and hidden ones is left out.
    ///   - impressionsSince: impressions before it are left out; in Unix milliseconds.
    public func forEachMember(
        groups: [GroupRecord], impressionsSince: Int64, _ body: (MemberEvents) -> Void
    ) throws(CatalogError) {
        var rowsOfKeys: [Int64: Int] = [:]
        for group in groups where group.isShown { rowsOfKeys[group.key] = rowsOfKeys.count }
        try wrapping { () throws(DatabaseError) in
            let rows = try database.prepare(
                """
                SELECT user_key, kind, group_key, occurred_at FROM interactions
                WHERE kind > ?1 AND (kind <> ?2 OR occurred_at >= ?3) ORDER BY user_key, interaction_key
                """)
            rows.bind(InteractionRecord.Kind.leave.code, at: 1)
            rows.bind(InteractionRecord.Kind.impression.code, at: 2)
            rows.bind(impressionsSince, at: 3)
            var member = MemberEvents(column: 0, events: [])
            while try rows.step() {
                let column = Int(rows.integer(0))
                if column != member.column {
                    if !member.events.isEmpty { body(member) }
                    member = MemberEvents(column: column, events: [])
                }
                guard let kind = InteractionRecord.Kind(code: rows.integer(1)), let row = rowsOfKeys[rows.integer(2)]
                else { continue }
                member.events.append(.init(kind: kind, row: row, atMilliseconds: rows.integer(3)))
            }
            if !member.events.isEmpty { body(member) }
        }
    }

    /// The stated interests of all users, with semicolons between them, by their column in a matrix.
    public func statedInterests() throws(CatalogError) -> PackedTexts {
        try wrapping { () throws(DatabaseError) in
            var interests = PackedTexts()
            let rows = try database.prepare(
                "SELECT user_key, interests FROM users WHERE interests IS NOT NULL ORDER BY user_key")
            while try rows.step() {
                unsafe rows.withText(1) { unsafe interests.append($0, at: Int(rows.integer(0))) }
            }
            return interests
        }
    }
}
