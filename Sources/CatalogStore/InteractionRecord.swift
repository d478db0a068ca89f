import Changes
import Model
import SQLite

extension InteractionRecord {
    /// The index of the first interaction that has the id of another, before it or known, and says something else.
    ///
    /// - Parameter known: selects what `all` reads; its parameters are the user's id and that of an interaction.
    static func indexOfOtherContent(in interactions: [InteractionRecord], ofUser user: String, _ known: Statement)
        throws(DatabaseError) -> Int?
    {
        var first: [BytewiseString: InteractionRecord] = [:]
        for (index, interaction) in interactions.enumerated() {
            let id = BytewiseString(interaction.id)
            if first[id] == nil {
                known.bind(user, at: 1)
                known.bind(interaction.id, at: 2)
                defer { known.reset() }
                first[id] = try all(in: known).first ?? interaction
            }
            if let first = first[id], !interaction.says(theSameAs: first) { return index }
        }
        return nil
    }

    /// The interactions of a query's rows.
    ///
    /// - Parameters:
    ///   - rows: of an id, a kind's number, a group's external id, a time, and the list it came from: its id, the
    ///     position in it and the variant.
    ///   - isWanted: whether a row is.
    static func all(in rows: Statement, where isWanted: (Statement) -> Bool = { _ in true }) throws(DatabaseError)
        -> [InteractionRecord]
    {
        var interactions: [InteractionRecord] = []
        while try rows.step() {
            guard isWanted(rows), let kind = Interaction.Kind(number: rows.integer(1)) else { continue }
            interactions.append(
                InteractionRecord(
                    id: rows.text(0), kind, groupID: rows.text(2), atMilliseconds: rows.milliseconds(3),
                    recommendationID: rows.optionalText(4), position: rows.optionalInteger(5).map { Int($0) },
                    variant: rows.optionalText(6)))
        }
        return interactions
    }
}
