import SQLite

extension InteractionRecord {
    /// The interactions that rows have.
    ///
    /// - Parameter rows: of an id, a kind's number, a group's external id, a time, and what is known of the list it came from:
    ///   its id, the place in it and the variant.
    static func all(in rows: Statement) throws(DatabaseError) -> [InteractionRecord] {
        var interactions: [InteractionRecord] = []
        while try rows.step() {
            guard let kind = Kind(code: rows.integer(1)) else { continue }
            interactions.append(
                InteractionRecord(
                    id: rows.text(0), kind, groupID: rows.text(2), atMilliseconds: rows.integer(3),
                    recommendationID: rows.optionalText(4), position: rows.optionalInteger(5).map { Int($0) },
                    variant: rows.optionalText(6)))
        }
        return interactions
    }
}
