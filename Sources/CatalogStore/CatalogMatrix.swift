package import Basics
package import Model
import SQLite
package import Similarity
import Synchronization

extension CatalogSnapshot {
    /// Reads a matrix.
    ///
    /// - Parameters:
    ///   - window: the dates to keep, or `nil` for none.
    ///   - progress: a function that receives the number of rows read so far, from any thread.
    /// - Throws: `Failure.Code.badData` if the rows cannot have been written like this.
    package func matrix(
        _ source: RelationSource, keeping window: ActivityWindow? = nil,
        progress: @escaping @Sendable (_ rows: Int) -> Void
    ) throws(Failure) -> MatrixReading {
        let plan = try MatrixPlan(catalog, source, groups: groups())
        let window = plan.hasTimes ? window : nil
        let rowsRead = Atomic<Int>(0)
        let parts = try readParts(plan.ranges.count) { catalog, number throws(Failure) in
            let part = try catalog.readPart(plan, number, window)
            progress(rowsRead.add(part.rowsRead, ordering: .relaxed).newValue)
            return part
        }
        try database.checkCount(parts.reduce(0) { $0 + $1.rowsRead }, of: source.table)
        return try plan.assemble(parts, window)
    }
}

extension Facts {
    fileprivate func readPart(_ plan: MatrixPlan, _ index: Int, _ window: ActivityWindow?)
        throws(Failure) -> MatrixPart
    {
        var part = MatrixPart(plan, index, window)
        let source = plan.source
        // An additional column that is always empty would cost a quarter of the reading time.
        let times = plan.hasTimes ? ", \(source.timeColumn)" : ""
        let rows = try database.prepare(
            """
            SELECT \(source.rowColumn), \(source.entryColumn)\(times) FROM \(source.table)
            WHERE \(source.rowColumn) BETWEEN ? AND ? ORDER BY \(source.rowColumn), \(source.entryColumn)
            """, part.range.lowerBound, Int64(part.range.upperBound - 1))
        if plan.hasTimes {
            try rows.forEachIntegerTriple { group, entry, time in
                part.add(group: Int(group), entry: Int(entry), time: time, plan)
            }
        } else {
            try rows.forEachIntegerPair { group, entry in
                part.add(group: Int(group), entry: Int(entry), time: nil, plan)
            }
        }
        part.end(plan)
        guard part.isInOrder else {
            throw .damaged("the rows of the table \(source.table) are out of order or bounds")
        }
        return part
    }
}

/// The ranges of group keys that are read one at a time, and the row of each group.
struct MatrixPlan: Sendable {
    let source: RelationSource
    /// The row by group key, or −1 if the group is not shown or does not exist; for users, a row for each key.
    let rowOfGroup: [Int32]
    let rowCount: Int
    let columnCount: Int
    /// Whether any row of the table may have a time.
    let hasTimes: Bool
    /// The keys of private photos, or `nil` if there are none.
    let isPrivatePhoto: BitSet?
    let ranges: [Range<Int>]

    init(_ catalog: Facts, _ source: RelationSource, groups: [GroupRecord]) throws(Failure) {
        self.source = source
        switch source.rows {
        case .groups:
            var rowOfGroup = [Int32](repeating: -1, count: Int(groups.map(\.key).max() ?? 0) + 1)
            var rowCount = 0
            for group in groups where group.isShown {
                rowOfGroup[Int(group.key)] = Int32(rowCount)
                rowCount += 1
            }
            self.rowOfGroup = rowOfGroup
            self.rowCount = rowCount
        case .users:
            rowCount = try catalog.database.highestKey(of: .users) + 1
            rowOfGroup = (0..<rowCount).map { Int32($0) }
        }
        let columnCount = try catalog.database.highestKey(of: source.entityTable) + 1
        self.columnCount = columnCount
        (hasTimes, isPrivatePhoto) = (
            try source.notedTime.hasValues(in: catalog.database),
            source.entityTable.hasVisibility ? try Self.privatePhotos(catalog, count: columnCount) : nil
        )
        ranges = Self.ranges(rowOfGroup.count)
    }

    /// Creates a plan for entries from outside the catalog, without entries of private photos.
    init(_ source: RelationSource, rowOfGroup: [Int32], columnCount: Int, hasTimes: Bool) {
        self.source = source
        self.rowOfGroup = rowOfGroup
        rowCount = rowOfGroup.count { $0 >= 0 }
        self.columnCount = columnCount
        self.hasTimes = hasTimes
        isPrivatePhoto = nil
        ranges = Self.ranges(rowOfGroup.count)
    }

