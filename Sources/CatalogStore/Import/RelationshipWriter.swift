import Basics
import Model
import SQLite

/// A writer of pairs, such as the entries of a relation, in sorted batches.
///
/// The writer gathers a batch, resolves its ids to keys, and writes the pairs in the table's order. Pairs in random
/// order would each touch another page of the table. Sorted pairs fill page after page.
final class RelationshipWriter {
    private let source: RelationSource
    private let database: Database
    private var rowIDs: PairSide
    private var entryIDs: PairSide
    private var rows: [UInt64] = []  // row slot, entry slot
    /// For each row, twice its time in Unix seconds, and 1 more if it is marked; empty while no row has a time.
    ///
    /// A post is marked if it answers another one, and any other pair if its time is refused.
    private var times: [Int64] = []
    private var isIndexDropped = false
    private let identifierBytes: Int
    private let seen: Statement?
    private let refusedTimes: RefusedTimes?
    private let forgotten: ForgottenIDs
    private let findings: ImportFindings
    /// Receives the name of the current step and the number of rows done in it.
    var progress: (String, Int) -> Void = { _, _ in }
    private(set) var written = 0
    private(set) var duplicates = 0
    /// The number of rows that were left out because their members were forgotten.
    private(set) var forgottenCount = 0
    /// Whether any row had a time.
    private(set) var hasTimes = false
    /// The number of rows added to the temporary table `seen`.
    private(set) var seenChanges: Int64 = 0

    /// The mark of a row without a time.
    private static let noTime = Int64.min

    /// Creates a writer.
    ///
    /// For a replacing import, it notes every pair in the temporary table `seen`.
    init(_ source: RelationSource, _ database: Database, options: ImportOptions, _ findings: ImportFindings)
        throws(Failure)
    {
        self.findings = findings
        self.source = source
        self.database = database
        identifierBytes = options.identifierBytes
        let isStrict = options.isStrict
        let replaces = options.replaces
        if replaces {
            try database.execute(
                """
                DROP TABLE IF EXISTS temp.seen;
                \(source.createKeys("seen"))
                """)
        }
        forgotten = try ForgottenIDs(database, readmits: options.readmits)
        refusedTimes = try RefusedTimes(source, database)
        rowIDs = try PairSide(source.rowTable, database, isStrict: isStrict)
        entryIDs = try PairSide(source.entityTable, database, isStrict: isStrict)
        seen =
            replaces
            ? try database.prepare(
                "INSERT INTO temp.seen VALUES (?1, ?2\(source.repeats ? ", ?3" : "")) ON CONFLICT DO NOTHING")
            : nil
    }

    var pendingCount: Int { rows.count }

    /// The numbers of groups, users and photos that were created.
    var created: [String: Int] {
        [source.rowTable.rawValue: rowIDs.createdCount].merging(
            [source.entityTable.rawValue: entryIDs.createdCount], uniquingKeysWith: +)
    }

    func add(rowID: Span<UInt8>, entryID: Span<UInt8>, time: Int64?, isMarked: Bool) {
        rows.append(UInt64(rowIDs.cache.slot(of: rowID)) << 32 | UInt64(entryIDs.cache.slot(of: entryID)))
        if let time {
            hasTimes = hasTimes || source.repeats || !isMarked
            if times.isEmpty { times = [Int64](repeating: Self.noTime, count: rows.count - 1) }
            times.append(time << 1 | (isMarked ? 1 : 0))
        } else if !times.isEmpty {
            times.append(Self.noTime)
        }
    }

    /// Writes the batch.
    ///
    /// The caller has begun a transaction.
    ///
    /// - Returns: In strict mode, the index in the batch of the first row with an unknown id, and that id. Nothing is
    ///   written then.
    func flush() throws(Failure) -> (row: Int, id: String)? {
        try rowIDs.resolve(forgotten) { _ in }
        try entryIDs.resolve(forgotten) { done in progress("finding ids", done) }
        if let unknown { return unknown }
        countDoubtful()
        leaveOutForgotten()
        for index in rows.indices {
            let row = rows[index]
            let key = rowIDs.cache.keys[Int(row >> 32)]
            rows[index] = UInt64(key) << 32 | UInt64(entryIDs.cache.keys[Int(row & 0xffff_ffff)])
        }
        try dropIndexIfWorthwhile()
        radixSort(&rows, payload: &times)
        try write()
        rows.removeAll(keepingCapacity: true)
        times.removeAll(keepingCapacity: true)
        if rowIDs.cache.byteCount + entryIDs.cache.byteCount > identifierBytes || rowIDs.cache.isNearlyFull
            || entryIDs.cache.isNearlyFull
        {
            rowIDs.empty()
            entryIDs.empty()
        }
        return nil
    }

    /// The first row of the batch with an unknown id, and that id.
    private var unknown: (row: Int, id: String)? {
        guard !rowIDs.unknown.isEmpty || !entryIDs.unknown.isEmpty else { return nil }
        for (index, pair) in rows.enumerated() {
            for (side, slot) in slots(of: pair) where side.unknown.contains(slot) {
                return (index, "\(side.table.singular) \(side.cache.id(slot))")
            }
        }
        return nil
    }

