package import Basics
import Changes
import Glibc
package import Model
import SQLite

/// The part of a catalog that a recompute reads: one state of it, over several connections at once.
///
/// All connections stay in read transactions of the same commit while the snapshot exists. Read the rows and columns of
/// matrices, and all data that refers to them, from one snapshot: then they agree. A snapshot belongs to one thread.
/// Long reads use several threads of their own.
package final class Matrices: EntrySource {
    let connections: [Locked<Facts>]
    private var check: CatalogCheck?
    private var knownGroups: [GroupRecord]?

    /// The catalog in this state, for reads by the thread that owns the snapshot.
    package let catalog: Facts

    var database: ReadingDatabase { catalog.database }

    /// Takes a snapshot of the latest state.
    ///
    /// - Parameters:
    ///   - catalog: the catalog; the snapshot opens connections of its own.
    ///   - threads: the number of connections that read at once, 1 or more.
    ///   - isChecked: whether the whole catalog is checked meanwhile, on an additional thread; see `finishCheck`.
    ///   - whileBeginning: a function that is called in every attempt, before the last transaction begins.
    /// - Throws: `Failure.Code.busy` if other processes kept writing for about a minute.
    package init(
        of catalog: Facts, threads: Int, isChecked: Bool = false, whileBeginning: () -> Void = {}
    ) throws(Failure) {
        var catalogs: [Catalog] = []
        for _ in 0..<max(1, threads) {
            let own = try Catalog(path: catalog.path, mode: .trying, relations: catalog.relations)
            // Reads are checked only where that takes no extra time. `CatalogCheck` does the rest.
            try own.database.execute("PRAGMA cell_size_check = ON")
            catalogs.append(own)
        }
        (self.catalog, connections) = (catalogs[0].facts, catalogs.map { Locked($0.facts) })
        let checked = isChecked ? try Catalog(path: catalog.path, mode: .trying, relations: catalog.relations) : nil
        let others = catalogs.dropFirst().map(\.database) + [checked?.database].compactMap(\.self)
        for attempt in 0..<60 {
            // After a failed attempt, the write lock is held while the transactions begin.
            let writers = attempt == 0 ? nil : PausedWriters(catalog.path)
            defer { writers?.resume() }
            if try Self.beginTogether(catalogs[0].database, others, whileBeginning) {
                if let checked { check = try CatalogCheck(Locked(checked)) }
                return
            }
            // In a read-only file, the lock cannot be taken: then only another attempt helps.
            if attempt > 0, writers == nil { usleep(UInt32(attempt) * 1000) }
        }
        throw Failure(.busy, "others write to the catalog without a break; try again later")
    }

    /// Begins a read transaction on every connection, the first connection last.
    ///
    /// - Returns: `false` if another connection committed meanwhile. Then the transactions may see different states,
    ///   and all of them are rolled back.
    private static func beginTogether(_ first: Database, _ others: [Database], _ whileBeginning: () -> Void)
        throws(Failure) -> Bool
    {
        let before = try first.outsideRevision()
        for other in others { try other.beginReading() }
        whileBeginning()
        try first.beginReading()
        if try first.outsideRevision() == before { return true }
        for connection in others + [first] { try connection.execute("ROLLBACK") }
        return false
    }

    /// Waits until the whole catalog has been checked, if this snapshot checks it.
    ///
    /// - Throws: `Failure.Code.badData` if the catalog is damaged.
    package func finishCheck() throws(Failure) { try check?.finish() }

    /// Returns all groups, public and private, in ascending order of the bytes of their external ids.
    ///
    /// - Throws: `Failure.Code.badData` if the groups cannot have been written like this.
    package func groups() throws(Failure) -> [GroupRecord] {
        if let knownGroups { return knownGroups }
        let groups = try catalog.groups()
        try database.check(groups)
        knownGroups = groups
        return groups
    }

    /// Makes the groups of a version the rows of matrices, whether they are shown by now or not.
    ///
    /// - Parameter ids: the ids of the version's groups, in their order. A group that is gone has an empty row.
    package func useRows(ofGroups ids: [String]) throws(Failure) {
        let groups = try groups()
        let known = Dictionary(groups.map { (BytewiseString($0.id), $0) }, uniquingKeysWith: { $1 })
        let free = (groups.map(\.key).max() ?? 0) + 1
        knownGroups = ids.enumerated().map { row, id in
            var group =
                known[BytewiseString(id)]
                ?? GroupRecord(
                    id: id, title: "", visibility: .public, isHidden: false, topics: [], joinPolicy: .open,
                    key: free + Int64(row))
            (group.visibility, group.isHidden) = (.public, false)
            return group
        }
    }

    /// Reads parts of the catalog on several threads, each with its own connection.
    ///
    /// - Parameter read: a function that reads the part of a number in 0 ..< `count`.
    /// - Returns: the parts in the order of their numbers.
    func readParts<Part: Sendable>(
        _ count: Int, _ read: @Sendable (Facts, _ number: Int) throws(Failure) -> Part
    ) throws(Failure) -> [Part] {
        let connections = connections
        return try Parallel.map(
            count, threads: connections.count, state: { thread throws(Failure) in connections[thread] }
        ) { connection, numbers throws(Failure) in
            try connection.withLock { catalog throws(Failure) in try read(catalog, numbers.lowerBound) }
        }
    }
}