    /// Returns many small ranges, so that threads end together and progress is even.
    private static func ranges(_ count: Int) -> [Range<Int>] {
        let width = max(1, count / 512)
        return stride(from: 0, to: count, by: width).map { $0..<min($0 + width, count) }
    }

    private static func privatePhotos(_ catalog: Facts, count: Int) throws(Failure) -> BitSet? {
        let rows = try catalog.database.prepare("SELECT photo_key FROM photos WHERE visibility <> 0")
        guard try rows.step() else { return nil }
        var hidden = BitSet(count: count)
        repeat {
            let key = Int(rows.integer(0))
            if (0..<count).contains(key) { hidden.insert(key) }
        } while try rows.step()
        return hidden
    }

    /// Joins the parts in the order of the rows.
    ///
    /// - Parameters:
    ///   - parts: the parts, in any order.
    ///   - window: the window of dates that were kept, or `nil` for none.
    func assemble(_ parts: [MatrixPart], _ window: ActivityWindow?) throws(Failure) -> MatrixReading {
        var offsets = [Int](repeating: 0, count: rowCount + 1)
        for part in parts { part.forEachRow { row, entries in offsets[row + 1] = entries.count } }
        for row in 0..<rowCount { offsets[row + 1] += offsets[row] }
        let total = offsets[rowCount]
        let entries = unsafe [UInt32](unsafeUninitializedCapacity: total) { buffer, initializedCount in
            for part in parts {
                part.forEachRow { row, entries in
                    let target = unsafe UnsafeMutableBufferPointer(rebasing: buffer[offsets[row]...])
                    _ = unsafe target.initialize(from: entries)
                }
            }
            initializedCount = total
        }
        do {
            let events = window.map { GroupEvents(GroupEventLog(parts.compactMap(\.events), $0), rowCount: rowCount) }
            return MatrixReading(
                matrix: try BinaryMatrix(columnCount: columnCount, rowOffsets: offsets, columnIndices: entries),
                entriesOfPrivateGroups: parts.reduce(0) { $0 + $1.entriesOfPrivateGroups },
                entriesOfPrivatePhotos: parts.reduce(0) { $0 + $1.entriesOfPrivatePhotos },
                dates: parts.reduce(EventDates()) { $0.union($1.dates) },
                events: events)
        } catch {
            throw .damaged("the table \(source.table): \(error)")
        }
    }
}

/// The rows of one range of group keys.
struct MatrixPart: Sendable {
    /// A row of the table.
    struct Entry {
        let row: Int32
        let column: UInt32
        /// The time in Unix seconds, or `noTime`.
        let time: Int64

        /// The mark of an unknown time.
        static let noTime = Int64.min
    }

    private static let waitingLimit = 128

    let range: Range<Int>
    /// The rows in the order of their groups' keys, with the start of their entries.
    private var rows: [(row: Int32, start: Int)] = []
    private var entries: [UInt32] = []
    private var lastRow: Int32 = -1
    private(set) var rowsRead = 0
    private(set) var entriesOfPrivateGroups = 0
    private(set) var entriesOfPrivatePhotos = 0
    private(set) var dates = EventDates()
    /// The log of dates, or `nil` if no dates are kept.
    private(set) var events: GroupEventLog?
    /// The rows that were added but not processed yet.
    private var waiting: [Entry] = []
    private var lastGroup = 0
    /// Whether the groups ascend within the range and all entries are within bounds.
    ///
    /// The order of a group's entries is checked later.
    private(set) var isInOrder = true

    /// Creates a part without rows.
    ///
    /// - Parameters:
    ///   - index: the index of the range in the plan.
    ///   - window: the window of dates to keep, or `nil` for none.
    init(_ plan: MatrixPlan, _ index: Int, _ window: ActivityWindow?) {
        range = plan.ranges[index]
        events = window.map(GroupEventLog.init)
    }

