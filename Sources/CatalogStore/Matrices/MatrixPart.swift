import Basics
import Model
package import Similarity
import SQLite

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

    /// Reads the part of a range of the plan.
    static func read(_ plan: MatrixPlan, _ index: Int, _ window: ActivityWindow?, from database: ReadingDatabase)
        throws(Failure) -> MatrixPart
    {
        var part = MatrixPart(plan, index, window)
        let source = plan.source
        // A column that nobody wants would cost a quarter of the reading time.
        let times = window != nil ? ", \(source.timeColumn)" : ""
        let rows = try database.prepare(
            """
            SELECT \(source.rowColumn), \(source.entryColumn)\(times) FROM \(source.table)
            WHERE \(source.rowColumn) BETWEEN ? AND ? ORDER BY \(source.rowColumn), \(source.entryColumn)
            """, part.range.lowerBound, Int64(part.range.upperBound - 1))
        if window != nil {
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
    /// The known dates of the entries, if dates were to be kept.
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

    func contains(_ number: Int) -> Bool {
        number >= 0 && number >> 6 < words.count && words[number >> 6] & (1 << UInt64(number & 63)) != 0
    }
}
