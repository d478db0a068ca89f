package import Basics
import Glibc
package import Model
import SQLite

/// The effect of one change on others: forgotten interactions, forgotten members, and replaced changes.
extension ChangeJournal {
    /// Erases forgotten data from the write-ahead log, where it stays until it is overwritten.
    ///
    /// - Parameter waits: whether to try for a second. SQLite itself would wait for readers with writers locked out.
    /// - Returns: false if another connection was reading or writing for too long; then call it again.
    package func eraseForgotten(waits: Bool = true) throws(Failure) -> Bool {
        for _ in 0..<(waits ? 20 : 0) {
            if try database.emptyLog(waits: false) { return true }
            usleep(50_000)
        }
        return try database.emptyLog(waits: false)
    }

    /// Applies the effects that a change that was just added and the other changes here have on one another.
    ///
    /// The change may have arrived after a change that applies later. The work grows with the rows of its member that
    /// it concerns.
    func settle(_ change: JournaledChange, _ key: Int64) throws(Failure) {
        guard let content = change.change, let user = content.userID else { return }
        if content.removedUserID != nil {
            // A member who was not removed for good may have come back since.
            let end = content.forgottenUserID == nil ? change.stamp : nil
            try erase(user: user, before: end)
            try eraseFollows(in: followRows()) { followed, stamp in
                followed.hasSameBytes(as: user) && (end.map { stamp < $0 } ?? true)
            }
        } else if content.renaming == nil, try isRemoved(user, after: change.stamp) {
            return try erase(key, change)
        }
        switch content {
        case .member(let member):
            switch member.action {
            case .forget(let id): try forget(id, ofUser: user, before: change.stamp)
            case .record(let interactions):
                try forget(change, ofUser: user)
                let end = try deletionTime(ofUser: user) ?? .min
                for interaction in interactions
                where interaction.kind.pairChange != nil && interaction.atMilliseconds < end {
                    try noteForgotten(interaction.id, ofChange: key)
                }
                guard interactions.contains(where: { $0.kind.subject == .user }) else { break }
                let own = try rows(where: "change_key = ?", key)
                try eraseFollows(in: own) { user, stamp throws(Failure) in try isRemoved(user, after: stamp) }
            case .expose: try forget(change, ofUser: user)
            case .state: break
            }
        case .site, .removal, .renaming: break
        }
        guard content.kind.replacesEarlier else { return }
        for (key, change) in try rows(content.kind, ofUser: user).dropLast() { try erase(key, change) }
    }

    /// Forgets the interactions of a member's change that later changes forget.
    private func forget(_ change: JournaledChange, ofUser user: String) throws(Failure) {
        let later = try rows(
            where: """
                user_id = ?1 AND kind IN (\(ChangeKind.forgetInteraction.rawValue), \
                \(ChangeKind.forgetInteractions.rawValue)) AND (stamp, origin, sequence) > (?2, ?3, ?4)
                """, user, change.stampMilliseconds, change.origin, change.sequence)
        for case (_, let other) in later {
            guard case .member(let member)? = other.change, case .forget(let id) = member.action else { continue }
            try forget(id, ofUser: user, before: other.stamp)
        }
    }

    /// Forgets one or all interactions of a user; memberships, favourites and follows stay.
    ///
    /// - Parameter stamp: only interactions of changes before this stamp are forgotten; nil for all changes.
    /// - Returns: the number of ids of interactions that were forgotten; two daemons may have recorded one of them.
    @discardableResult
    func forget(_ id: String?, ofUser user: String, before stamp: ChangeStamp?) throws(Failure) -> Int {
        if id == nil {
            for (key, change) in try rows(.exposures, ofUser: user) where stamp.map({ change.stamp < $0 }) ?? true {
                try erase(key, change)
            }
        }
        // Finds all interactions, or those with the id.
        let condition = id == nil ? "?2 IS NULL" : "id = ?2"
        let found = try rows(
            where: """
                change_key IN (SELECT change_key FROM interactions
                    WHERE user_id = ?1 AND is_forgotten = 0 AND \(condition))
                """, user, id)
        var forgotten: Set<BytewiseString> = []
        for (key, change) in found where stamp.map({ change.stamp < $0 }) ?? true {
            forgotten.formUnion(try forget(id, in: change, key, ofUser: user))
        }
        return forgotten.count
    }

