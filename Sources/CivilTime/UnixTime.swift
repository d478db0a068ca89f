/// An instant in whole seconds since 1970-01-01T00:00:00Z, without leap seconds, in the years 1800 to 2200.
public struct UnixTime: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Seconds since the beginning of 1970 in UTC.
    public let seconds: Int64

    /// 1800-01-01T00:00:00Z to 2200-12-31T23:59:59Z, both inclusive.
    ///
    /// What lies beyond is a mistake, such as milliseconds taken for seconds, or 9999-12-31 for "never".
    public static let bounds: ClosedRange<Int64> = -5_364_662_400...7_289_654_399

    /// An instant, or nil if it lies outside the bounds.
    public init?(seconds: Int64) {
        guard Self.bounds.contains(seconds) else { return nil }
        self.seconds = seconds
    }

    /// Orders by time.
    public static func < (left: UnixTime, right: UnixTime) -> Bool { left.seconds < right.seconds }

    /// The day in UTC, and the second of that day.
    private var parts: (date: CalendarDate, second: Int) {
        let (day, second) = floorDivision(Int(seconds), by: 86_400)
        return (CalendarDate(daysSince1970: day), second)
    }

    /// ISO 8601 in UTC, `2025-06-01T12:34:56Z`.
    public var description: String {
        let (date, second) = parts
        return
            "\(date)T\(padded(second / 3600, to: 2)):\(padded(second / 60 % 60, to: 2)):\(padded(second % 60, to: 2))Z"
    }

    /// Whole months since January 1970, in UTC; negative before.
    ///
    /// The calendar month is this modulo 12, January being 0.
    public var monthsSince1970: Int { parts.date.monthsSince1970 }
}
