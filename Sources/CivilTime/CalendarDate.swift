/// A day of the proleptic Gregorian calendar, in UTC.
///
/// The arithmetic follows Howard Hinnant, "chrono-compatible low-level date algorithms": years begin in March, so that
/// the leap day comes last and months have a regular length; an era has 400 years.
public struct CalendarDate: Sendable, Hashable, CustomStringConvertible {
    /// The year.
    public let year: Int
    /// 1 to 12.
    public let month: Int
    /// 1 to 31.
    public let day: Int

    private static let daysPerEra = 146_097
    /// Days from 0000-03-01 to 1970-01-01.
    private static let daysBefore1970 = 719_468

    /// A day from the year 1 on; nil if there is no such day.
    public init?(year: Int, month: Int, day: Int) {
        guard year >= 1, 1...12 ~= month, day >= 1, day <= Self.length(ofMonth: month, year: year) else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// The day that is this many days after 1970-01-01, or before it if the number is negative.
    public init(daysSince1970: Int) {
        let (era, dayOfEra) = floorDivision(daysSince1970 + Self.daysBefore1970, by: Self.daysPerEra)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The first day of the month that is this many months after January 1970, or before it if the number is negative.
    public init(monthsSince1970 months: Int) {
        let (years, month) = floorDivision(months, by: 12)
        (year, self.month, day) = (1970 + years, month + 1, 1)
    }

    /// The day in which an instant falls.
    public init(unixMilliseconds instant: Int64) {
        self.init(daysSince1970: floorDivision(Int(instant), by: 86_400_000).quotient)
    }

    /// How many days after 1970-01-01 it is; negative before.
    public var daysSince1970: Int {
        let (era, yearOfEra) = floorDivision(month <= 2 ? year - 1 : year, by: 400)
        let monthFromMarch = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * Self.daysPerEra + dayOfEra - Self.daysBefore1970
    }

    /// Whole months since January 1970; negative before.
    public var monthsSince1970: Int { (year - 1970) * 12 + month - 1 }

    /// The day of the week: 0 is Monday, 6 is Sunday.
    public var weekday: Int { floorDivision(daysSince1970 + 3, by: 7).remainder }

    /// The day of the year, 0 on 1 January.
    public var dayOfYear: Int {
        (1..<month).reduce(day - 1) { $0 + Self.length(ofMonth: $1, year: year) }
    }

    /// `2025-06-01`.
    public var description: String { "\(padded(year, to: 4))-\(padded(month, to: 2))-\(padded(day, to: 2))" }

    private static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

/// A quotient rounded down, and a remainder from 0 on.
func floorDivision(_ value: Int, by divisor: Int) -> (quotient: Int, remainder: Int) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
}

/// A number of 0 or more in at least so many digits.
func padded(_ value: Int, to digits: Int) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
}
