import Glibc
public import Model
import SQLite

/// Which memberships are held out of learning.
public enum HoldOutRule: Sendable, Equatable {
    /// A part of each member's groups, above 0 and below 1, rounded down, but at least one of two or more; chosen by a
    /// hash.
    case share(Double)
    /// The group that each member of two or more joined last; groups joined at an unknown time came first.
    case last
    /// All that was joined at this Unix second or later.
    case after(Int64)
}

extension Catalog {
    /// Writes a copy of the catalog without the memberships that a rule holds out, and without their joins; or without
    /// entries of another relation.
    ///
    /// - Parameters:
    ///   - path: where; there must be nothing yet.
    ///   - source: the relation; for users, read photos if these are its entries.
    /// - Returns: how many entries are held out.
    public func copy(to path: String, holdingOut rule: HoldOutRule, of source: RelationSource = .memberships)
        throws(CatalogError) -> Int
    {
        try wrapping { () throws(DatabaseError) in
            // Copying what is damaged may end as if the disk were full.
            try database.checkWhole()
            let statement = try database.prepare("VACUUM INTO ?")
            statement.bind(path, at: 1)
            try statement.run()
        }
        let copy = try Catalog(path: path, mode: .writing, relations: relations)
        return try copy.database.transaction(wrap: CatalogError.init) { () throws(CatalogError) in
            try wrapping { () throws(DatabaseError) in try copy.holdOut(rule, source) }
        }
    }

    private func holdOut(_ rule: HoldOutRule, _ source: RelationSource) throws(DatabaseError) -> Int {
        var removals = [
            try database.prepare("DELETE FROM \(source.table) WHERE group_key = ? AND \(source.entryColumn) = ?")
        ]
        if source == .memberships {
            removals.append(try database.prepare("DELETE FROM interactions WHERE group_key = ? AND user_key = ?"))
        }
        var count = 0
        for (entry, group) in try heldOut(by: rule, source) {
            for statement in removals {
                statement.bind(group, at: 1)
                statement.bind(entry, at: 2)
                try statement.run()
            }
            count += 1
        }
        try recordChanges(Int64(count))
        return count
    }

    private func heldOut(by rule: HoldOutRule, _ source: RelationSource) throws(DatabaseError)
        -> [(entry: Int64, group: Int64)]
    {
        let rows = try database.prepare(
            """
            SELECT \(source.entryColumn), group_key, \(source.timeColumn) FROM \(source.table)
            ORDER BY \(source.entryColumn), group_key
            """)
        var chosen: [(entry: Int64, group: Int64)] = []
        var user: Int64?
        var groups: [(group: Int64, joinedAt: Int64?)] = []
        func choose() {
            guard let user else { return }
            chosen += Self.heldOut(of: groups, ofUser: user, by: rule).map { (user, $0) }
        }
        while try rows.step() {
            if rows.integer(0) != user {
                choose()
                user = rows.integer(0)
                groups = []
            }
            groups.append((rows.integer(1), rows.optionalInteger(2)))
        }
        choose()
        return chosen
    }

    /// What a rule holds out of a user's groups.
    ///
    /// - Parameter fold: another number holds out other groups of the same user, if the rule is a share.
    static func heldOut(
        of groups: [(group: Int64, joinedAt: Int64?)], ofUser user: Int64, by rule: HoldOutRule, fold: Int = 0
    ) -> [Int64] {
        switch rule {
        case .share(let share):
            guard groups.count > 1 else { return [] }
            let count = max(1, Int((share * Double(groups.count)).rounded(.down)))
            let ranked = groups.map { ($0.group, hash(user, $0.group)) }.sorted { ($0.1, $0.0) < ($1.1, $1.0) }
            return (0..<count).map { ranked[(fold * count + $0) % ranked.count].0 }
        case .last:
            guard groups.count > 1 else { return [] }
            let last = groups.max { ($0.joinedAt ?? .min, $0.group) < ($1.joinedAt ?? .min, $1.group) }
            return last.flatMap { $0.joinedAt == nil ? nil : [$0.group] } ?? []
        case .after(let time):
            return groups.filter { ($0.joinedAt ?? .min) >= time }.map(\.group)
        }
    }

    /// Returns a hash of a pair, the same in every run: neighbouring keys have nothing in common.
    private static func hash(_ user: Int64, _ group: Int64) -> UInt64 {
        SplitMix64.mix(UInt64(bitPattern: user) &* SplitMix64.goldenStep &+ UInt64(bitPattern: group))
    }
}

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
