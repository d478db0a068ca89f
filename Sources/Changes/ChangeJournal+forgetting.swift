public import Model
import SQLite

/// What one change leaves of others: forgotten interactions, forgotten members, and what is replaced.
extension ChangeJournal {
    /// Erases what was forgotten from the write-ahead log, where it stays until it is overwritten.
    ///
    /// - Returns: false if another connection was reading or writing for too long; then call it again.
    public func eraseForgotten() throws(ChangeError) -> Bool {
        try wrapping { () throws(DatabaseError) in try database.emptyLog() }
    }

    /// Lets a change that was just added and the others here have their effect on one another.
    ///
    /// A change may come after one that applies later. The work is that of the rows of its member that it concerns.
    func settle(_ change: JournaledChange, _ key: Int64) throws(DatabaseError) {
        guard let content = change.change, let user = content.userID else { return }
        if content.forgottenUserID != nil {
            try erase(user: user, but: key)
        } else if try isForgotten(user, after: change.stamp) {
            return try erase(key, change)
        }
        switch content {
        case .member(let member):
            switch member.action {
            case .forget(let id): try forget(id, ofUser: user, before: change.stamp)
            case .record, .expose: try forget(change, ofUser: user)
            case .state: break
            }
        case .site, .removal: break
        }
        if content.kind.replacesEarlier { try replaceEarlier(content.kind, ofUser: user) }
    }

    /// Forgets of a change of a member what later ones say is forgotten.
    private func forget(_ change: JournaledChange, ofUser user: String) throws(DatabaseError) {
        let later = try rows(
            where: """
                user_id = ?1 AND kind IN (\(ChangeKind.forgetInteraction.rawValue), \
                \(ChangeKind.forgetInteractions.rawValue)) AND (stamp, origin, sequence) > (?2, ?3, ?4)
                """
        ) { rows in
            rows.bind(user, at: 1)
            rows.bind(change.stampMilliseconds, at: 2)
            rows.bind(change.origin, at: 3)
            rows.bind(change.sequence, at: 4)
        }
        for case (_, let other) in later {
            guard case .member(let member)? = other.change, case .forget(let id) = member.action else { continue }
            try forget(id, ofUser: user, before: other.stamp)
        }
    }

    /// Forgets interactions of a user, one or all; memberships that joins and leaves led to stay.
    ///
    /// - Parameter stamp: only those of changes before it; nil: all.
    /// - Returns: how many there were.
    @discardableResult
    func forget(_ id: String?, ofUser user: String, before stamp: ChangeStamp?) throws(DatabaseError) -> Int {
        if id == nil { try eraseAll(.exposures, ofUser: user, before: stamp) }
        // All of them, or those that one id leads to.
        let condition = id == nil ? "" : "AND id = ?2"
        let found = try rows(
            where: """
                change_key IN (SELECT change_key FROM interactions WHERE user_id = ?1 AND is_forgotten = 0 \(condition))
                """
        ) { rows in
            rows.bind(user, at: 1)
            if let id { rows.bind(id, at: 2) }
        }
        var count = 0
        for (key, change) in found where stamp.map({ change.stamp < $0 }) ?? true {
            count += try forget(id, in: change, key, ofUser: user)
        }
        return count
    }

    private func forget(_ id: String?, in change: JournaledChange, _ key: Int64, ofUser user: String)
        throws(DatabaseError) -> Int
    {
        let ids = try database.prepare("SELECT id FROM interactions WHERE change_key = ? AND is_forgotten = 0")
        ids.bind(key, at: 1)
        var forgotten: Set<BytewiseString> = []
        while try ids.step() {
            let other = ids.text(0)
            if id.map({ $0.hasSameBytes(as: other) }) ?? true { forgotten.insert(BytewiseString(other)) }
        }
        var kept: [InteractionRecord] = []
        for var interaction in change.change?.interactions ?? [] {
            if forgotten.contains(BytewiseString(interaction.id)) {
                guard interaction.kind.changesMembership else { continue }
                (interaction.recommendationID, interaction.position, interaction.variant) = (nil, nil, nil)
            }
            kept.append(interaction)
        }
        guard !kept.isEmpty else {
            try erase(key, change)
            return forgotten.count
        }
        try rewrite(key, change.replacing(with: Change.member(MemberChange(ofUser: user, .record(kept))).encoded))
        let delete = try database.prepare("DELETE FROM interactions WHERE user_id = ? AND id = ? AND change_key = ?")
        for id in forgotten {
            if kept.contains(where: { $0.id.hasSameBytes(as: id.text) }) {
                try noteForgotten(id.text, ofChange: key)
            } else {
                delete.bind(user, at: 1)
                delete.bind(id.text, at: 2)
                delete.bind(key, at: 3)
                try delete.run()
            }
        }
        return forgotten.count
    }

