package import Basics
package import Model
import Synchronization

extension TableSnapshot {
    package func matrix(
        _ source: RelationSource, keeping window: ActivityWindow?,
        progress: @escaping @Sendable (_ rows: Int) -> Void
    ) throws(Failure) -> MatrixReading {
        let rows = TableRows(self, source)
        let rowOfGroup =
            source.rows == .groups ? numbers.rowOfGroup : (0..<numbers.columnCount).map { Int32($0) }
        let plan = MatrixPlan(
            source, rowOfGroup: rowOfGroup, columnCount: rows.columnCount, hasTimes: rows.hasTimes)
        let window = plan.hasTimes ? window : nil
        let tableGroups = rows.tableGroups(of: plan.ranges)
        let rowsRead = Atomic<Int>(0)
        let unknown = Atomic<Int>(0)
        let parts = try snapshot.readParts(plan.ranges.count) { _, number throws(Failure) in
            var part = MatrixPart(plan, number, window)
            let leftOut = try rows.read(tableGroups[number], in: plan.ranges[number]) { group, entry in
                part.add(group: Int(group), entry: Int(entry.column), time: entry.time, plan)
            }
            part.end(plan)
            guard part.isInOrder else { throw rows.disorder }
            unknown.add(leftOut, ordering: .relaxed)
            progress(rowsRead.add(part.rowsRead, ordering: .relaxed).newValue)
            return part
        }
        var reading = try plan.assemble(parts, window)
        let before = folder.manifest.leftOut[source.table] ?? .init()
        reading.entriesOfPrivateGroups += before.ofPrivateGroups + unknown.load(ordering: .relaxed)
        reading.entriesOfPrivatePhotos += before.ofPrivatePhotos
        return reading
    }

    /// The most memberships that a thread keeps in memory at a time, on average.
    private static let membershipsPerPart = 4 << 20

    /// Reads the memberships of all users.
    ///
    /// The tables are in the order of the groups, so all of them are read for each part of the users.
    package func memberships<Part: Sendable>(
        _ source: RelationSource, _ make: @Sendable (UserMemberships) throws(Failure) -> Part
    ) throws(Failure) -> [Part] {
        let (rows, numbers) = (TableRows(self, source), numbers)
        let groups = 0..<UInt32(numbers.groupOfTable.count)
        let parts = max(1, min(64, rowCount(source) / Self.membershipsPerPart))
        let width = max(1, (numbers.columnCount + parts - 1) / parts)
        return try snapshot.readParts((numbers.columnCount + width - 1) / width) { _, number throws(Failure) in
            let users = number * width..<min((number + 1) * width, numbers.columnCount)
            var found: [UserMemberships.Membership] = []
            _ = try rows.read(groups, in: 0..<numbers.rowOfGroup.count) { group, entry in
                let row = numbers.rowOfGroup[Int(group)]
                guard row >= 0, users.contains(Int(entry.column)) else { return }
                found.append(.init(user: entry.column, group: UInt32(row), seconds: entry.time))
            }
            return try make(UserMemberships(of: users, found))
        }
    }
}

/// The entries of a relation in a folder of tables, with later joins and leaves.
private struct TableRows: Sendable {
    private let path: String
    private let table: String
    private let parts: [TablePart]
    private let numbers: TableNumbers
    private let areUsers: Bool
    /// Whether the rows are users; they have the same numbers in the tables and in matrices.
    private let haveUsers: Bool
    /// The number of rows that the tables may name.
    private let rowCount: Int
    /// The groups with later joins or leaves, ascending; empty for a relation other than memberships.
    private let settledGroups: [UInt32]
    let columnCount: Int
    let hasTimes: Bool

    init(_ tables: TableSnapshot, _ source: RelationSource) {
        path = tables.folder.path
        table = source.table
        parts = tables.folder[source.table]
        numbers = tables.numbers
        areUsers = source.entityTable == .users
        haveUsers = source.rows == .users
        rowCount = haveUsers ? tables.folder.manifest.rowCount("users") : tables.numbers.groupOfTable.count
        settledGroups = source.table == RelationSource.memberships.table ? numbers.settled.keys.sorted() : []
        columnCount = areUsers ? numbers.columnCount : tables.folder.manifest.rowCount(source.entityTable.rawValue)
        hasTimes = !settledGroups.isEmpty || parts.contains { $0.has("time") }
    }