    /// Forgets one or all interactions of a change, and returns their ids.
    private func forget(_ id: String?, in change: JournaledChange, _ key: Int64, ofUser user: String)
        throws(Failure) -> Set<BytewiseString>
    {
        let ids = try database.prepare("SELECT id FROM interactions WHERE change_key = ? AND is_forgotten = 0", key)
        var forgotten: Set<BytewiseString> = []
        while try ids.step() {
            let other = ids.text(0)
            if id.map({ $0.hasSameBytes(as: other) }) ?? true { forgotten.insert(BytewiseString(other)) }
        }
        var kept: [InteractionRecord] = []
        for interaction in change.change?.interactions ?? [] {
            if !forgotten.contains(BytewiseString(interaction.id)) {
                kept.append(interaction)
            } else if interaction.kind.pairChange != nil {
                kept.append(interaction.withoutList)
            }
        }
        if kept.isEmpty {
            try erase(key, change)
        } else {
            try rewrite(key, change.replacing(with: Change.member(MemberChange(ofUser: user, .record(kept))).encoded))
        }
        let delete = try database.prepare("DELETE FROM interactions WHERE user_id = ? AND id = ? AND change_key = ?")
        for id in forgotten {
            if kept.contains(where: { $0.id.hasSameBytes(as: id.text) }) {
                try noteForgotten(id.text, ofChange: key)
            } else {
                try delete.run(user, id.text, key)
                try noteDeleted(id.text, ofUser: user, inChange: key)
            }
        }
        return forgotten
    }

    /// Notes that an id is no longer to be recorded, in a row that goes with that of a change.
    ///
    /// The row has a digest of the id, which no id of a client is equal to: it is no text.
    func noteDeleted(_ id: String, ofUser user: String, inChange key: Int64) throws(Failure) {
        let row = try database.prepare(
            """
            INSERT INTO interactions (user_id, id, change_key, occurred_at, byte_count, is_forgotten)
            VALUES (?1, ?3, ?2, 0, 0, 1) ON CONFLICT DO NOTHING
            """, user, key)
        row.bind(bytes: Self.digest(of: id, ofUser: user), at: 3)
        try row.run()
    }

    /// Returns a digest of an interaction's id, of 16 bytes.
    static func digest(of id: String, ofUser user: String) -> [UInt8] {
        Array(Authentication.code(of: Array(id.utf8), key: Array(user.utf8)).prefix(16))
    }

    /// Returns the time at which a member last deleted all interactions, in Unix milliseconds, or nil if unknown.
    ///
    /// A stamp may be ahead of the clock, and what the member does next must count.
    func deletionTime(ofUser user: String) throws(Failure) -> Int64? {
        let row = try database.prepare(
            "SELECT max(min(stamp, recorded_at)) FROM changes WHERE user_id = ? AND kind = ?", user,
            ChangeKind.forgetInteractions.rawValue)
        return try row.step() ? row.optionalInteger(0) : nil
    }

    /// Notes that an interaction of a change is kept only for the membership, favourite or follow that it changes.
    func noteForgotten(_ id: String, ofChange key: Int64) throws(Failure) {
        try database.run(
            "UPDATE interactions SET is_forgotten = 1 WHERE change_key = ? AND id = ?", key, id)
    }

    /// Returns a user's changes of a kind, in the order in which they apply.
    func rows(_ kind: ChangeKind, ofUser user: String) throws(Failure)
        -> [(key: Int64, change: JournaledChange)]
    {
        try rows(where: "user_id = ?1 AND kind = ?2", user, kind.rawValue)
    }

