import Synchronization

/// The dates to keep while a matrix is read, before its last date is known: those that an `ActivityCalendar` may count.
///
/// The calendar ends with the last date of all, and goes back a number of weeks and months from there. The last date
/// seen so far only grows, so that what lies too far before it will not be counted. Several matrices share a window.
public final class ActivityWindow: Sendable {
    /// The calendar does not end later, in Unix seconds.
    let end: Int64
    /// The weeks of the calendar.
    let weekCount: Int
    /// The most months of the calendar.
    let monthCount: Int
    private let latest = Atomic<Int64>(.min)
    private let monthTable: Mutex<MonthTable>

    /// A window.
    ///
    /// - Parameters:
    ///   - end: in Unix seconds; later events are not counted.
    ///   - weekCount: 1 or more.
    ///   - monthCount: 0 or more.
    public init(end: Int64, weekCount: Int, monthCount: Int) {
        (self.end, self.weekCount, self.monthCount) = (end, weekCount, monthCount)
        monthTable = Mutex(MonthTable(endingWith: 0, count: monthCount + 1))
    }

    /// The months that were asked for last.
    var months: MonthTable { monthTable.withLock { $0 } }

    /// The months of the calendar if a time is the last one, and the month of that time itself.
    func months(endingWith time: Int64) -> MonthTable {
        monthTable.withLock { table in
            if !table.ends(with: time) { table = MonthTable(endingWith: time, count: monthCount + 1) }
            return table
        }
    }

    /// The last date up to now, at most the end, with one more that was seen; from any thread.
    func latest(with time: Int64) -> Int64 { latest.max(min(time, end), ordering: .relaxed).newValue }
}
