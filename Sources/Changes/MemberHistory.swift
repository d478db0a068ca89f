package import Basics
package import Model
import SQLite

/// The changes of a member since a model version was made, according to a journal.
package struct RecentMemberChanges: Sendable, Equatable {
    /// The member's interactions except impressions, in the order in which they arrived.
    ///
    /// It is the same in all journals with the same changes. Joins and leaves that arrived before the site removed the
    /// member from the group are left out.
    package var interactions: [InteractionRecord] = []
    /// The times of the last 1,000 impressions of each group since its last click, in Unix milliseconds, by the group.
    ///
    /// They are in the order in which they arrived.
    package var impressions: [BytewiseString: [Int64]] = [:]
    /// Whether the member had all earlier interactions forgotten.
    package var forgetsEarlier = false
    /// The ids of single interactions that the member had forgotten; they may be in what the changes come on top of.
    package var forgottenIDs: Set<BytewiseString> = []
    /// The stated interests, if the member stated any since.
    package var interests: [String]?
    /// The stamp of the statement of interests, in Unix milliseconds.
    package var interestsStamp: Int64?
    /// The entries of relations that the site removed.
    package var removals: [RemovedEntry] = []
    /// Whether the site removed the member for good; then all other properties are empty.
    package var isForgotten = false
    /// Whether the site removed the member, who may have come back; what the version has of the member does not count.
    package var isCleared = false

    /// An entry of a relation between groups and users that the site removed.
    package struct RemovedEntry: Sendable, Equatable {
        /// The group's external id.
        package var groupID: String
        /// The relation's table.
        package var table: String

        package init(groupID: String, table: String) { (self.groupID, self.table) = (groupID, table) }
    }

    /// The changes of a member whom the site removed for good.
    package static var ofForgotten: Self {
        var changes = Self()
        changes.isForgotten = true
        return changes
    }

    /// Whether the site removed the member, who has not come back.
    package var isGone: Bool {
        var cleared = Self()
        cleared.isCleared = true
        return isForgotten || self == cleared
    }

    /// The favourites and follows among the interactions: the state of each photo and each member, by `PairState`.
    package var told: [ToldChange] {
        var found: [BytewiseString: (change: ToldChange, state: PairState)] = [:]
        var order: [BytewiseString] = []
        for interaction in interactions {
            guard let change = interaction.kind.pairChange,
                let kind = ToldKind.allCases.first(where: { $0.source == change.source })
            else { continue }
            let key = BytewiseString("\(kind.rawValue) \(interaction.subjectID)")
            if found[key] == nil { order.append(key) }
            var state = found[key]?.state ?? .unknown
            let seconds = interaction.atMilliseconds / 1000
            guard state.settle(change.adds, atSeconds: seconds) else { continue }
            found[key] = (
                ToldChange(kind, subjectID: interaction.subjectID, adds: change.adds, atSeconds: seconds), state
            )
        }
        return order.compactMap { found[$0]?.change }
    }
}

/// Actions of members and decisions of the site, according to a journal.
extension ChangeJournal {
    /// Returns the changes of a member, or nil if there are none.
    ///
    /// Interactions that later ones replace are left out, if there are many.
    ///
    /// - Parameter taken: the changes that a model version has, which are left out.
    /// - Complexity: O(changes since the last call, and interactions that count) for a member with many changes.
    package func recentChanges(ofUser id: String, beyond taken: AppliedChanges = .none) throws(Failure)
        -> RecentMemberChanges?
    {
        let recent = try folds.recent(ofUser: id, beyond: taken) { fold throws(Failure) in
            try update(&fold, ofUser: id)
        }
        return recent == RecentMemberChanges() ? nil : recent
    }

    /// Adds to a fold the changes of a member that were added to the journal since it was last updated.
    private func update(_ fold: inout MemberFold, ofUser id: String) throws(Failure) {
        // A key may be given again after the last row was removed.
        if let last = fold.last, try lastRow(through: last.key)?.name != last.name {
            fold = MemberFold(beyond: fold.taken)
        }
        guard let latest = try lastRow(through: .max) else { return }
        let rows = try database.prepare(
            """
            SELECT kind, \(Self.columns) FROM changes
            WHERE user_id = ? AND change_key > ? AND change_key <= ? AND +kind <> \(ChangeKind.exposures.rawValue)
            ORDER BY change_key
            """, id, fold.last?.key ?? 0, latest.key)
        let onlyIfRecent = [ChangeKind.interactions, .interests, .removeUser].map(\.rawValue)
        while try rows.step() {
            let isRecent = !taken(rows, by: fold)
            guard isRecent || !onlyIfRecent.contains(rows.integer(0)), let change = change(rows, from: 1) else {
                continue
            }
            try fold.add(change, isRecent: isRecent) { interaction throws(Failure) in
                try firstOfSeveral(interaction, ofUser: id)
            }
        }
        fold.arrange()
        fold.last = latest
    }

    private func taken(_ row: Statement, by fold: MemberFold) -> Bool {
        fold.taken.contains(row.integer(2), of: row.text(1))
    }

    /// Returns the last row up to a key, or nil if there is none.
    private func lastRow(through key: Int64) throws(Failure) -> (key: Int64, name: ChangeName)? {
        let row = try database.prepare(
            "SELECT change_key, origin, sequence FROM changes WHERE change_key <= ? ORDER BY change_key DESC LIMIT 1")
        row.bind(key, at: 1)
        guard try row.step() else { return nil }
        return (row.integer(0), ChangeName(origin: row.text(1), sequence: row.integer(2)))
    }