    var disorder: Failure {
        Failure(
            .badData, "the table \(table) in \(path) is out of order or bounds: rows ascend by group and entry")
    }

    /// Returns, for each range of the catalog's groups, the numbers of these groups in the tables.
    func tableGroups(of ranges: [Range<Int>]) -> [Range<UInt32>] {
        if haveUsers {
            return ranges.map { UInt32(min($0.lowerBound, rowCount))..<UInt32(min($0.upperBound, rowCount)) }
        }
        var found: [Range<UInt32>] = []
        var next: UInt32 = 0
        for range in ranges {
            let first = next
            let isLast = range.upperBound == ranges.last?.upperBound
            while next < numbers.groupOfTable.count,
                isLast || Int(numbers.groupOfTable[Int(next)]) < range.upperBound
            {
                next += 1
            }
            found.append(first..<next)
        }
        return found
    }

    /// Reads the rows of some groups of the tables.
    ///
    /// - Parameter add: receives each entry, with the number of its group in the catalog.
    /// - Returns: the number of rows of groups that the catalog does not have.
    func read(_ groups: Range<UInt32>, in range: Range<Int>, _ add: SettlingWriter.Sink) throws(Failure) -> Int {
        var writer = SettlingWriter(settledGroups, numbers.settled, in: range)
        var unknown = 0
        for table in parts {
            let isInBounds = table.withColumn("group", of: UInt32.self) { groupColumn in
                table.withColumn("entry", of: UInt32.self) { entries in
                    table.withColumn("time", of: Int64.self) { times in
                        let rows =
                            lowerBound(
                                groups.lowerBound, groupColumn)..<lowerBound(
                                groups.upperBound, groupColumn)
                        for row in rows {
                            guard groups.contains(groupColumn[row]) else { return false }
                            let group =
                                haveUsers ? groupColumn[row] : numbers.groupOfTable[Int(groupColumn[row])]
                            guard haveUsers || group > 0 else {
                                unknown += 1
                                continue
                            }
                            if haveUsers, numbers.isForgotten.contains(Int(group)) { continue }
                            if areUsers, numbers.isForgotten.contains(Int(entries[row])) { continue }
                            let time = times.isEmpty || times[row] == .min ? nil : times[row]
                            writer.add(TableEntry(column: entries[row], time: time), of: group, add)
                        }
                        return lowerBound(.max, groupColumn)
                            == lowerBound(
                                UInt32(rowCount), groupColumn)
                    }
                }
            }
            guard isInBounds else { throw disorder }
        }
        writer.finish(add)
        return unknown
    }

    /// Returns the first row whose group is at or after a number.
    private func lowerBound(_ group: UInt32, _ column: Span<UInt32>) -> Int {
        column.indices.partitioningIndex { column[$0] >= group }
    }
}

/// Passes entries on in their order, merged with later joins and leaves of these groups.
private struct SettlingWriter {
    /// A function that takes an entry, and the number of its group in the catalog.
    typealias Sink = (_ group: UInt32, _ entry: TableEntry) -> Void

    private let settled: [UInt32: [SettledMembership]]
    private var groups: ArraySlice<UInt32>
    /// The remaining joins and leaves of the first of the groups.
    private var pending: ArraySlice<SettledMembership> = []

    init(_ groups: [UInt32], _ settled: [UInt32: [SettledMembership]], in range: Range<Int>) {
        self.settled = settled
        self.groups = groups.filter { range.contains(Int($0)) }[...]
        pending = self.groups.first.flatMap { settled[$0] }?[...] ?? []
    }

    mutating func add(_ entry: TableEntry, of group: UInt32, _ write: Sink) {
        settle(before: entry.column, of: group, write)
        guard let said = pending.first, groups.first == group, said.column == entry.column else {
            return write(group, entry)
        }
        pending.removeFirst()
        if let left = said.settle(entry) { write(group, left) }
    }

    /// Passes on the memberships after the last entry.
    mutating func finish(_ write: Sink) { settle(before: .max, of: .max, write) }

    /// Passes on new memberships up to a column of a group.
    private mutating func settle(before column: UInt32, of group: UInt32, _ write: Sink) {
        while let first = groups.first, first <= group {
            while let said = pending.first, first < group || said.column < column {
                pending.removeFirst()
                if let joined = said.settle(nil) { write(first, joined) }
            }
            guard first < group else { return }
            groups.removeFirst()
            pending = groups.first.flatMap { settled[$0] }?[...] ?? []
        }
    }
}
