import Basics

/// The dates of the entries of the shown groups, as far as an `ActivityWindow` kept them.
package struct GroupEvents: Sendable {
    private var log: GroupEventLog
    private let rowCount: Int

    init(_ log: GroupEventLog, rowCount: Int) { (self.log, self.rowCount) = (log, rowCount) }

    /// Attributes recent photos to their owners instead of themselves.
    ///
    /// - Parameter owners: a number for each owner, by the photos' columns; 0 for an unknown owner. All photos of
    ///   unknown owners count as those of one person.
    package mutating func attribute(to owners: [UInt32]) { log.attribute(to: owners) }

    /// The rows with dates, each with the time of its last entry that is not in the future, in Unix seconds.
    package var lastTimes: [(row: Int, seconds: Int64)] { log.rows.map { ($0.row, $0.last) } }

    /// Returns the recent events of a span of time, in Unix seconds: their number in each row, and their persons.
    ///
    /// Each person is there once, in ascending order.
    package func recent(in span: ClosedRange<Int64>) -> (counts: [UInt32], persons: [UInt32]) {
        // Rows that were read early may have somewhat older events, which depends on the threads.
        let first = max(span.lowerBound - 1, log.rows.lazy.map(\.recentAfter).max() ?? .max)
        var (counts, persons) = ([UInt32](repeating: 0, count: rowCount), [UInt32]())
        for (index, row) in log.rows.enumerated() {
            for event in log.recent(ofRow: index) {
                let time = row.recentAfter + Int64(event.seconds)
                guard time > first, time <= span.upperBound else { continue }
                counts[row.row] += 1
                persons.append(event.person)
            }
        }
        persons.sort()
        return (counts, persons.indices.filter { $0 == 0 || persons[$0 - 1] != persons[$0] }.map { persons[$0] })
    }

    /// Returns the activity of every row.
    ///
    /// - Parameter calendar: a calendar that fits the window.
    package func activity(in calendar: ActivityCalendar) -> ActivityReading {
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
            // People are counted in the recent weeks only. The upper half has the week, and the lower half the person.
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

/// The activity of the shown groups by week and by month; the rows are the rows of the matrices.
package struct ActivityReading: Sendable, Equatable {
    /// The number of different people who joined, or whose public photos were added.
    ///
    /// Rows × weeks, row by row, the latest week first.
    package internal(set) var people: [UInt32]
    /// The number of memberships, or of public photos in the pool: rows × months, row by row, the earliest month first.
    package internal(set) var events: [UInt32]

    package init(rowCount: Int, in calendar: ActivityCalendar) {
        people = [UInt32](repeating: 0, count: rowCount * calendar.weekCount)
        events = [UInt32](repeating: 0, count: rowCount * calendar.months.count)
    }
}

/// The dated entries of some rows of a matrix that a window keeps: counts by month, and single recent entries.
struct GroupEventLog: Sendable {
    /// A row with dates.
    struct Row: Sendable {
        let row: Int
        /// The first month of the row, in months since January 1970.
        let firstMonth: Int
        /// The time after which events of the row are recent, in Unix seconds, exclusive.
        let recentAfter: Int64
        /// The index of the row's first recent event.
        let firstRecent: Int
        /// The time of the row's last event that is not in the future, in Unix seconds.
        let last: Int64
    }

    /// An event of the last weeks.
    struct Recent: Sendable {
        /// The column of the entry, or the person to count it for.
        var person: UInt32
        /// The seconds since the row's `recentAfter`, 1 or more.
        var seconds: UInt32
    }

    private let window: ActivityWindow
    private(set) var rows: [Row] = []
    /// The counts: rows × months, row by row.
    private(set) var monthCounts: [UInt32] = []
    private(set) var recent: [Recent] = []
    /// The dated entries of the row that is being read.
    private var current: [(entry: UInt32, time: Int64)] = []
    private var months: MonthTable

    init(_ window: ActivityWindow) {
        self.window = window
        months = window.months
    }

    /// The number of months in a row: the months of the calendar, and the current one.
    var monthsOfRow: Int { window.monthCount + 1 }

    /// Adds an entry to the row that is being read; dates outside all calendars do not count.
    mutating func add(entry: UInt32, time: Int64) {
        if UnixTime.bounds.contains(time) { current.append((entry, time)) }
    }

    /// Ends the row that is being read.
    mutating func end(row: Int) {
        guard let last = current.lazy.map(\.time).max() else { return }
        let latest = window.latest(with: last)
        if !months.ends(with: latest) { months = window.months(endingWith: latest) }
        let recentAfter = latest - Int64(window.weekCount) * ActivityCalendar.weekSeconds
        rows.append(
            Row(
                row: row, firstMonth: months.first, recentAfter: recentAfter, firstRecent: recent.count,
                last: current.lazy.map(\.time).filter { $0 <= latest }.max() ?? .min))
        let start = monthCounts.count
        monthCounts.append(contentsOf: repeatElement(0, count: monthsOfRow))
        // A time after the latest is beyond the end of the window.
        for (entry, time) in current where time <= latest {
            if let month = months.index(of: time) { monthCounts[start + month] += 1 }
            if time > recentAfter { recent.append(Recent(person: entry, seconds: UInt32(time - recentAfter))) }
        }
        current.removeAll(keepingCapacity: true)
    }

    /// Joins several logs into one.
    ///
    /// The memory between the logs of many small parts could not be returned to the system.
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
                    firstRecent: first + row.firstRecent, last: row.last)
            }
            monthCounts += log.monthCounts
            recent += log.recent
        }
    }

    func recent(ofRow index: Int) -> ArraySlice<Recent> {
        recent[rows[index].firstRecent..<(index + 1 < rows.count ? rows[index + 1].firstRecent : recent.count)]
    }

    /// Counts recent events for other persons: by the entry, those of a table, and 0 beyond its end.
    mutating func attribute(to persons: [UInt32]) {
        for index in recent.indices {
            let entry = Int(recent[index].person)
            recent[index].person = entry < persons.count ? persons[entry] : 0
        }
    }
}
