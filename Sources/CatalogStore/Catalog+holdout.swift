import Glibc
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
    /// Writes a copy of the catalog without the memberships that a rule holds out, and without their joins.
    ///
    /// - Parameters:
    ///   - path: where; there must be nothing yet.
    /// - Returns: how many memberships are held out.
    public func copy(to path: String, holdingOut rule: HoldOutRule) throws(CatalogError) -> Int {
        try wrapping { () throws(DatabaseError) in
            let statement = try database.prepare("VACUUM INTO ?")
            statement.bind(path, at: 1)
            try statement.run()
        }
        let copy = try Catalog(path: path, mode: .writing, relations: relations)
        return try copy.database.transaction(wrap: CatalogError.init) { () throws(CatalogError) in
            try wrapping { () throws(DatabaseError) in try copy.holdOut(rule) }
        }
    }

    private func holdOut(_ rule: HoldOutRule) throws(DatabaseError) -> Int {
        let removal = try database.prepare("DELETE FROM memberships WHERE group_key = ? AND user_key = ?")
        let forgetting = try database.prepare("DELETE FROM interactions WHERE group_key = ? AND user_key = ?")
        var count = 0
        for (user, group) in try heldOut(by: rule) {
            for statement in [removal, forgetting] {
                statement.bind(group, at: 1)
                statement.bind(user, at: 2)
                try statement.run()
            }
            count += 1
        }
        try recordChanges(Int64(count))
        return count
    }

    private func heldOut(by rule: HoldOutRule) throws(DatabaseError) -> [(user: Int64, group: Int64)] {
        let rows = try database.prepare(
            "SELECT user_key, group_key, joined_at FROM memberships ORDER BY user_key, group_key")
        var chosen: [(user: Int64, group: Int64)] = []
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

    private static func heldOut(
        of groups: [(group: Int64, joinedAt: Int64?)], ofUser user: Int64, by rule: HoldOutRule
    ) -> [Int64] {
        switch rule {
        case .share(let share):
            guard groups.count > 1 else { return [] }
            let count = max(1, Int((share * Double(groups.count)).rounded(.down)))
            // A multiplicative hash of the pair (Fibonacci hashing): the same choice in every run.
            let ranked = groups.map { group in
                (group.group, UInt64(bitPattern: user &* 1_000_003 &+ group.group) &* 0x9E37_79B9_7F4A_7C15 >> 20)
            }
            return ranked.sorted { ($0.1, $0.0) < ($1.1, $1.0) }.prefix(count).map(\.0)
        case .last:
            guard groups.count > 1 else { return [] }
            let last = groups.max { ($0.joinedAt ?? .min, $0.group) < ($1.joinedAt ?? .min, $1.group) }
            return last.flatMap { $0.joinedAt == nil ? nil : [$0.group] } ?? []
        case .after(let time):
            return groups.filter { ($0.joinedAt ?? .min) >= time }.map(\.group)
        }
    }
}