    /// Returns the stamp of the first change with an interaction, or nil if no other change has it.
    private func firstOfSeveral(_ id: String, ofUser user: String) throws(Failure) -> ChangeStamp? {
        let count = try database.integer(
            "SELECT count(*) FROM (SELECT 1 FROM interactions WHERE user_id = ? AND id = ? LIMIT 2)", user, id)
        return count == 2 ? try firstChange(id, ofUser: user)?.of : nil
    }

    /// Returns interactions of a member from the journal, in the order in which their changes apply.
    ///
    /// - Parameters:
    ///   - after: the id before the first interaction to return, or nil to begin with the first.
    ///   - latestFirst: whether the order is reversed.
    ///   - limit: the largest number of interactions.
    /// - Returns: nil if there is no interaction with the id `after`.
    package func interactions(ofUser id: String, after: String?, latestFirst: Bool = false, limit: Int)
        throws(Failure) -> [InteractionRecord]?
    {
        var begin = ChangeStamp(milliseconds: latestFirst ? .max : -1, origin: "", sequence: 0)
        if let after {
            guard let stamp = try firstChange(after, ofUser: id), !stamp.isForgotten else { return nil }
            begin = stamp.of
        }
        let rows = try database.prepare(
            """
            SELECT \(Self.columns) FROM changes
            WHERE user_id = ?1 AND kind = \(ChangeKind.interactions.rawValue)
            AND (stamp, origin, sequence) \(latestFirst ? "<=" : ">=") (?2, ?3, ?4)
            ORDER BY \(latestFirst ? "stamp DESC, origin DESC, sequence DESC" : Self.order)
            """, id, begin.milliseconds, begin.origin, begin.sequence)
        var (found, isBehind): ([InteractionRecord], Bool) = ([], after == nil)
        while found.count < limit, try rows.step() {
            guard let change = change(rows) else { continue }
            var ids: Set<BytewiseString> = []
            var interactions = (change.change?.interactions ?? []).filter {
                ids.insert(BytewiseString($0.id)).inserted
            }
            if latestFirst { interactions.reverse() }
            for interaction in interactions where found.count < limit {
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

    /// Returns the first change that has an interaction, and whether it is kept only for the membership.
    private func firstChange(_ id: String, ofUser user: String) throws(Failure)
        -> (of: ChangeStamp, isForgotten: Bool)?
    {
        let row = try database.prepare(
            """
            SELECT stamp, origin, sequence, is_forgotten FROM interactions JOIN changes USING (change_key)
            WHERE interactions.user_id = ? AND id = ? ORDER BY \(Self.order) LIMIT 1
            """, user, id)
        guard try row.step() else { return nil }
        return (
            ChangeStamp(milliseconds: row.integer(0), origin: row.text(1), sequence: row.integer(2)),
            row.integer(3) != 0
        )
    }

    /// Returns the arm of each experiment that a member was shown first, under any of some ids.
    package func shownArms(ofUsers ids: [String]) throws(Failure) -> [String: String] {
        var changes: [JournaledChange] = []
        for id in ids { changes += try rows(.exposures, ofUser: id).map(\.change) }
        var arms: [String: String] = [:]
        for change in changes.sorted(by: { $0.stamp < $1.stamp }) {
            guard case .member(let member)? = change.change, case .expose(let records) = member.action else { continue }
            for record in records where arms[record.experiment] == nil { arms[record.experiment] = record.arm }
        }
        return arms
    }

    /// Returns the latest time among the interactions of a member's last 16 changes, in Unix milliseconds.
    ///
    /// The last deletion of all counts as well. It is nil if there is none of them.
    ///
    /// A time in the future comes from a clock that was ahead. The member's next interactions are moved after that
    /// time.
    package func latestInteractionTime(ofUser id: String) throws(Failure) -> Int64? {
        let latest = try database.integer(
            """
            SELECT max(occurred_at) FROM (SELECT change_key FROM changes
                WHERE user_id = ? AND kind = \(ChangeKind.interactions.rawValue) ORDER BY stamp DESC LIMIT 16)
                JOIN interactions USING (change_key)
            """, id)
        return [latest, try deletionTime(ofUser: id)].compactMap(\.self).max()
    }

    /// Returns the amount of data about a member's actions.
    ///
    /// - Parameter recent: the moment from which interactions count as recent, inclusive, in Unix milliseconds.
    package func recordedAmount(ofUser id: String, recent: Int64) throws(Failure) -> RecordedAmount {
        let row = try database.prepare(
            """
            SELECT total(occurred_at >= ?2), total(byte_count) FROM interactions
            WHERE user_id = ?1 AND is_forgotten = 0
            """, id, recent)
        guard try row.step() else { return RecordedAmount() }
        return RecordedAmount(
            recent: Int(row.optionalNumber(0) ?? 0), keptBytes: Int(row.optionalNumber(1) ?? 0))
    }

    /// Returns the changes that the answers of everybody obey: those of the site, and removals of members.
    ///
    /// They are in the order in which they apply, without those that need a newer program.
    package func decisions() throws(Failure) -> [JournaledChange] {
        // Each of the two conditions has an index of its own.
        let ofSite = try rows(where: "user_id IS NULL AND kind > 0")
        let removals = try rows(where: "kind = \(ChangeKind.removeMember.rawValue)")
        return (ofSite + removals).map(\.change).sorted { $0.stamp < $1.stamp }
    }
}
