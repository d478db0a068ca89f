package import Basics
package import Model
import SQLite
import Synchronization

/// The changes of a journal that were found damaged: their checksums differ, or they are missing between others.
package final class DamagedChanges: Sendable {
    private let found = Mutex<Set<ChangeName>>([])

    package init() {}

    /// All damaged changes, in the order of their names.
    package var names: [ChangeName] { found.withLock { $0.sorted() } }

    func note(_ name: ChangeName) { found.withLock { _ = $0.insert(name) } }

    /// Removes a change that is whole again or no longer needed.
    func remove(_ name: ChangeName) { found.withLock { _ = $0.remove(name) } }
}

/// The rows of a journal, one for each change.
extension ChangeJournal {
    /// The columns that `change` reads.
    static let columns = "origin, sequence, stamp, body, seal"
    /// The order in which changes apply, that of `ChangeStamp`.
    static let order = "stamp, origin, sequence"

    /// Returns the change of a row of `columns`.
    ///
    /// - Parameter first: the index of the first of these columns.
    /// - Returns: nil if the change is damaged, which is noted.
    func change(_ row: Statement, from first: Int32 = 0) -> JournaledChange? {
        let change = JournaledChange(
            origin: row.text(first), sequence: row.integer(first + 1), stampMilliseconds: row.integer(first + 2),
            encoded: row.bytes(first + 3))
        guard Int64(bitPattern: change.seal) == row.integer(first + 4) else {
            damaged.note(change.name)
            return nil
        }
        return change
    }