    /// Notes that an interaction of a change is kept for the membership alone.
    func noteForgotten(_ id: String, ofChange key: Int64) throws(DatabaseError) {
        let note = try database.prepare("UPDATE interactions SET is_forgotten = 1 WHERE change_key = ? AND id = ?")
        note.bind(key, at: 1)
        note.bind(id, at: 2)
        try note.run()
    }

    /// Leaves nothing of a user's changes of a kind but their numbers.
    private func eraseAll(_ kind: ChangeKind, ofUser user: String, before stamp: ChangeStamp?) throws(DatabaseError) {
        let found = try rows(where: "user_id = ?1 AND kind = ?2") { rows in
            rows.bind(user, at: 1)
            rows.bind(kind.rawValue, at: 2)
        }
        for (key, change) in found where stamp.map({ change.stamp < $0 }) ?? true { try erase(key, change) }
    }

    /// Leaves of a user's changes of a kind only the last.
    private func replaceEarlier(_ kind: ChangeKind, ofUser user: String) throws(DatabaseError) {
        let found = try rows(where: "user_id = ?1 AND kind = ?2") { rows in
            rows.bind(user, at: 1)
            rows.bind(kind.rawValue, at: 2)
        }
        for (key, change) in found.dropLast() { try erase(key, change) }
    }

    /// Erases what is here of a user; of the changes, only their numbers stay.
    ///
    /// Also of changes that need a newer program, if they name the user.
    ///
    /// - Parameters:
    ///   - stamp: only changes before it; nil: all.
    ///   - kept: a change that stays.
    func erase(user: String, before stamp: ChangeStamp? = nil, but kept: Int64? = nil) throws(DatabaseError) {
        let known = try rows(where: "user_id = ?1 AND kind <> \(ChangeKind.removeMember.rawValue)") {
            $0.bind(user, at: 1)
        }
        let newer = try rows(where: "kind IS NULL").filter { $0.change.names(user: user) }
        for (key, change) in known + newer where key != kept && (stamp.map { change.stamp < $0 } ?? true) {
            try erase(key, change)
        }
    }

    /// Whether a user is forgotten by a change after a stamp.
    private func isForgotten(_ user: String, after stamp: ChangeStamp) throws(DatabaseError) -> Bool {
        let row = try database.prepare(
            """
            SELECT 1 FROM changes WHERE user_id = ?1 AND kind = \(ChangeKind.removeMember.rawValue)
            AND (stamp, origin, sequence) > (?2, ?3, ?4)
            """)
        row.bind(user, at: 1)
        row.bind(stamp.milliseconds, at: 2)
        row.bind(stamp.origin, at: 3)
        row.bind(stamp.sequence, at: 4)
        return try row.step()
    }

    /// Whether a user is forgotten by a change that is not in a version.
    public func isForgotten(user: String, beyond taken: TakenChanges) throws(ChangeError) -> Bool {
        try wrapping { () throws(DatabaseError) in
            try rows(where: "user_id = ?1 AND kind = \(ChangeKind.removeMember.rawValue)") { $0.bind(user, at: 1) }
                .contains { !taken.contains($0.change.sequence, of: $0.change.origin) }
        }
    }

    /// How many changes are here that tell of members, also of a newer program, by member.
    public func traces(of users: [String]) throws(ChangeError) -> [BytewiseString: Int] {
        try wrapping { () throws(DatabaseError) in
            let newer = try rows(where: "kind IS NULL").map(\.change)
            var traces: [BytewiseString: Int] = [:]
            for user in users {
                let theirs = try rows(where: "user_id = ?") { $0.bind(user, at: 1) }.map(\.change)
                let count = (theirs + newer).count { $0.tellsOfMember && $0.names(user: user) }
                if count > 0 { traces[BytewiseString(user)] = count }
            }
            return traces
        }
    }

    /// Erases what is here of members who were forgotten after it was done.
    ///
    /// - Parameters:
    ///   - users: the members to look for; nil: all.
    ///   - forgotten: when a member was forgotten, in the milliseconds of stamps; nil if that is not known.
    /// - Returns: the members of whom something was erased.
    public func erase(among users: [String]?, _ forgotten: (_ userID: String) -> Int64?) throws(ChangeError)
        -> [String]
    {
        try transaction { () throws(DatabaseError) in
            let all = "SELECT DISTINCT user_id FROM changes WHERE user_id IS NOT NULL"
            let found: [String]
            if let users { found = users } else { found = try database.prepare(all).texts() }
            var erased: [String] = []
            for user in found {
                guard let milliseconds = forgotten(user) else { continue }
                let stamp = ChangeStamp(milliseconds: milliseconds, origin: "", sequence: 0)
                let before = database.totalChanges
                try erase(user: user, before: stamp)
                if database.totalChanges > before { erased.append(user) }
            }
            return erased
        }
    }
}