    private func slots(of pair: UInt64) -> [(PairSide, UInt32)] {
        [(rowIDs, UInt32(pair >> 32)), (entryIDs, UInt32(pair & 0xffff_ffff))]
    }

    /// Counts the rows of the batch with suspicious ids.
    private func countDoubtful() {
        guard !rowIDs.doubtful.isEmpty || !entryIDs.doubtful.isEmpty else { return }
        for pair in rows {
            for (side, slot) in slots(of: pair) {
                if let doubt = side.doubtful[slot] { findings.note(doubt, id: side.cache.id(slot)) }
            }
        }
    }

    /// Removes the rows of forgotten members from the batch.
    private func leaveOutForgotten() {
        guard !rowIDs.forgotten.isEmpty || !entryIDs.forgotten.isEmpty else { return }
        let kept = rows.indices.filter { index in
            !rowIDs.forgotten.contains(UInt32(rows[index] >> 32))
                && !entryIDs.forgotten.contains(UInt32(rows[index] & 0xffff_ffff))
        }
        forgottenCount += rows.count - kept.count
        rows = kept.map { rows[$0] }
        if !times.isEmpty { times = kept.map { times[$0] } }
    }

    /// Drops the reverse index before a large batch for an almost empty table.
    ///
    /// Rebuilding it once at the end is much faster.
    private func dropIndexIfWorthwhile() throws(Failure) {
        guard !isIndexDropped, rows.count >= 100_000 else { return }
        let enough = rows.count / 4
        let statement = try database.prepare("SELECT count(*) FROM (SELECT 1 FROM \(source.table) LIMIT \(enough))")
        guard try statement.step(), Int(statement.integer(0)) < enough else { return }
        statement.reset()
        try database.execute(source.dropIndex)
        isIndexDropped = true
    }

    /// Keeps one of several rows of a pair at the same time, as an answer if any of them is one.
    ///
    /// The rows are sorted by pair, and each has a time.
    private func mergeRepeated() {
        var (kept, start) = (0, 0)
        while start < rows.count {
            var end = start + 1
            while end < rows.count, rows[end] == rows[start] { end += 1 }
            times[start..<end].sort()
            for index in start..<end {
                // An answer comes after another row of the same time.
                if index > start, times[kept - 1] >> 1 == times[index] >> 1 {
                    times[kept - 1] = times[index]
                } else {
                    (rows[kept], times[kept]) = (rows[index], times[index])
                    kept += 1
                }
            }
            start = end
        }
        duplicates += rows.count - kept
        rows.removeLast(rows.count - kept)
        times.removeLast(times.count - kept)
    }

    private func write() throws(Failure) {
        let columns = (source.keyColumns + source.valueColumns.filter { !source.keyColumns.contains($0) })
        let value = source.answerColumn ?? source.timeColumn
        let upsert = try database.prepare(
            """
            INSERT INTO \(source.table) (\(columns.joined(separator: ", ")))
            VALUES (\(columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")))
            ON CONFLICT DO UPDATE SET \(value) = excluded.\(value)
            WHERE excluded.\(value) IS NOT NULL AND \(value) IS NOT excluded.\(value)
            """)
        if source.repeats { mergeRepeated() }
        try leaveOutRefused()
        let before = database.totalChanges
        let seenBefore = seenChanges
        for index in rows.indices {
            // The sort is stable, so the last of equal pairs wins. A known time is kept if the last pair has none.
            if !source.repeats, index + 1 < rows.count, rows[index] == rows[index + 1] {
                if !times.isEmpty, times[index + 1] == Self.noTime { times[index + 1] = times[index] }
                duplicates += 1
                continue
            }
            let (row, entry) = (Int64(rows[index] >> 32), Int64(rows[index] & 0xffff_ffff))
            let stamp = times.isEmpty || times[index] == Self.noTime ? nil : times[index]
            let time = stamp.map { $0 >> 1 }
            if source.repeats { upsert.bind((stamp ?? 0) & 1, at: 4) }
            try upsert.run(row, entry, time)
            if let seen {
                let changes = database.totalChanges
                seen.bind(row, at: 1)
                seen.bind(entry, at: 2)
                if source.repeats { seen.bind(time, at: 3) }
                try seen.run()
                seenChanges += database.totalChanges - changes
            }
            if index & 0xffff == 0 { progress("writing", index) }
        }
        written += Int(database.totalChanges - before - (seenChanges - seenBefore))
    }

    /// Takes away the times that are refused, now or in an earlier import.
    private func leaveOutRefused() throws(Failure) {
        guard let refusedTimes else { return }
        for index in times.indices where times[index] != Self.noTime {
            let (row, entry, time) = (Int64(rows[index] >> 32), Int64(rows[index] & 0xffff_ffff), times[index] >> 1)
            if times[index] & 1 == 1 {
                try refusedTimes.note(time, row: row, entry: entry)
            } else if refusedTimes.areAny, try refusedTimes.contains(time, row: row, entry: entry) {
                findings.note(.refusedTimes, of: source.timeColumn)
            } else {
                continue
            }
            times[index] = Self.noTime
        }
    }

