package import Basics
package import Model
import SQLite

/// New changes of this daemon, and changes that it reads from other daemons.
extension ChangeJournal {
    /// Records changes of this daemon in one transaction; they are durable when this returns.
    ///
    /// An interaction whose id the member has already, or has deleted, is left as it is. So is one that is dated before
    /// the member deleted all, unless it changes a pair; then it is not shown. The existence of groups is not checked
    /// here.
    ///
    /// - Parameters:
    ///   - now: the current time, in Unix milliseconds.
    ///   - isComplete: whether all changes of other daemons are here; then changes without an effect are not recorded.
    /// - Returns: the outcome of each change, in their order.
    /// - Throws: `Failure`; then none of the changes was recorded.
    package func record(_ changes: [Change], at now: Int64, isComplete: Bool = false) throws(Failure)
        -> [Change.Outcome]
    {
        var next = numbering
        do throws(Failure) {
            let outcomes = try transaction { () throws(Failure) in
                let latest = try database.integer("SELECT max(stamp) FROM changes") ?? 0
                next.stampMilliseconds = max(next.stampMilliseconds, latest)
                var outcomes: [Change.Outcome] = []
                for change in changes {
                    if isComplete, let outcome = try outcomeOfRepeated(change) {
                        outcomes.append(outcome)
                    } else {
                        outcomes.append(try record(change, &next, at: now))
                    }
                }
                return outcomes
            }
            numbering = next
            return outcomes
        } catch {
            // The commit may have reached the disk, and a number must not be given twice.
            numbering = Numbering()
            throw error
        }
    }

    private func record(_ change: Change, _ numbering: inout Numbering, at now: Int64) throws(Failure)
        -> Change.Outcome
    {
        var change = change
        let outcome: Change.Outcome
        switch change {
        case .site: outcome = .site(.changed)
        case .removal: outcome = .removal(.pending)
        case .renaming: outcome = .renaming(.renamed)
        case .member(var member):
            switch member.action {
            case .record(let interactions):
                if let index = try indexOfOtherContent(in: interactions, ofUser: member.userID) {
                    return .member(.otherContent(at: index))
                }
                // The same id may come twice in one batch as well.
                var ids: Set<BytewiseString> = []
                var kept: [InteractionRecord] = []
                let end = try deletionTime(ofUser: member.userID) ?? .min
                for interaction in interactions where ids.insert(BytewiseString(interaction.id)).inserted {
                    let isDeleted = interaction.atMilliseconds < end
                    guard !isDeleted || interaction.kind.pairChange != nil,
                        try !isKnown(interaction.id, ofUser: member.userID)
                    else { continue }
                    kept.append(isDeleted ? interaction.withoutList : interaction)
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
        try settle(own, try insert(own, at: now))
        return outcome
    }

    /// Returns the outcome of a change that repeats the last one of its member without effect.
    ///
    /// - Returns: nil if the change must be recorded.
    private func outcomeOfRepeated(_ change: Change) throws(Failure) -> Change.Outcome? {
        guard case .member(let member) = change else { return nil }
        let outcome: MemberChange.Outcome
        switch member.action {
        case .record, .expose: return nil
        case .forget: outcome = .forgotten(0)
        case .state: outcome = .stated
        }
        let row = try database.prepare(
            """
            SELECT \(Self.columns) FROM changes WHERE user_id = ? AND +kind > 0 ORDER BY change_key DESC LIMIT 1
            """, member.userID)
        guard try row.step(), let last = self.change(row), last.origin == origin, last.change == change else {
            return nil
        }
        return .member(outcome)
    }

    /// Adds changes that were read from a stream, in one transaction that is durable when this returns.
    ///
    /// A change is taken only if it follows the last one of its journal. A change after a gap is left for later.
    ///
    /// - Parameters:
    ///   - changes: the changes of each journal in the order of their numbers.
    ///   - prunable: the changes that all versions that may serve have.
    ///   - now: the current time, in Unix milliseconds.
    /// - Returns: the changes that were taken.
    package func follow(_ changes: [JournaledChange], beyond prunable: AppliedChanges, at now: Int64)
        throws(Failure) -> [JournaledChange]
    {
        try transaction { () throws(Failure) in
            var here = try sequenceRanges()
            var taken: [JournaledChange] = []
            for change in changes {
                var numbers = here[change.origin] ?? .none
                let last = numbers.last
                numbers.dispense(through: prunable.last(of: change.origin))
                guard numbers.verdict(on: change.sequence) == .next else { continue }
                // The rows of a journal must have no gap, because `sequenceRanges` reads only their first and last
                // numbers.
                if numbers.last > last { try removeRows(of: change.origin, through: numbers.last) }
                try settle(change, try insert(change, at: now))
                numbers.last = change.sequence
                here[change.origin] = numbers
                taken.append(change)
            }
            return taken
        }
    }

    /// Returns the index of the first interaction with the id of a known or an earlier one that says something else.
    private func indexOfOtherContent(in interactions: [InteractionRecord], ofUser user: String) throws(Failure)
        -> Int?
    {
        var first: [BytewiseString: InteractionRecord] = [:]
        for (index, interaction) in interactions.enumerated() {
            let id = BytewiseString(interaction.id)
            if first[id] == nil { first[id] = try known(interaction.id, ofUser: user) ?? interaction }
            if let first = first[id], !interaction.says(theSameAs: first) { return index }
        }
        return nil
    }

    /// Returns an interaction as the first change recorded here has it, or nil if it is unknown or forgotten.
    private func known(_ id: String, ofUser user: String) throws(Failure) -> InteractionRecord? {
        let row = try database.prepare(
            """
            SELECT \(Self.columns) FROM changes WHERE change_key = (SELECT min(change_key) FROM interactions
                WHERE user_id = ? AND id = ? AND is_forgotten = 0)
            """, user, id)
        guard try row.step() else { return nil }
        return change(row)?.change?.interactions.first { $0.id.hasSameBytes(as: id) }
    }

    /// Whether a member has or had an interaction with an id, as far as the journal reaches back.
    private func isKnown(_ id: String, ofUser user: String) throws(Failure) -> Bool {
        let row = try database.prepare("SELECT 1 FROM interactions WHERE user_id = ? AND id IN (?, ?)", user, id)
        row.bind(bytes: Self.digest(of: id, ofUser: user), at: 3)
        return try row.step()
    }
}
