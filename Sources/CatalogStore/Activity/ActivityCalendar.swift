import CivilTime

/// The weeks and the months in which activity is counted.
public struct ActivityCalendar: Sendable, Equatable {
    /// The end of the last week, in Unix seconds, inclusive; later events are not counted.
    public var now: Int64
    /// Weeks of seven days before `now`, 1 or more.
    public var weekCount: Int
    /// Months in UTC, in months since January 1970; may be empty.
    public var months: Range<Int>

    /// A calendar.
    public init(now: Int64, weekCount: Int, months: Range<Int>) {
        self.now = now
        self.weekCount = weekCount
        self.months = months
    }

    /// The last `maximum` whole months from an earliest date to `now`.
    public static func wholeMonths(from earliest: Int64, to now: Int64, maximum: Int) -> Range<Int> {
        // The month of the earliest date counts as whole if that date is in its first day.
        guard let before = UnixTime(seconds: earliest - 86_400)?.monthsSince1970,
            let end = UnixTime(seconds: now)?.monthsSince1970
        else { return 0..<0 }
        return min(end, max(before + 1, end - maximum))..<end
    }

    static let weekSeconds: Int64 = 7 * 86_400

    /// The week of an instant, counted back from the last one, which is 0; nil if it is in none.
    func week(of time: Int64) -> Int? {
        guard time <= now, time > now - Int64(weekCount) * Self.weekSeconds else { return nil }
        return Int((now - time) / Self.weekSeconds)
    }

    /// The month of an instant as an index of `months`; nil if it is in none.
    func month(of time: Int64) -> Int? {
        guard let month = UnixTime(seconds: time)?.monthsSince1970, months.contains(month) else { return nil }
        return month - months.lowerBound
    }
}