    /// Adds a row of the table; the rows of a group are adjacent.
    mutating func add(group: Int, entry: Int, time: Int64?, _ plan: MatrixPlan) {
        rowsRead += 1
        guard entry >= 0, entry < plan.columnCount else {
            isInOrder = false
            return
        }
        if group != lastGroup {
            guard group > lastGroup, range.contains(group) else {
                isInOrder = false
                return
            }
            lastGroup = group
        }
        let row = plan.rowOfGroup[group]
        guard row >= 0 else {
            entriesOfPrivateGroups += 1
            return
        }
        waiting.append(Entry(row: row, column: UInt32(clamping: entry), time: time ?? Entry.noTime))
        if waiting.count == Self.waitingLimit { takeWaiting(plan) }
    }

    /// Processes the waiting rows.
    ///
    /// The data about their columns is scattered over memory. Looking up many columns at once lets the memory accesses
    /// overlap.
    private mutating func takeWaiting(_ plan: MatrixPlan) {
        if let isPrivatePhoto = plan.isPrivatePhoto {
            let count = waiting.count
            waiting.removeAll { isPrivatePhoto.contains(Int($0.column)) }
            entriesOfPrivatePhotos += count - waiting.count
        }
        for entry in waiting {
            if lastRow != entry.row {
                endRow()
                rows.append((entry.row, entries.count))
                lastRow = entry.row
            }
            if UnixTime.bounds.contains(entry.time) {
                dates.note(entry.time)
                events?.add(entry: entry.column, time: entry.time)
            }
            // A pair that repeats is one entry of the matrix.
            if plan.source.repeats, entries.count > rows[rows.count - 1].start, entries.last == entry.column {
                continue
            }
            entries.append(entry.column)
        }
        waiting.removeAll(keepingCapacity: true)
    }

    mutating func end(_ plan: MatrixPlan) {
        takeWaiting(plan)
        endRow()
    }

    /// Ends the row to which entries were added last.
    private mutating func endRow() { if lastRow >= 0 { events?.end(row: Int(lastRow)) } }

    /// Calls `body` with each row and its entries.
    func forEachRow(_ body: (_ row: Int, _ entries: ArraySlice<UInt32>) -> Void) {
        for (index, row) in rows.enumerated() {
            let end = index + 1 < rows.count ? rows[index + 1].start : entries.count
            body(Int(row.row), entries[row.start..<end])
        }
    }
}

/// A matrix, groups × users or groups × photos, with counts of the entries that were left out.
package struct MatrixReading: Sendable {
    /// The matrix, with a row for each shown group in ascending order of the bytes of the external ids.
    ///
    /// The columns are numbers of users or photos, which are valid in this snapshot only.
    package var matrix: BinaryMatrix
    /// The number of entries left out because the group is private or hidden.
    package var entriesOfPrivateGroups: Int
    /// The number of entries of shown groups left out because the photo is private.
    package var entriesOfPrivatePhotos: Int
    /// The known dates of the entries.
    package var dates: EventDates
    /// The kept dates, or `nil` if none were asked for or known.
    package var events: GroupEvents?
}

/// The dates of memberships or of entries of pools.
package struct EventDates: Sendable, Equatable {
    /// The number of entries with a date.
    package private(set) var count = 0
    /// The first and the last date, in Unix seconds, or `nil` if there are none.
    package private(set) var span: ClosedRange<Int64>?

    package init() {}

    mutating func note(_ time: Int64) {
        count += 1
        guard let known = span else { return span = time...time }
        if !known.contains(time) { span = min(known.lowerBound, time)...max(known.upperBound, time) }
    }

    /// Returns the dates of both values together.
    package func union(_ other: EventDates) -> EventDates {
        var both = self
        both.count += other.count
        if let mine = span, let its = other.span {
            both.span = min(mine.lowerBound, its.lowerBound)...max(mine.upperBound, its.upperBound)
        } else {
            both.span = span ?? other.span
        }
        return both
    }
}

/// A set of small non-negative integers, one bit each.
struct BitSet: Sendable {
    private var words: [UInt64]

    /// Creates an empty set with memory for numbers below `count`.
    init(count: Int) { words = [UInt64](repeating: 0, count: (max(0, count) + 63) / 64) }

    /// Adds a number; the set grows as needed.
    mutating func insert(_ number: Int) {
        if number >> 6 >= words.count {
            words += [UInt64](repeating: 0, count: max(words.count, (number >> 6) + 1 - words.count))
        }
        words[number >> 6] |= 1 << UInt64(number & 63)
    }

    /// Whether the set contains a number.
    func contains(_ number: Int) -> Bool {
        number >= 0 && number >> 6 < words.count && words[number >> 6] & (1 << UInt64(number & 63)) != 0
    }
}
