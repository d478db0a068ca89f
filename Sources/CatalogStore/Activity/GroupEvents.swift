import CivilTime
import Synchronization

/// When entries were added to the shown groups, as far as an `ActivityWindow` kept it while their matrix was read.
public struct GroupEvents: Sendable {
    private var log: GroupEventLog
    private let rowCount: Int

    init(_ log: GroupEventLog, rowCount: Int) { (self.log, self.rowCount) = (log, rowCount) }

    /// Counts recent photos for the people who own them.
    ///
    /// - Parameter owners: by the photos' columns, a number for each owner; 0 stands for one who is not known. All
    ///   photos of unknown owners count as one person's.
    public mutating func attribute(to owners: [UInt32]) { log.attribute(to: owners) }

    /// Counts the activity of every row.
    ///
    /// - Parameter calendar: one that the window was made for.
    public func activity(in calendar: ActivityCalendar) -> ActivityReading {
        var reading = ActivityReading(rowCount: rowCount, in: calendar)
        var people: [UInt64] = []
        for (index, row) in log.rows.enumerated() {
            let firstMonth = row.row * calendar.months.count
            for month in calendar.months {
                let offset = month - row.firstMonth
                guard (0..<log.monthsOfRow).contains(offset) else { continue }
                reading.events[firstMonth + month - calendar.months.lowerBound] =
                    log.monthCounts[index * log.monthsOfRow + offset]
            }
            // People are counted in the recent weeks only; the week stands in the upper half, the person below.
            for event in log.recent(ofRow: index) {
                guard let week = calendar.week(of: row.recentAfter + Int64(event.seconds)) else { continue }
                people.append(UInt64(week) << 32 | UInt64(event.person))
            }
            people.sort()
            for (index, person) in people.enumerated() where index == 0 || people[index - 1] != person {
                reading.people[row.row * calendar.weekCount + Int(person >> 32)] += 1
            }
            people.removeAll(keepingCapacity: true)
        }
        return reading
    }
}

/// The activity of the shown groups by week and by month; rows are those of the matrices.
public struct ActivityReading: Sendable, Equatable {
    /// Rows × weeks, row by row, the latest week first: the different people who joined, or whose public photos were
    /// added.
    public internal(set) var people: [UInt32]
    /// Rows × months, row by row, the earliest first: memberships, or public photos in the pool.
    public internal(set) var events: [UInt32]

    /// No activity.
    public init(rowCount: Int, in calendar: ActivityCalendar) {
        people = [UInt32](repeating: 0, count: rowCount * calendar.weekCount)
        events = [UInt32](repeating: 0, count: rowCount * calendar.months.count)
    }
}

/// The dated entries of some rows of a matrix, as far as a window keeps them: counts by month, and recent ones singly.
struct GroupEventLog: Sendable {
    /// A row that has dates.
    struct Row: Sendable {
        let row: Int
        /// The first of its months, in months since January 1970.
        let firstMonth: Int
        /// Its recent events are later than this, in Unix seconds.
        let recentAfter: Int64
        /// Where its recent events begin.
        let firstRecent: Int
    }

    /// An event of the last weeks.
    struct Recent: Sendable {
        /// The entry's column, or who it is counted for.
        var person: UInt32
        /// Counted from `recentAfter` of the row; 1 or more.
        var seconds: UInt32
    }

    private let window: ActivityWindow
    private(set) var rows: [Row] = []
    /// Rows × months, row by row.
    private(set) var monthCounts: [UInt32] = []
    private(set) var recent: [Recent] = []
    /// The dated entries of the row that is being read.
    private var current: [(entry: UInt32, time: Int64)] = []
    private var months: MonthTable

    init(_ window: ActivityWindow) {
        self.window = window
        months = window.months
    }

    /// How many months a row has: those of the calendar, and the current one.
    var monthsOfRow: Int { window.monthCount + 1 }

    /// Adds an entry of the row that is being read; dates that no calendar has do not count.
    mutating func add(entry: UInt32, time: Int64) {
        if UnixTime.bounds.contains(time) { current.append((entry, time)) }
    }

    /// Ends a row.
    mutating func end(row: Int) {
        guard let last = current.lazy.map(\.time).max() else { return }
        let latest = window.latest(with: last)
        if !months.ends(with: latest) { months = window.months(endingWith: latest) }
        let recentAfter = latest - Int64(window.weekCount) * ActivityCalendar.weekSeconds
        rows.append(Row(row: row, firstMonth: months.first, recentAfter: recentAfter, firstRecent: recent.count))
        let start = monthCounts.count
        monthCounts.append(contentsOf: repeatElement(0, count: monthsOfRow))
        // What is later than the latest is beyond the window's end.
        for (entry, time) in current where time <= latest {
            if let month = months.index(of: time) { monthCounts[start + month] += 1 }
            if time > recentAfter { recent.append(Recent(person: entry, seconds: UInt32(time - recentAfter))) }
        }
        current.removeAll(keepingCapacity: true)
    }

    /// The rows of several logs in one.
    ///
    /// The logs of many small parts would keep the memory between them from being given back.
    init(_ logs: [GroupEventLog], _ window: ActivityWindow) {
        self.init(window)
        rows.reserveCapacity(logs.reduce(0) { $0 + $1.rows.count })
        monthCounts.reserveCapacity(logs.reduce(0) { $0 + $1.monthCounts.count })
        recent.reserveCapacity(logs.reduce(0) { $0 + $1.recent.count })
        for log in logs {
            let first = recent.count
            rows += log.rows.map { row in
                Row(
                    row: row.row, firstMonth: row.firstMonth, recentAfter: row.recentAfter,
                    firstRecent: first + row.firstRecent)
            }
            monthCounts += log.monthCounts
            recent += log.recent
        }
    }

    /// The recent events of a row by its index in `rows`.
    func recent(ofRow index: Int) -> ArraySlice<Recent> {
        recent[rows[index].firstRecent..<(index + 1 < rows.count ? rows[index + 1].firstRecent : recent.count)]
    }

    /// Counts recent events for other persons than their entries: those of a table, 0 beyond its end.
    mutating func attribute(to persons: [UInt32]) {
        for index in recent.indices {
            let entry = Int(recent[index].person)
            recent[index].person = entry < persons.count ? persons[entry] : 0
        }
    }
}

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
