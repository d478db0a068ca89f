import Model
import SQLite

/// A writer of the entries of a relation, in sorted batches.
///
/// The writer gathers a batch, resolves its ids to keys, and writes the rows in the table's order. Rows in random order
/// would each touch another page of the table. Sorted rows fill page after page.
final class RelationshipWriter {
    private let source: RelationSource
    private let database: Database
    private let groups: IdentifierResolver
    private let entries: IdentifierResolver
    private var groupIDs = IdentifierCache()
    private var entryIDs = IdentifierCache()
    private var rows: [UInt64] = []  // group slot, entry slot
    private var times: [Int64] = []  // empty while no row of the batch has one
    private var firstResolved = (group: 0, entry: 0)
    private var isIndexDropped = false
    private let identifierBytes: Int
    private let seen: Statement?
    private let forgotten: ForgottenIDs
    /// The slots of members who were forgotten.
    private var forgottenSlots: Set<UInt32> = []
    /// The slots of suspicious ids.
    private var doubtfulSlots: (groups: [UInt32: IDDoubt], entries: [UInt32: IDDoubt]) = ([:], [:])
    private(set) var doubtfulIDs = DoubtfulIDs()
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

    static let noTime = Int64.min

    /// Creates a writer.
    ///
    /// For a replacing import, it notes every pair in the temporary table `seen`.
    init(_ source: RelationSource, _ database: Database, options: ImportOptions) throws(CatalogError) {
        self.source = source
        self.database = database
        identifierBytes = options.identifierBytes
        let isStrict = options.isStrict
        let replaces = options.replaces
        (forgotten, groups, entries, seen) = try wrapping { () throws(DatabaseError) in
            if replaces {
                try database.execute(
                    """
                    DROP TABLE IF EXISTS temp.seen;
                    CREATE TEMP TABLE seen (group_key INTEGER, entry_key INTEGER, PRIMARY KEY (group_key, entry_key))
                    WITHOUT ROWID
                    """)
            }
            return (
                try ForgottenIDs(database, readmits: options.readmits),
                try IdentifierResolver(.groups, database, isStrict: isStrict),
                try IdentifierResolver(source.entityTable, database, isStrict: isStrict),
                replaces ? try database.prepare("INSERT INTO temp.seen VALUES (?, ?) ON CONFLICT DO NOTHING") : nil
            )
        }
    }

    var pendingCount: Int { rows.count }

    /// The numbers of groups, and of users or photos, that were created.
    var created: [String: Int] {
        ["groups": groups.createdCount, source.entityTable.rawValue: entries.createdCount]
    }

