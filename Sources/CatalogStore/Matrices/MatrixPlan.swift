import Basics
import Model
import SQLite
import Similarity

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
