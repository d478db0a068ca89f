import Synchronization

/// For each column of a matrix, the day of its earliest entry, in days since 1970: since when a member is in groups.
struct FirstDays: Sendable {
    /// By column; `none` if it has no entry.
    private(set) var days: [UInt16]

    static let none = UInt16.max

    init(columnCount: Int) { days = [UInt16](repeating: Self.none, count: columnCount) }

    /// Notes entries; one without a time is older than any other, and one later than the 65,534th day counts as that.
    ///
    /// - Parameter entries: with columns below the number of columns.
    mutating func note(_ entries: [MatrixPart.Entry]) {
        var days = days.mutableSpan
        for entry in entries {
            let time = entry.time == MatrixPart.Entry.noTime ? 0 : entry.time
            let day = UInt16(truncatingIfNeeded: min(max(0, time / 86_400), Int64(Self.none) - 1))
            // Written whether it is earlier or not, which cannot be predicted.
            days[Int(entry.column)] = min(days[Int(entry.column)], day)
        }
    }

    /// Takes the earlier of both.
    fileprivate mutating func merge(_ other: FirstDays) {
        for column in days.indices where other.days[column] < days[column] { days[column] = other.days[column] }
    }
}

/// Tables that threads fill, one at a time, while parts of a matrix are read; there are as many as threads.
final class FirstDaysPool: Sendable {
    private let columnCount: Int
    private let idle = Mutex<[FirstDays]>([])

    init(columnCount: Int) { self.columnCount = columnCount }

    /// A table that nobody else fills.
    func take() -> FirstDays { idle.withLock { $0.popLast() } ?? FirstDays(columnCount: columnCount) }

    /// Gives a table back.
    func give(_ table: FirstDays) { idle.withLock { $0.append(table) } }

    /// What all threads found, by column.
    var merged: [UInt16] {
        let tables = idle.withLock { $0 }
        var merged = tables.first ?? FirstDays(columnCount: columnCount)
        for table in tables.dropFirst() { merged.merge(table) }
        return merged.days
    }
}
