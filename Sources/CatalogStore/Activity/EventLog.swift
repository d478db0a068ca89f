import CivilTime

/// The dated entries of some rows of a matrix, as far as a window keeps them: counts by month, and recent ones singly.
struct EventLog: Sendable {
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
    init(_ logs: [EventLog], _ window: ActivityWindow) {
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
