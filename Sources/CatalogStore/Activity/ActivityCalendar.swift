import Basics
import Synchronization

/// The weeks and months in which activity is counted.
package struct ActivityCalendar: Sendable, Equatable {
    /// The end of the last week, in Unix seconds, inclusive; later events do not count.
    package var now: Int64
    /// The number of weeks (of seven days) before `now`, 1 or more.
    package var weekCount: Int
    /// The months in UTC, in months since January 1970; may be empty.
    package var months: Range<Int>

    package init(now: Int64, weekCount: Int, months: Range<Int>) {
        self.now = now
        self.weekCount = weekCount
        self.months = months
    }

    /// Returns the last whole months from an earliest date to `now`, at most `maximum`.
    package static func wholeMonths(from earliest: Int64, to now: Int64, maximum: Int) -> Range<Int> {
        // The month of the earliest date counts as whole if that date is on its first day.
        guard let before = UnixTime(seconds: earliest - 86_400)?.monthsSince1970,
            let end = UnixTime(seconds: now)?.monthsSince1970
        else { return 0..<0 }
        return min(end, max(before + 1, end - maximum))..<end
    }

    static let weekSeconds: Int64 = 7 * 86_400

    /// Returns the week of a time, counted back from the last week, which is 0; or `nil` if it is in none.
    func week(of time: Int64) -> Int? {
        guard time <= now, time > now - Int64(weekCount) * Self.weekSeconds else { return nil }
        return Int((now - time) / Self.weekSeconds)
    }
}

/// The dates to keep while a matrix is read: all that an `ActivityCalendar` may count.
///
/// The calendar ends with the last date of all, which is known only after reading. It goes back a number of weeks and
/// months from there. The last date so far only grows, so dates too far before it can be dropped. Several matrices
/// share a window.
package final class ActivityWindow: Sendable {
    /// The latest possible end of the calendar, in Unix seconds.
    let end: Int64
    /// The number of weeks in the calendar.
    let weekCount: Int
    /// The most months in the calendar.
    let monthCount: Int
    private let latest = Atomic<Int64>(.min)
    private let monthTable: Mutex<MonthTable>

    /// Creates a window.
    ///
    /// - Parameters:
    ///   - end: the latest end of the calendar, in Unix seconds; later events do not count.
    ///   - weekCount: the number of weeks, 1 or more.
    ///   - monthCount: the most months, 0 or more.
    package init(end: Int64, weekCount: Int, monthCount: Int) {
        (self.end, self.weekCount, self.monthCount) = (end, weekCount, monthCount)
        monthTable = Mutex(MonthTable(endingWith: 0, count: monthCount + 1))
    }

    /// The table that was asked for last.
    var months: MonthTable { monthTable.withLock { $0 } }

    /// Returns the months of the calendar if a time is the last date, and the month of that time.
    func months(endingWith time: Int64) -> MonthTable {
        monthTable.withLock { table in
            if !table.ends(with: time) { table = MonthTable(endingWith: time, count: monthCount + 1) }
            return table
        }
    }

    /// Notes a date, and returns the last date so far, at most the end; may be called from any thread.
    func latest(with time: Int64) -> Int64 { latest.max(min(time, end), ordering: .relaxed).newValue }
}

/// A table of the month of each day, because computing the month of every entry would take long.
struct MonthTable: Sendable {
    private static let daySeconds = 86_400
    /// The first month, in months since January 1970.
    let first: Int
    private let firstDay: Int
    private let lastMonthDays: Range<Int>
    /// The index of the month of each day.
    private var monthOfDay: [UInt16] = []

    /// Creates a table of `count` months, which ends with the month of a time in Unix seconds.
    init(endingWith time: Int64, count: Int) {
        let last = CalendarDate(daysSince1970: Self.day(of: time)).monthsSince1970
        first = last - count + 1
        let starts = (first...last + 1).map { CalendarDate(monthsSince1970: $0).daysSince1970 }
        firstDay = starts[0]
        lastMonthDays = starts[count - 1]..<starts[count]
        for (month, (start, end)) in zip(starts, starts.dropFirst()).enumerated() {
            monthOfDay += repeatElement(UInt16(month), count: end - start)
        }
    }

    /// Whether a time is in the last month.
    func ends(with time: Int64) -> Bool { lastMonthDays.contains(Self.day(of: time)) }

    /// Returns the index of the month of a time, or `nil` if it is not in the range.
    func index(of time: Int64) -> Int? {
        let day = Self.day(of: time) - firstDay
        return monthOfDay.indices.contains(day) ? Int(monthOfDay[day]) : nil
    }

    private static func day(of time: Int64) -> Int {
        let (day, second) = Int(time).quotientAndRemainder(dividingBy: daySeconds)
        return second < 0 ? day - 1 : day
    }
}
