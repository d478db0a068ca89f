public import Model
import SQLite

/// What a member changed since a model version was made, according to a journal.
public struct RecentMemberChanges: Sendable, Equatable {
    /// What the member did, in an order that is the same in all journals that have the same changes.
    public var interactions: [InteractionRecord] = []
    /// Whether the member had everything forgotten that came before.
    public var forgetsEarlier = false
    /// The stated interests, if they were stated since.
    public var interests: [String]?
    /// Entries of relations that the site removed.
    public var removals: [RemovedEntry] = []
    /// Whether the site removed the member; then nothing else is known of them.
    public var isForgotten = false

    /// An entry of a relation between groups and users that the site removed.
    public struct RemovedEntry: Sendable, Equatable {
        /// The group's external id.
        public var groupID: String
        /// The relation's table.
        public var table: String
        /// When, in Unix milliseconds.
        public var atMilliseconds: Int64
    }

    /// Nothing.
    public init() {}
}

/// What members did and the site decided, according to a journal.
extension ChangeJournal {
    /// The changes of a member; nil if there are none.
    ///
    /// - Parameter taken: changes that are in a model version, and left out.
    public func recentChanges(ofUser id: String, beyond taken: TakenChanges = .none) throws(ChangeError)
        -> RecentMemberChanges?
    {
        let shown = ChangeKind.allCases.filter { $0 != .exposures && $0 != .forgetInteraction && $0 != .nothing }
        let kinds = shown.map { String($0.rawValue) }.joined(separator: ", ")
        let changes = try wrapping { () throws(DatabaseError) in
            try rows(where: "user_id = ? AND kind IN (\(kinds))") { $0.bind(id, at: 1) }.map(\.change)
        }
        var member = RecentMemberChanges()
        // Of interactions with one id the first counts, also if a version has it.
        var ids: Set<BytewiseString> = []
        for journaled in changes {
            let isRecent = !taken.contains(journaled.sequence, of: journaled.origin)
            switch journaled.change {
            case .member(let change):
                switch change.action {
                case .record(let interactions):
                    let first = interactions.filter { ids.insert(BytewiseString($0.id)).inserted }
                    if isRecent { member.interactions += first }
                case .forget(id: nil): if isRecent { member.forgetsEarlier = true }
                case .state(let interests): if isRecent { member.interests = interests }
                // A single interaction that is forgotten is no longer in the journal.
                case .forget, .expose: continue
                }
            case .removal(let change) where isRecent:
                if change.forgottenUserID != nil {
                    member = RecentMemberChanges()
                    member.isForgotten = true
                    return member
                }
                guard case .user(_, let group, let table) = change.subject else { continue }
                member.removals.append(.init(groupID: group, table: table, atMilliseconds: change.atMilliseconds))
            case .removal, .site, nil: continue
            }
        }
        member.interactions = member.interactions.enumerated()
            .sorted { ($0.element.atMilliseconds, $0.offset) < ($1.element.atMilliseconds, $1.offset) }.map(\.element)
        return member == RecentMemberChanges() ? nil : member
    }

    /// Interactions of a member that the journal has, in the order in which their changes apply.
    ///
    /// - Returns: nil if there is none with the id `after`.
    public func interactions(ofUser id: String, after: String?, limit: Int) throws(ChangeError) -> [InteractionRecord]?
    {
        try wrapping { () throws(DatabaseError) in
            var begin = ChangeStamp(milliseconds: -1, origin: "", sequence: 0)
            if let after {
                guard let stamp = try firstChange(after, ofUser: id), !stamp.isForgotten else { return nil }
                begin = stamp.of
            }
            let rows = try database.prepare(
                """
                SELECT \(Self.columns) FROM changes
                WHERE user_id = ?1 AND kind = \(ChangeKind.interactions.rawValue)
                AND (stamp, origin, sequence) >= (?2, ?3, ?4) ORDER BY \(Self.order)
                """)
            rows.bind(id, at: 1)
            rows.bind(begin.milliseconds, at: 2)
            rows.bind(begin.origin, at: 3)
            rows.bind(begin.sequence, at: 4)
            var (found, isBehind): ([InteractionRecord], Bool) = ([], after == nil)
            while found.count < limit, try rows.step() {
                guard let change = change(rows) else { continue }
                var ids: Set<BytewiseString> = []
                for interaction in change.change?.interactions ?? [] where found.count < limit {
                    guard ids.insert(BytewiseString(interaction.id)).inserted else { continue }
                    if !isBehind {
                        isBehind = after.map { $0.hasSameBytes(as: interaction.id) } ?? true
                        continue
                    }
                    guard let first = try firstChange(interaction.id, ofUser: id), first.of == change.stamp,
                        !first.isForgotten
                    else { continue }
                    found.append(interaction)
                }
            }
            return found
        }
    }

    /// The first change that has an interaction of an id, and whether it is kept for the membership alone.
    private func firstChange(_ id: String, ofUser user: String) throws(DatabaseError)
        -> (of: ChangeStamp, isForgotten: Bool)?
    {
        let row = try database.prepare(
            """
            SELECT stamp, origin, sequence, is_forgotten FROM interactions JOIN changes USING (change_key)
            WHERE interactions.user_id = ? AND id = ? ORDER BY \(Self.order) LIMIT 1
            """)
        row.bind(user, at: 1)
        row.bind(id, at: 2)
        guard try row.step() else { return nil }
        return (
            ChangeStamp(milliseconds: row.integer(0), origin: row.text(1), sequence: row.integer(2)),
            row.integer(3) != 0
        )
    }

    /// The latest time of the interactions that came last of a member, in Unix milliseconds; nil if there are none.
    ///
    /// A time that is to come was recorded by a clock that was ahead: whatever the member does next comes after it.
    public func latestInteractionTime(ofUser id: String) throws(ChangeError) -> Int64? {
        try wrapping { () throws(DatabaseError) in
            let row = try database.prepare(
                """
                SELECT max(occurred_at) FROM (SELECT change_key FROM changes
                    WHERE user_id = ? AND kind = \(ChangeKind.interactions.rawValue) ORDER BY stamp DESC LIMIT 16)
                    JOIN interactions USING (change_key)
                """)
            row.bind(id, at: 1)
            return try row.step() ? row.optionalInteger(0) : nil
        }
    }

    /// How much is recorded of what a member did.
    ///
    /// - Parameter recent: the moment since which it is recent, in Unix milliseconds.
    public func recordedAmount(ofUser id: String, recent: Int64) throws(ChangeError) -> RecordedAmount {
        try wrapping { () throws(DatabaseError) in
            let row = try database.prepare(
                """
                SELECT total(occurred_at >= ?2), total(byte_count) FROM interactions
                WHERE user_id = ?1 AND is_forgotten = 0
                """)
            row.bind(id, at: 1)
            row.bind(recent, at: 2)
            guard try row.step() else { return RecordedAmount() }
            return RecordedAmount(
                recent: Int(row.optionalNumber(0) ?? 0), keptBytes: Int(row.optionalNumber(1) ?? 0))
        }
    }

    /// Changes that concern everybody, in the order in which they apply; those that this program cannot read are left
    /// out.
    public func siteChanges() throws(ChangeError) -> [JournaledChange] {
        try wrapping { () throws(DatabaseError) in try rows(where: "user_id IS NULL AND kind > 0").map(\.change) }
    }
}