/// A lock against writers: no other connection commits.
private struct PausedWriters {
    private let database: Database

    /// Takes the lock, or returns `nil` if the file is read-only or another transaction holds the lock for long.
    init?(_ path: String) {
        do {
            database = try Database(path: path, mode: .readWrite, busyTimeoutSeconds: 1)
            try database.execute("BEGIN IMMEDIATE")
        } catch { return nil }
    }

    func resume() { try? database.execute("ROLLBACK") }
}

extension Database {
    /// Begins a read transaction; "BEGIN" alone would begin it only with the first read.
    fileprivate func beginReading() throws(Failure) {
        try execute("BEGIN")
        _ = try outsideRevision()
    }
}

// MARK: - Members, photos and columns

extension Matrices {
    package func forEachMember(
        impressionsSince: Int64, _ body: (_ column: Int, [Interaction], Pause?) -> Void
    ) throws(Failure) {
        let rowsOfKeys = try rowsOfShownGroups()
        let rows = try database.prepare(
            """
            SELECT user_key, kind, group_key, occurred_at, seconds FROM interactions
            WHERE kind IN (\(Interaction.Kind.groupNumbers), \(Interaction.Kind.pauseNumbers))
                AND (kind <> ?1 OR occurred_at >= ?2)
            ORDER BY user_key, interaction_key
            """, Interaction.Kind.impression.number, impressionsSince)
        var member = (column: 0, interactions: [Interaction](), pause: Pause?.none)
        func end() {
            if !member.interactions.isEmpty || member.pause != nil {
                body(member.column, member.interactions, member.pause)
            }
        }
        while try rows.step() {
            guard (0...EntityTable.keyLimit).contains(rows.integer(0)) else {
                throw .damaged("interactions of a user who cannot be")
            }
            let column = Int(rows.integer(0))
            if column != member.column {
                end()
                member = (column, [], nil)
            }
            guard let kind = Interaction.Kind(number: rows.integer(1)) else { continue }
            let seconds = rows.optionalInteger(4).map { Int($0) }
            if let pause = Pause(kind, atMilliseconds: rows.milliseconds(3), seconds: seconds) {
                member.pause.settle(pause)
                continue
            }
            guard let effect = kind.effect(seconds: seconds), let row = rowsOfKeys[rows.integer(2)]
            else { continue }
            member.interactions.append(Interaction(effect, group: row, atMilliseconds: rows.milliseconds(3)))
        }
        end()
    }

    /// Returns the column of a user or photo in a matrix of this snapshot, or `nil` if there is none with the id.
    package func column(of id: String, in table: EntityTable) throws(Failure) -> UInt32? {
        try catalog.key(of: id, in: table).map { UInt32(clamping: $0) }
    }

    /// Returns the columns of the users who agreed to be shown to others.
    package func listedUsers() throws(Failure) -> [UInt32] {
        try columns("SELECT user_key FROM users WHERE listed = 1")
    }

    /// Returns the columns of a user's own photos.
    package func photos(ofOwner user: UInt32) throws(Failure) -> [UInt32] {
        try columns("SELECT photo_key FROM photos WHERE user_key = ?1", Int64(user))
    }

    package func unlistedUsers() throws(Failure) -> Set<UInt32> {
        Set(try columns("SELECT user_key FROM users WHERE listed = 0"))
    }

    /// Returns the row of each shown group in matrices, by its key.
    private func rowsOfShownGroups() throws(Failure) -> [Int64: UInt32] {
        let shown = try groups().lazy.filter { $0.isShown }.enumerated()
        return Dictionary(uniqueKeysWithValues: shown.map { ($0.element.key, UInt32($0.offset)) })
    }

    /// Returns the keys in the first column of a query, whose only parameter is a number, if it has one.
    private func columns(_ query: String, _ value: Int64? = nil) throws(Failure) -> [UInt32] {
        let rows = try database.prepare(query)
        if let value { rows.bind(value, at: 1) }
        return try rows.map { UInt32(clamping: $0.integer(0)) }
    }

