import SQLite

/// Writes what members were shown in experiments, within a transaction of the caller's.
struct ExposureWriter {
    /// Exposures are kept for so many days, back from the latest.
    static let daysKept: Int64 = 400

    private let insert: Statement
    private let expire: Statement
    private let delete: Statement

    init(_ database: Database) throws(DatabaseError) {
        insert = try database.prepare(
            """
            INSERT INTO exposures (experiment, user_key, day, recommendation_id, first_position, shown_count, filters,
                arm, times, first_at, last_at, teams, microseconds)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET times = times + excluded.times,
                first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at),
                microseconds = microseconds + excluded.microseconds
            """)
        expire = try database.prepare("DELETE FROM exposures WHERE day < ?")
        delete = try database.prepare("DELETE FROM exposures WHERE user_key = ?")
    }

    /// Adds what a member was shown, and removes what is older than `daysKept`, of all members.
    func write(_ records: [ExposureRecord], user: Int64) throws(DatabaseError) {
        for record in records { try write(record, user: user) }
        guard let day = records.map(\.day).max() else { return }
        expire.bind(day - Self.daysKept, at: 1)
        try expire.run()
    }

    private func write(_ record: ExposureRecord, user: Int64) throws(DatabaseError) {
        insert.bind(record.experiment, at: 1)
        insert.bind(user, at: 2)
        insert.bind(record.day, at: 3)
        insert.bind(record.recommendationID, at: 4)
        insert.bind(Int64(record.firstPosition), at: 5)
        insert.bind(Int64(record.shownCount), at: 6)
        insert.bind(record.filters, at: 7)
        insert.bind(record.arm, at: 8)
        insert.bind(Int64(record.times), at: 9)
        insert.bind(record.firstAtMilliseconds, at: 10)
        insert.bind(record.lastAtMilliseconds, at: 11)
        insert.bind(record.teams, at: 12)
        insert.bind(record.microseconds, at: 13)
        try insert.run()
    }

    /// Deletes all of a member.
    func forget(user: Int64) throws(DatabaseError) {
        delete.bind(user, at: 1)
        try delete.run()
    }
}
