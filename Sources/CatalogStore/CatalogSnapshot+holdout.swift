public import Model
import SQLite

extension CatalogSnapshot {
    /// What a rule holds out of users' shown groups, and only for learning: the catalog stays as it is.
    ///
    /// - Parameters:
    ///   - users: columns of a matrix of this snapshot whose entries are users.
    ///   - folds: how often to hold out, of a share other groups each time, 1 or more.
    /// - Returns: by fold and user, rows of the matrix.
    public func heldOut(ofUsers users: [UInt32], by rule: HoldOutRule, folds: Int) throws(CatalogError)
        -> [[[UInt32]]]
    {
        let shown = try groups().lazy.filter { $0.isShown }.enumerated()
        let rows = Dictionary(uniqueKeysWithValues: shown.map { ($0.element.key, UInt32($0.offset)) })
        return try wrapping { () throws(DatabaseError) in
            let statement = try database.prepare(
                "SELECT group_key, joined_at FROM memberships WHERE user_key = ? ORDER BY group_key")
            var found = [[[UInt32]]](repeating: [], count: folds)
            for user in users {
                statement.bind(Int64(user), at: 1)
                var groups: [(group: Int64, joinedAt: Int64?)] = []
                while try statement.step() {
                    if rows[statement.integer(0)] != nil {
                        groups.append((statement.integer(0), statement.optionalInteger(1)))
                    }
                }
                statement.reset()
                for fold in found.indices {
                    let out = Catalog.heldOut(of: groups, ofUser: Int64(user), by: rule, fold: fold)
                    found[fold].append(out.compactMap { rows[$0] })
                }
            }
            return found
        }
    }

    /// Whether it may be known when entries of a relation came about.
    public func mayHaveTimes(_ source: RelationSource) throws(CatalogError) -> Bool {
        try wrapping { () throws(DatabaseError) in try catalog.mayHaveValues(source.notedTime) }
    }
}