    /// Rebuilds the reverse index if it was dropped.
    func finish() throws(Failure) {
        guard isIndexDropped else { return }
        progress("indexing", 0)
        try database.execute(source.createIndex)
        isIndexDropped = false
    }
}

/// The ids of one side of the pairs of a batch: those of groups, users or photos.
private struct PairSide {
    let table: EntityTable
    private let resolver: IdentifierResolver
    var cache = IdentifierCache()
    private var firstResolved = 0
    /// The slots of members who were forgotten.
    private(set) var forgotten: Set<UInt32> = []
    /// The slots of suspicious ids.
    private(set) var doubtful: [UInt32: ImportFinding.Kind] = [:]
    /// The slots of the batch that got no key.
    private(set) var unknown: Set<UInt32> = []

    init(_ table: EntityTable, _ database: Database, isStrict: Bool) throws(Failure) {
        self.table = table
        resolver = try IdentifierResolver(table, database, isStrict: isStrict)
    }

    /// The number of rows that were created.
    var createdCount: Int { resolver.createdCount }

    /// Finds or makes the keys of the ids that came since the last time.
    mutating func resolve(_ members: ForgottenIDs, progress: (Int) -> Void) throws(Failure) {
        unknown = []
        for (done, slot) in cache.unresolved(from: firstResolved).enumerated() {
            if done & 0xffff == 0 { progress(done) }
            doubtful[slot] = cache.doubt(slot)
            if table == .users, try members.contains(cache.id(slot)) {
                forgotten.insert(slot)
            } else if let key = try resolver.key(of: cache.id(slot)) {
                cache.setKey(UInt32(key), of: slot)
            } else {
                unknown.insert(slot)
            }
        }
        firstResolved = cache.count
    }

    /// Forgets all slots, to free their memory.
    mutating func empty() {
        cache = IdentifierCache()
        firstResolved = 0
        forgotten = []
        doubtful = [:]
    }
}

/// The times of pairs that imports refused because they were ahead of the clock, in a table of their own.
///
/// The same row comes again with the next file, when its time may have passed. Without these notes it would then win
/// over what the member did in between, such as leaving. A pair may be noted that does not hold.
private final class RefusedTimes {
    private let select: Statement
    private let insert: Statement
    /// Whether the table has any row.
    private(set) var areAny: Bool

    /// Prepares the table of a relation; nil for one whose pairs have several times, where each must be known.
    init?(_ source: RelationSource, _ database: Database) throws(Failure) {
        guard let table = source.refusedTable else { return nil }
        let (row, entry, time) = (source.rowColumn, source.entryColumn, source.timeColumn)
        select = try database.prepare(
            "SELECT 1 FROM \(table) WHERE \(row) = ? AND \(entry) = ? AND \(time) = ?")
        insert = try database.prepare(
            """
            INSERT INTO \(table) (\(row), \(entry), \(time)) VALUES (?, ?, ?)
            ON CONFLICT DO UPDATE SET \(time) = excluded.\(time) WHERE \(time) <> excluded.\(time)
            """)
        areAny = try database.integer("SELECT EXISTS (SELECT 1 FROM \(table))") == 1
    }

    func note(_ time: Int64, row: Int64, entry: Int64) throws(Failure) {
        try insert.run(row, entry, time)
        areAny = true
    }

    func contains(_ time: Int64, row: Int64, entry: Int64) throws(Failure) -> Bool {
        select.bind(row, at: 1)
        select.bind(entry, at: 2)
        select.bind(time, at: 3)
        defer { select.reset() }
        return try select.step()
    }
}

/// Sorts keys in ascending order and moves a payload along; the sort is stable.
///
/// This is a radix sort: least significant digit first, 11 bits at a time. Digits that are equal in all keys are
/// skipped.
///
/// - Parameter payload: As many values as there are keys, or none.
/// - Complexity: O(keys) time, and the same memory again.
func radixSort(_ keys: inout [UInt64], payload: inout [Int64]) {
    let bits = 11
    let size = 1 << bits
    let hasPayload = !payload.isEmpty
    var varying: UInt64 = 0
    for key in keys { varying |= key ^ keys[0] }
    var otherKeys = [UInt64](repeating: 0, count: keys.count)
    var otherPayload = [Int64](repeating: 0, count: payload.count)
    for shift in stride(from: 0, to: 64, by: bits) where (varying >> UInt64(shift)) & UInt64(size - 1) != 0 {
        var starts = [Int](repeating: 0, count: size)
        for key in keys { starts[Int(truncatingIfNeeded: key >> UInt64(shift)) & (size - 1)] += 1 }
        var sum = 0
        for digit in 0..<size { (starts[digit], sum) = (sum, sum + starts[digit]) }
        for index in keys.indices {
            let digit = Int(truncatingIfNeeded: keys[index] >> UInt64(shift)) & (size - 1)
            otherKeys[starts[digit]] = keys[index]
            if hasPayload { otherPayload[starts[digit]] = payload[index] }
            starts[digit] += 1
        }
        swap(&keys, &otherKeys)
        swap(&payload, &otherPayload)
    }
}