    package func users() throws(Failure) -> UserTexts {
        let rows = try database.prepare(
            "SELECT user_key, user_id, interests, interests_stamp FROM users ORDER BY user_key")
        var texts = UserTexts()
        while try rows.step() {
            let key = rows.integer(0)
            guard key >= texts.ids.count, key <= EntityTable.keyLimit else {
                throw .damaged("keys of users are out of order or bounds")
            }
            unsafe rows.withText(1) { unsafe texts.ids.append($0, at: Int(key)) }
            unsafe rows.withText(2) { unsafe texts.interests.append($0, at: Int(key)) }
            if let stamp = rows.optionalInteger(3) { texts.interestsStamps[UInt32(key)] = stamp }
        }
        return texts
    }

    package func hasRows(_ source: RelationSource) throws(Failure) -> Bool {
        try database.integer("SELECT EXISTS (SELECT 1 FROM \(source.table))") == 1
    }

    package func hasPhotoOwners() throws(Failure) -> Bool {
        try database.integer("SELECT EXISTS (SELECT 1 FROM photos WHERE user_key IS NOT NULL)") == 1
    }

    package var ownerOffset: Int { 0 }

    package func shownArms() throws(Failure) -> [UInt32: [String: String]] {
        let rows = try database.prepare(ExposureRecord.selectShownArms + "ORDER BY first_at DESC")
        var arms: [UInt32: [String: String]] = [:]
        while try rows.step() { arms[UInt32(clamping: rows.integer(0)), default: [:]][rows.text(1)] = rows.text(2) }
        return arms
    }

    /// Returns the shown groups of users that a rule holds out of learning; the catalog stays as it is.
    ///
    /// - Parameters:
    ///   - users: the users, as columns of a matrix of this snapshot whose entries are users.
    ///   - folds: the number of validation folds, 1 or more. If the rule is a share, each fold holds out other groups.
    /// - Returns: the rows of the matrix that are held out, by fold and by user.
    package func heldOut(ofUsers users: [UInt32], by rule: HoldOutRule, folds: Int) throws(Failure)
        -> [[[UInt32]]]
    {
        let rows = try rowsOfShownGroups()
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
                let out = rule.heldOut(of: groups, ofUser: Int64(user), fold: fold)
                found[fold].append(out.compactMap { rows[$0] })
            }
        }
        return found
    }

    /// Returns the memberships that members left, or that were removed one by one, from a time in Unix milliseconds on.
    ///
    /// - Returns: each pair once, as a row and a column of a matrix, and whether the member is in the group again.
    package func endedMemberships(since time: Int64) throws(Failure) -> [(row: UInt32, user: UInt32, isBack: Bool)] {
        let rows = try rowsOfShownGroups()
        // SQLite uses the index on memberships only if a condition is as in the index.
        let pairs = try database.prepare(
            """
            SELECT group_key, user_key, joined.user_key IS NOT NULL FROM (
                SELECT group_key, user_key FROM interactions
                WHERE kind IN (\(Interaction.Kind.numbers(changing: .memberships)))
                    AND kind = \(Interaction.Kind.leave.number) AND occurred_at >= ?1
                UNION
                SELECT group_key, user_key FROM noted_removals
                JOIN groups ON group_id = id JOIN users ON user_id = entry_id
                WHERE kind = 'memberships' AND stamp >= ?1
            ) AS ended LEFT JOIN memberships AS joined USING (group_key, user_key) ORDER BY group_key, user_key
            """, time)
        return try pairs.map { (rows[$0.integer(0)], UInt32(clamping: $0.integer(1)), $0.integer(2) == 1) }
            .compactMap { row, user, isBack in row.map { ($0, user, isBack) } }
    }

    /// Returns the ids of users, in the order of the columns.
    package func ids(ofUsers columns: [UInt32]) throws(Failure) -> [String] {
        let row = try database.prepare("SELECT user_id FROM users WHERE user_key = ?")
        return try columns.map { column throws(Failure) in
            row.bind(Int64(column), at: 1)
            defer { row.reset() }
            return try row.step() ? row.text(0) : ""
        }
    }

    /// Whether any entry of a relation may have a time.
    package func mayHaveTimes(_ source: RelationSource) throws(Failure) -> Bool {
        try source.notedTime.hasValues(in: database)
    }
}

// MARK: - Amounts

extension Matrices {
    /// Estimates the work for each of some matrices.
    ///
    /// Several are estimated at a time, because counting tens of millions of rows takes half a second.
    package func workEstimates(_ sources: [RelationSource], recentWeeks: Int) throws(Failure) -> [WorkEstimate] {
        let estimates = try readParts(sources.count) { catalog, number throws(Failure) in
            (number: number, estimate: try WorkEstimate(sources[number], of: catalog, recentWeeks: recentWeeks))
        }
        return estimates.sorted { $0.number < $1.number }.map(\.estimate)
    }

    package func contentEstimate() throws(Failure) -> ContentEstimate { try ContentEstimate(of: database) }

    package func rowCount(_ source: RelationSource) throws(Failure) -> Int { try catalog.rowCount(source) }
}