    /// Adds the row of a change, and the rows of its interactions, or of the one that it deletes.
    ///
    /// - Parameter now: the time of the recording here, in Unix milliseconds.
    /// - Returns: the key of the row.
    func insert(_ change: JournaledChange, at now: Int64) throws(Failure) -> Int64 {
        let row = try database.prepare(
            """
            INSERT INTO changes (origin, sequence, stamp, kind, user_id, group_id, body, seal, recorded_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, change.origin, change.sequence, change.stampMilliseconds)
        Self.bind(change, to: row, from: 4)
        row.bind(now, at: 9)
        try row.run()
        let key = database.lastInsertedRowID
        guard let user = change.change?.userID, let interactions = change.change?.interactions else { return key }
        if case .member(let member)? = change.change, case .forget(let id?) = member.action {
            // This journal may never get what was deleted, but a client may send it again.
            try noteDeleted(id, ofUser: user, inChange: key)
        }
        let insert = try database.prepare(
            """
            INSERT INTO interactions (user_id, id, change_key, occurred_at, byte_count) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """)
        for interaction in interactions {
            try insert.run(user, interaction.id, key, interaction.atMilliseconds, interaction.keptByteCount)
        }
        return key
    }

    /// Binds a kind, a user, a group, a body and a seal.
    private static func bind(_ change: JournaledChange, to row: Statement, from first: Int32) {
        row.bind(change.isNewer ? nil : (change.change?.kind ?? .nothing).rawValue, at: first)
        row.bind(change.change?.userID, at: first + 1)
        row.bind(change.change?.groupID, at: first + 2)
        row.bind(bytes: change.encoded, at: first + 3)
        row.bind(Int64(bitPattern: change.seal), at: first + 4)
    }

    /// Replaces the content of a change, but not its name.
    func rewrite(_ key: Int64, _ change: JournaledChange) throws(Failure) {
        let row = try database.prepare(
            "UPDATE changes SET kind = ?, user_id = ?, group_id = ?, body = ?, seal = ? WHERE change_key = ?")
        Self.bind(change, to: row, from: 1)
        row.bind(key, at: 6)
        try row.run()
    }

    /// Erases a change except its number and its stamp.
    func erase(_ key: Int64, _ change: JournaledChange) throws(Failure) {
        try rewrite(key, change.erased)
        try database.prepare("DELETE FROM interactions WHERE change_key = ?").run(key)
    }

    /// Removes the row of a change, and the rows of its interactions.
    func removeRow(_ key: Int64) throws(Failure) {
        try database.prepare("DELETE FROM interactions WHERE change_key = ?").run(key)
        try database.prepare("DELETE FROM changes WHERE change_key = ?").run(key)
    }

    /// Returns the changes that a condition selects, without damaged ones, in the order in which they apply.
    ///
    /// - Parameter values: the values of the condition's parameters; nil is NULL.
    func rows(where condition: String, _ values: (any BoundValue)?...) throws(Failure)
        -> [(key: Int64, change: JournaledChange)]
    {
        let rows = try database.prepare(
            "SELECT change_key, \(Self.columns) FROM changes WHERE \(condition) ORDER BY \(Self.order)"
        ).binding(values)
        var found: [(key: Int64, change: JournaledChange)] = []
        while try rows.step() { if let change = change(rows, from: 1) { found.append((rows.integer(0), change)) } }
        return found
    }

    /// Compares all rows with their checksums, and notes damaged ones.
    package func verify() throws(Failure) {
        var last: Int64 = 0
        while let next = try verify(after: last, limit: 10_000) { last = next }
    }

    /// Compares some rows with their checksums, and their columns with their bodies, and notes damaged ones.
    ///
    /// - Parameters:
    ///   - key: the key before the first row to verify.
    ///   - limit: the largest number of rows.
    /// - Returns: the key of the last row, or nil if there was none.
    package func verify(after key: Int64, limit: Int) throws(Failure) -> Int64? {
        let rows = try database.prepare(
            """
            SELECT change_key, \(Self.columns), kind, user_id, group_id FROM changes
            WHERE change_key > ? ORDER BY change_key LIMIT ?
            """, key, limit)
        var last: Int64?
        while try rows.step() {
            last = rows.integer(0)
            guard let change = change(rows, from: 1) else { continue }
            let kind = change.isNewer ? nil : (change.change?.kind ?? .nothing).rawValue
            let (user, group) = (change.change?.userID, change.change?.groupID)
            guard rows.optionalInteger(6) == kind,
                rows.optionalText(7).map(BytewiseString.init) == user.map(BytewiseString.init),
                rows.optionalText(8).map(BytewiseString.init) == group.map(BytewiseString.init)
            else {
                damaged.note(change.name)
                continue
            }
        }
        return last
    }

    /// Replaces a damaged change, or adds one that is missing between others.
    ///
    /// - Parameter now: the current time, in Unix milliseconds.
    package func repair(with change: JournaledChange, at now: Int64) throws(Failure) {
        try transaction { () throws(Failure) in
            // The change may have been pruned since.
            guard let numbers = try sequenceRanges()[change.origin], change.sequence > numbers.after else { return }
            try removeNamed(change.name)
            try settle(change, try insert(change, at: now))
        }
        damaged.remove(change.name)
        folds.removeAll()
    }

    /// Gives up a change that is damaged or missing, so that later ones of its journal can be sent.
    ///
    /// Only its number stays, as that of an erased change.
    package func giveUp(_ name: ChangeName, at now: Int64) throws(Failure) {
        try transaction { () throws(Failure) in
            guard let numbers = try sequenceRanges()[name.origin], name.sequence > numbers.after else { return }
            // Its own stamp may be damaged. Within a journal the stamps ascend.
            let stamp = try database.integer(
                "SELECT stamp FROM changes WHERE origin = ? AND sequence < ? ORDER BY sequence DESC LIMIT 1",
                name.origin, name.sequence)
            try removeNamed(name)
            let nothing = JournaledChange(
                origin: name.origin, sequence: name.sequence, stampMilliseconds: stamp ?? 0, encoded: Change.nothing)
            _ = try insert(nothing, at: now)
        }
        damaged.remove(name)
        folds.removeAll()
    }

    private func removeNamed(_ name: ChangeName) throws(Failure) {
        let key = try database.integer(
            "SELECT change_key FROM changes WHERE origin = ? AND sequence = ?", name.origin, name.sequence)
        if let key { try removeRow(key) }
    }

    /// Returns the damaged changes that may still be needed, and removes those that were pruned from the list.
    ///
    /// - Parameter taken: changes that are not needed, damaged or not.
    package func damagedChanges(beyond taken: AppliedChanges = .none) throws(Failure) -> [ChangeName] {
        let names = damaged.names
        guard !names.isEmpty else { return [] }
        let kept = try kept()
        return names.filter { name in
            if let numbers = kept[name.origin], name.sequence > numbers.after {
                return !taken.contains(name.sequence, of: name.origin)
            }
            damaged.remove(name)
            return false
        }
    }

    /// Returns the first change that keeps later ones from being applied, and what mends that; nil if there is none.
    ///
    /// It is for a journal beside a catalog, and looks at changes that were verified.
    ///
    /// - Parameter taken: the changes that the catalog has.
    package func stoppingChange(beyond taken: AppliedChanges) throws(Failure) -> String? {
        if let name = try damagedChanges(beyond: taken).first {
            return "\(name) is damaged, and those after it wait for it: \(Self.givingUp)"
        }
        return try newerChanges().first { !taken.contains($0.sequence, of: $0.origin) }.map {
            "\($0) needs a newer program, and those after it wait for it: upgrade this one"
        }
    }

    /// The remedy for a damaged change beside a catalog, of which there is no copy.
    package static let givingUp = "\"coterie apply --skip-missing\" gives it up for good, and applies what follows"

    /// Returns the first change of each journal that needs a newer program.
    package func newerChanges() throws(Failure) -> [ChangeName] {
        let rows = try database.prepare(
            "SELECT origin, min(sequence) FROM changes WHERE kind IS NULL GROUP BY origin ORDER BY origin")
        var names: [ChangeName] = []
        while try rows.step() { names.append(ChangeName(origin: rows.text(0), sequence: rows.integer(1))) }
        return names
    }
}
