/// An instant in whole seconds since 1970-01-01T00:00:00Z, leap seconds left out, in the years 1800 to 9999.
///
/// The calendar is the proleptic Gregorian one. Its arithmetic follows Howard Hinnant, "chrono-compatible low-level
/// date algorithms": years begin in March, so that the leap day comes last and months have a regular length.
public struct UnixTime: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Seconds since the beginning of 1970 in UTC.
    public let seconds: Int64

    /// 1800-01-01T00:00:00Z to 9999-12-31T23:59:59Z, both inclusive.
    public static let bounds: ClosedRange<Int64> = -5_364_662_400...253_402_300_799

    /// An instant, or nil if it lies outside the bounds.
    public init?(seconds: Int64) {
        guard Self.bounds.contains(seconds) else { return nil }
        self.seconds = seconds
    }

    /// Orders by time.
    public static func < (left: UnixTime, right: UnixTime) -> Bool { left.seconds < right.seconds }

    /// ISO 8601 in UTC, `2025-06-01T12:34:56Z`.
    public var description: String {
        // Rounded down, so that the time of day counts from midnight before 1970 as well.
        let day = (Int(seconds) - (seconds < 0 ? 86_399 : 0)) / 86_400
        let second = Int(seconds) - day * 86_400
        let date = CalendarDate(daysSince1970: day)
        return unsafe String(unsafeUninitializedCapacity: 20) { text in
            func write(_ value: Int, digits: Int, at offset: Int) {
                var rest = value
                for index in stride(from: offset + digits - 1, through: offset, by: -1) {
                    unsafe text[index] = UInt8(ascii: "0") + UInt8(rest % 10)
                    rest /= 10
                }
            }
            for (offset, byte) in "0000-00-00T00:00:00Z".utf8.enumerated() { unsafe text[offset] = byte }
            write(date.year, digits: 4, at: 0)
            write(date.month, digits: 2, at: 5)
            write(date.day, digits: 2, at: 8)
            write(second / 3600, digits: 2, at: 11)
            write(second / 60 % 60, digits: 2, at: 14)
            write(second % 60, digits: 2, at: 17)
            return 20
        }
    }
}

/// A day of the proleptic Gregorian calendar.
struct CalendarDate {
    let year: Int
    /// 1 to 12.
    let month: Int
    /// 1 to 31.
    let day: Int

    /// A day that exists, from the year 1 on, or nil.
    init?(year: Int, month: Int, day: Int) {
        guard year >= 1, 1...12 ~= month, day >= 1, day <= Self.length(ofMonth: month, year: year) else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// The day that is this many days after 1970-01-01, which must not lie before the year 1.
    init(daysSince1970: Int) {
        // Days since 0000-03-01; an era has 400 years.
        let days = daysSince1970 + 719_468
        let (era, dayOfEra) = days.quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// How many days after 1970-01-01 it is.
    var daysSince1970: Int {
        let yearFromMarch = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = yearFromMarch.quotientAndRemainder(dividingBy: 400)
        let monthFromMarch = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    private static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