    /// Erases the changes of a user; only their numbers and stamps stay.
    ///
    /// Changes that need a newer program are erased as well, if they name the user. Removals stay, and so do renamings
    /// to the user: without them, applying would leave what the catalog has under the old id.
    ///
    /// - Parameter stamp: only changes before this stamp are erased; nil for all changes.
    private func erase(user: String, before stamp: ChangeStamp?) throws(Failure) {
        let staying = "\(Self.removingKinds), \(ChangeKind.renameUser.rawValue)"
        let known = try rows(where: "user_id = ?1 AND kind NOT IN (\(staying))", user)
        let newer = try rows(where: "kind IS NULL").filter { $0.change.names(user: user) }
        for (key, change) in known + newer where stamp.map({ change.stamp < $0 }) ?? true { try erase(key, change) }
        // The digests of deleted ids may belong to changes that were erased before.
        try database.run(
            """
            DELETE FROM interactions WHERE user_id = ?1 AND is_forgotten = 1 AND NOT EXISTS
            (SELECT 1 FROM changes WHERE change_key = interactions.change_key AND user_id = ?1)
            """, user)
    }

    /// Returns the changes in which members follow others or no longer do; only their bodies name the others.
    private func followRows() throws(Failure) -> [(key: Int64, change: JournaledChange)] {
        let kinds = Interaction.Kind.allCases.filter { $0.subject == .user }
        let isFollow = kinds.map { "instr(CAST(body AS TEXT), '\"kind\":\($0.number),')" }.joined(separator: " OR ")
        return try rows(where: "kind = \(ChangeKind.interactions.rawValue) AND (\(isFollow))")
    }

    /// Erases the interactions with followed members who were forgotten.
    ///
    /// - Parameters:
    ///   - rows: the changes to look at; `followRows` reads the whole journal once.
    ///   - isForgotten: returns whether the member of an external id was forgotten after a change of a stamp.
    private func eraseFollows(
        in rows: [(key: Int64, change: JournaledChange)],
        where isForgotten: (_ userID: String, _ stamp: ChangeStamp) throws(Failure) -> Bool
    ) throws(Failure) {
        let delete = try database.prepare("DELETE FROM interactions WHERE change_key = ? AND id = ?")
        for (key, change) in rows {
            guard let content = change.change, let follower = content.userID else { continue }
            var (kept, erased) = ([InteractionRecord](), [InteractionRecord]())
            for interaction in content.interactions {
                let names = interaction.kind.subject == .user
                let isErased = names ? try isForgotten(interaction.subjectID, change.stamp) : false
                if isErased { erased.append(interaction) } else { kept.append(interaction) }
            }
            guard !erased.isEmpty else { continue }
            let rest = Change.member(MemberChange(ofUser: follower, .record(kept))).encoded
            try rewrite(key, change.replacing(with: kept.isEmpty ? Change.nothing : rest))
            for interaction in erased where !kept.contains(where: { $0.id.hasSameBytes(as: interaction.id) }) {
                try delete.run(key, interaction.id)
            }
        }
    }

    /// The kinds of changes that remove a member, for good or until the member comes back, as SQL.
    private static let removingKinds = "\(ChangeKind.removeMember.rawValue), \(ChangeKind.removeAccount.rawValue)"

    private func isRemoved(_ user: String, after stamp: ChangeStamp) throws(Failure) -> Bool {
        try database.integer(
            """
            SELECT 1 FROM changes WHERE user_id = ?1 AND kind IN (\(Self.removingKinds))
            AND (stamp, origin, sequence) > (?2, ?3, ?4)
            """, user, stamp.milliseconds, stamp.origin, stamp.sequence) != nil
    }

    /// Returns the members who were removed, or who forgot all interactions.
    ///
    /// - Parameter seen: the changes to leave out.
    /// - Returns: the members, and all changes that are here now.
    package func erasedUsers(beyond seen: AppliedChanges) throws(Failure) -> (ids: [String], here: AppliedChanges) {
        let here = try sequenceRanges().mapValues(\.last)
        let rows = try database.prepare(
            """
            SELECT DISTINCT user_id FROM changes WHERE origin = ?1 AND sequence > ?2 AND sequence <= ?3
            AND kind IN (\(Self.removingKinds), \(ChangeKind.forgetInteractions.rawValue))
            """)
        var ids: [String] = []
        for (origin, last) in here where seen.last(of: origin) < last {
            rows.bind(origin, seen.last(of: origin), last)
            while try rows.step() { ids.append(rows.text(0)) }
            rows.reset()
        }
        return (ids, AppliedChanges(here))
    }

