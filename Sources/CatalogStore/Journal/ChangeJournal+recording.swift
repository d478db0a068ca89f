public import Model
import SQLite

extension ChangeJournal {
    /// Records changes of this daemon's in one transaction; they are durable when this returns.
    ///
    /// An interaction whose id the member has already is left as it is. Whether groups exist is not checked here.
    ///
    /// - Parameter now: Unix milliseconds.
    /// - Returns: what came of each change, in their order.
    /// - Throws: `CatalogError`; then nothing of them all was recorded.
    public func record(_ changes: [CatalogChange], at now: Int64) throws(CatalogError) -> [CatalogChange.Outcome] {
        var next = numbering
        do throws(CatalogError) {
            let outcomes = try transaction { () throws(DatabaseError) in
                let latest = try database.integer("SELECT max(stamp) FROM changes") ?? 0
                next.stampMilliseconds = max(next.stampMilliseconds, latest)
                var outcomes: [CatalogChange.Outcome] = []
                for change in changes { outcomes.append(try record(change, &next, at: now)) }
                return outcomes
            }
            numbering = next
            return outcomes
        } catch {
            // It is not certain that nothing is on the disk, and a number must not be given twice.
            numbering = Numbering()
            throw error
        }
    }

    private func record(_ change: CatalogChange, _ numbering: inout Numbering, at now: Int64) throws(DatabaseError)
        -> CatalogChange.Outcome
    {
        var change = change
        let outcome: CatalogChange.Outcome
        switch change {
        case .site: outcome = .site(.changed)
        case .removal(let removal):
            if let user = removal.forgottenUserID { try erase(user: user, before: nil) }
            outcome = .removal(.pending)
        case .member(var member):
            switch member.action {
            case .record(let interactions):
                if let index = try indexOfOtherContent(in: interactions, ofUser: member.userID) {
                    return .member(.otherContent(at: index))
                }
                // The same id may come twice in one batch as well.
                var ids: Set<BytewiseString> = []
                var kept: [InteractionRecord] = []
                for interaction in interactions where ids.insert(BytewiseString(interaction.id)).inserted {
                    if try !isKnown(interaction.id, ofUser: member.userID) { kept.append(interaction) }
                }
                outcome = .member(.recorded(new: kept.count, repeated: interactions.count - kept.count))
                guard !kept.isEmpty else { return outcome }
                member.action = .record(kept)
                change = .member(member)
            case .forget(let id): outcome = .member(.forgotten(try forget(id, ofUser: member.userID, before: nil)))
            case .state: outcome = .member(.stated)
            case .expose: outcome = .member(.exposed)
            }
        }
        numbering.sequence += 1
        numbering.stampMilliseconds = ChangeStamp.milliseconds(at: now, after: numbering.stampMilliseconds)
        let own = JournaledChange(
            origin: numbering.origin, sequence: numbering.sequence, stampMilliseconds: numbering.stampMilliseconds,
            change: change)
        try insert(own, at: now)
        return outcome
    }

    /// Adds what was read from the stream, in one transaction that is durable when this returns.
    ///
    /// Of each journal only the change that follows the last one is taken: one that comes after a gap is left for
    /// later.
    ///
    /// - Parameters:
    ///   - changes: those of each journal in the order of their numbers.
    ///   - dispensable: what all versions have that may serve.
    ///   - now: Unix milliseconds.
    /// - Returns: the changes that were taken.
    public func follow(_ changes: [JournaledChange], beyond dispensable: TakenChanges, at now: Int64)
        throws(CatalogError) -> [JournaledChange]
    {
        try transaction { () throws(DatabaseError) in
            var here = try keptNumbers()
            var taken: [JournaledChange] = []
            for change in changes {
                var numbers = here[change.origin] ?? .none
                let last = numbers.last
                numbers.dispense(through: dispensable.last(of: change.origin))
                guard numbers.verdict(on: change.sequence) == .next else { continue }
                // Rows without a gap say what is here.
                if numbers.last > last { try removeRows(of: change.origin, through: numbers.last) }
                if let user = change.forgottenUserID { try erase(user: user, before: nil) }
                try insert(change, at: now)
                numbers.last = change.sequence
                here[change.origin] = numbers
                taken.append(change)
            }
            // A change may come after one that applies later.
            for user in Set(taken.compactMap { $0.change?.userID }.map(BytewiseString.init)) {
                try forgetAgain(ofUser: user.text)
            }
            return taken
        }
    }

    private func insert(_ change: JournaledChange, at now: Int64) throws(DatabaseError) {
        let row = try database.prepare(
            "INSERT INTO changes (origin, sequence, stamp, user_id, body, recorded_at) VALUES (?, ?, ?, ?, ?, ?)")
        row.bind(change.origin, at: 1)
        row.bind(change.sequence, at: 2)
        row.bind(change.stampMilliseconds, at: 3)
        row.bind(change.change?.userID, at: 4)
        row.bind(now, at: 6)
        guard case .member(let member) = change.change, case .record(let interactions) = member.action else {
            row.bind(bytes: change.encoded, at: 5)
            return try row.run()
        }
        row.bind(bytes: [], at: 5)
        try row.run()
        let key = database.lastInsertedRowID
        let insert = try database.prepare(
            "INSERT INTO interactions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0) ON CONFLICT DO NOTHING")
        for (index, interaction) in interactions.enumerated() {
            insert.bind(member.userID, at: 1)
            insert.bind(interaction.id, at: 2)
            insert.bind(key, at: 3)
            insert.bind(Int64(index), at: 4)
            insert.bind(interaction.kind.code, at: 5)
            insert.bind(interaction.groupID, at: 6)
            insert.bind(interaction.atMilliseconds, at: 7)
            insert.bind(interaction.recommendationID, at: 8)
            insert.bind(interaction.position.map { Int64($0) }, at: 9)
            insert.bind(interaction.variant, at: 10)
            try insert.run()
        }
    }

    private func indexOfOtherContent(in interactions: [InteractionRecord], ofUser user: String) throws(DatabaseError)
        -> Int?
    {
        let known = try database.prepare(
            """
            \(Self.selectInteractions) WHERE interactions.user_id = ? AND id = ? AND NOT is_forgotten
            ORDER BY change_key LIMIT 1
            """)
        return try InteractionRecord.indexOfOtherContent(in: interactions, ofUser: user, known)
    }

    private func isKnown(_ id: String, ofUser user: String) throws(DatabaseError) -> Bool {
        let row = try database.prepare("SELECT 1 FROM interactions WHERE user_id = ? AND id = ?")
        row.bind(user, at: 1)
        row.bind(id, at: 2)
        return try row.step()
    }
}
