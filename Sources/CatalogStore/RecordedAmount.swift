import SQLite

/// How much is recorded of what a member did.
public struct RecordedAmount: Sendable, Equatable {
    /// What an interaction takes beside its texts, in bytes, about.
    public static let bytesOfInteraction = 64

    /// Interactions since a moment.
    public var recent: Int
    /// What all interactions take, in bytes, about.
    public var keptBytes: Int

    /// An amount.
    public init(recent: Int = 0, keptBytes: Int = 0) {
        self.recent = recent
        self.keptBytes = keptBytes
    }

    /// Adds up the rows of a table of interactions.
    ///
    /// - Parameters:
    ///   - condition: which rows count; `?1` is the member's external id.
    ///   - milliseconds: the moment, in Unix milliseconds.
    static func sum(
        _ database: Database, where condition: String, ofUser id: String, since milliseconds: Int64
    ) throws(DatabaseError) -> RecordedAmount {
        let row = try database.prepare(
            """
            SELECT total(occurred_at >= ?2), total(\(bytesOfInteraction) + length(CAST(id AS BLOB))
                + coalesce(length(CAST(recommendation_id AS BLOB)), 0) + coalesce(length(CAST(variant AS BLOB)), 0))
            FROM interactions WHERE \(condition)
            """)
        row.bind(id, at: 1)
        row.bind(milliseconds, at: 2)
        guard try row.step() else { return RecordedAmount() }
        return RecordedAmount(
            recent: Int(row.optionalNumber(0) ?? 0), keptBytes: Int(row.optionalNumber(1) ?? 0))
    }
}