    /// Returns whether a change that a version does not have forgets a user.
    package func isForgotten(user: String, beyond taken: AppliedChanges) throws(Failure) -> Bool {
        try rows(where: "user_id = ?1 AND kind = \(ChangeKind.removeMember.rawValue)", user)
            .contains { !taken.contains($0.change.sequence, of: $0.change.origin) }
    }

    /// The time for which a forgetting that is applied names the member, in milliseconds: daemons forget lists by it.
    private static let namedMilliseconds: Int64 = 3_600_000

    /// Erases forgettings, and what was kept of these members before: only the ledger of the catalog has them then.
    ///
    /// - Parameters:
    ///   - taken: the changes that the catalog has.
    ///   - now: the time, in Unix milliseconds.
    package func eraseForgettings(_ taken: AppliedChanges, at now: Int64) throws(Failure) {
        try transaction { () throws(Failure) in
            let found = try rows(
                where: "kind = \(ChangeKind.removeMember.rawValue) AND recorded_at < ?", now - Self.namedMilliseconds)
            for (_, change) in found where taken.contains(change.sequence, of: change.origin) {
                let theirs = try rows(where: "user_id = ?", change.change?.userID)
                for (key, other) in theirs where other.stamp <= change.stamp { try erase(key, other) }
            }
        }
    }

    /// Returns the number of changes that name each member, without those that only remove the member from the site.
    ///
    /// Changes that need a newer program count if they name the member. Members without changes are left out.
    package func traces(of users: [String]) throws(Failure) -> [BytewiseString: Int] {
        try changes(about: users).mapValues(\.count).filter { $0.value > 0 }
    }

    /// Returns the changes that name a member, without those that only remove the member from the site.
    package func changes(about user: String) throws(Failure) -> [JournaledChange] {
        try changes(about: [user])[BytewiseString(user)] ?? []
    }

    private func changes(about users: [String]) throws(Failure) -> [BytewiseString: [JournaledChange]] {
        let newer = try rows(where: "kind IS NULL").map(\.change)
        let follows = try followRows().map(\.change)
        var found: [BytewiseString: [JournaledChange]] = [:]
        for user in users {
            let theirs = try rows(where: "user_id = ?", user).map(\.change)
            let others = follows.filter { $0.change?.userID?.hasSameBytes(as: user) == false }
            found[BytewiseString(user)] = (theirs + newer + others).filter { $0.tells(ofMember: user) }
        }
        return found
    }

    /// Erases the changes of forgotten members that are older than the forgetting, also renamings to them.
    ///
    /// For the journal beside a catalog, the catalog must have the forgettings.
    ///
    /// - Parameters:
    ///   - users: the members to look for; nil for all members.
    ///   - forgotten: returns the time at which a member was forgotten, in milliseconds of stamps, or nil if unknown.
    /// - Returns: the members who lost data.
    package func erase(among users: [String]?, _ forgotten: (_ userID: String) -> Int64?) throws(Failure)
        -> [String]
    {
        let erased = try transaction { () throws(Failure) in
            let all = "SELECT DISTINCT user_id FROM changes WHERE user_id IS NOT NULL"
            let found: [String]
            if let users { found = users } else { found = try database.prepare(all).texts() }
            func stamp(_ user: String) -> ChangeStamp? {
                forgotten(user).map { ChangeStamp(milliseconds: $0, origin: "", sequence: 0) }
            }
            var erased: [String] = []
            for user in found {
                guard let stamp = stamp(user) else { continue }
                let before = database.totalChanges
                try erase(user: user, before: stamp)
                for (key, change) in try rows(.renameUser, ofUser: user) where change.stamp < stamp {
                    try erase(key, change)
                }
                if database.totalChanges > before { erased.append(user) }
            }
            let wanted = users.map { Set($0.map(BytewiseString.init)) }
            try eraseFollows(in: followRows()) { followed, changed in
                guard wanted?.contains(BytewiseString(followed)) != false, let stamp = stamp(followed), changed < stamp
                else { return false }
                if !erased.contains(where: { $0.hasSameBytes(as: followed) }) { erased.append(followed) }
                return true
            }
            return erased
        }
        if !erased.isEmpty { folds.removeAll() }
        return erased
    }
}