    /// Adds a row to the batch.
    func add(groupID: Span<UInt8>, entryID: Span<UInt8>, time: Int64?) {
        rows.append(UInt64(groupIDs.slot(of: groupID)) << 32 | UInt64(entryIDs.slot(of: entryID)))
        if let time {
            hasTimes = true
            if times.isEmpty { times = [Int64](repeating: Self.noTime, count: rows.count - 1) }
            times.append(time)
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
    func flush() throws(DatabaseError) -> (row: Int, id: String)? {
        if let unknown = try resolve() { return unknown }
        countDoubtful()
        leaveOutForgotten()
        for index in rows.indices {
            let row = rows[index]
            let group = groupIDs.keys[Int(row >> 32)]
            rows[index] = UInt64(group) << 32 | UInt64(entryIDs.keys[Int(row & 0xffff_ffff)])
        }
        try dropIndexIfWorthwhile()
        radixSort(&rows, payload: &times)
        try write()
        rows.removeAll(keepingCapacity: true)
        times.removeAll(keepingCapacity: true)
        if groupIDs.byteCount + entryIDs.byteCount > identifierBytes || groupIDs.isNearlyFull || entryIDs.isNearlyFull {
            groupIDs = IdentifierCache()
            entryIDs = IdentifierCache()
            forgottenSlots = []
            doubtfulSlots = ([:], [:])
        }
        firstResolved = (groupIDs.count, entryIDs.count)
        return nil
    }

    private func resolve() throws(DatabaseError) -> (row: Int, id: String)? {
        var unknownGroups: Set<UInt32> = []
        var unknownEntries: Set<UInt32> = []
        for slot in groupIDs.unresolved(from: firstResolved.group) {
            doubtfulSlots.groups[slot] = groupIDs.doubt(slot)
            guard let key = try groups.key(of: groupIDs.id(slot)) else {
                unknownGroups.insert(slot)
                continue
            }
            groupIDs.setKey(UInt32(key), of: slot)
        }
        for (done, slot) in entryIDs.unresolved(from: firstResolved.entry).enumerated() {
            if done & 0xffff == 0 { progress("finding ids", done) }
            doubtfulSlots.entries[slot] = entryIDs.doubt(slot)
            if source.entityTable == .users, try forgotten.contains(entryIDs.id(slot)) {
                forgottenSlots.insert(slot)
                continue
            }
            guard let key = try entries.key(of: entryIDs.id(slot)) else {
                unknownEntries.insert(slot)
                continue
            }
            entryIDs.setKey(UInt32(key), of: slot)
        }
        guard !unknownGroups.isEmpty || !unknownEntries.isEmpty else { return nil }
        for (index, row) in rows.enumerated() {
            let (group, entry) = (UInt32(row >> 32), UInt32(row & 0xffff_ffff))
            if unknownGroups.contains(group) { return (index, "group \(groupIDs.id(group))") }
            if unknownEntries.contains(entry) { return (index, "\(source.entityTable.singular) \(entryIDs.id(entry))") }
        }
        return nil
    }

    /// Counts the rows of the batch with suspicious ids.
    private func countDoubtful() {
        guard !doubtfulSlots.groups.isEmpty || !doubtfulSlots.entries.isEmpty else { return }
        for row in rows {
            let (group, entry) = (UInt32(row >> 32), UInt32(row & 0xffff_ffff))
            if let doubt = doubtfulSlots.groups[group] { doubtfulIDs.note(doubt, groupIDs.id(group)) }
            if let doubt = doubtfulSlots.entries[entry] { doubtfulIDs.note(doubt, entryIDs.id(entry)) }
        }
    }

    /// Removes the rows of forgotten members from the batch.
    private func leaveOutForgotten() {
        guard !forgottenSlots.isEmpty else { return }
        let kept = rows.indices.filter { !forgottenSlots.contains(UInt32(rows[$0] & 0xffff_ffff)) }
        forgottenCount += rows.count - kept.count
        rows = kept.map { rows[$0] }
        if !times.isEmpty { times = kept.map { times[$0] } }
    }

    /// Drops the reverse index before a large batch for an almost empty table.
    ///
    /// Rebuilding it once at the end is much faster.
    private func dropIndexIfWorthwhile() throws(DatabaseError) {
        guard !isIndexDropped, rows.count >= 100_000 else { return }
        let enough = rows.count / 4
        let statement = try database.prepare("SELECT count(*) FROM (SELECT 1 FROM \(source.table) LIMIT \(enough))")
        guard try statement.step(), Int(statement.integer(0)) < enough else { return }
        statement.reset()
        try database.execute(source.dropIndex)
        isIndexDropped = true
    }

    private func write() throws(DatabaseError) {
        let timeColumn = source.timeColumn
        let upsert = try database.prepare(
            """
            INSERT INTO \(source.table) (group_key, \(source.entryColumn), \(timeColumn)) VALUES (?, ?, ?)
            ON CONFLICT DO UPDATE SET \(timeColumn) = excluded.\(timeColumn)
            WHERE excluded.\(timeColumn) IS NOT NULL AND \(timeColumn) IS NOT excluded.\(timeColumn)
            """)
        let before = database.totalChanges
        let seenBefore = seenChanges
        for index in rows.indices {
            // The sort is stable, so the last of equal pairs wins. A known time is kept if the last pair has none.
            if index + 1 < rows.count, rows[index] == rows[index + 1] {
                if !times.isEmpty, times[index + 1] == Self.noTime { times[index + 1] = times[index] }
                duplicates += 1
                continue
            }
            let (group, entry) = (Int64(rows[index] >> 32), Int64(rows[index] & 0xffff_ffff))
            let time = times.isEmpty || times[index] == Self.noTime ? nil : times[index]
            try upsert.run(group, entry, time)
            if let seen {
                let changes = database.totalChanges
                seen.bind(group, at: 1)
                seen.bind(entry, at: 2)
                try seen.run()
                seenChanges += database.totalChanges - changes
            }
            if index & 0xffff == 0 { progress("writing", index) }
        }
        written += Int(database.totalChanges - before - (seenChanges - seenBefore))
    }

    /// Rebuilds the reverse index if it was dropped.
    func finish() throws(DatabaseError) {
        guard isIndexDropped else { return }
        progress("indexing", 0)
        try database.execute(source.createIndex)
        isIndexDropped = false
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
