/// A day of the Gregorian calendar, in UTC.
public struct CalendarDay: Sendable, Equatable {
    /// Days since 1970-01-01.
    let daysSinceEpoch: Int

    init(daysSinceEpoch: Int) { self.daysSinceEpoch = daysSinceEpoch }

    /// Reads a day written as YYYY-MM-DD.
    ///
    /// - Parameter text: ten ASCII characters, from 1973-01-01 to 9999-12-31 inclusive.
    /// - Throws: `CommunityError.invalidDay`.
    public init(_ text: String) throws(CommunityError) {
        let bytes = Array(text.utf8)
        let dash = UInt8(ascii: "-")
        guard bytes.count == 10, bytes[4] == dash, bytes[7] == dash,
            let year = Self.number(bytes[0..<4]), let month = Self.number(bytes[5..<7]),
            let day = Self.number(bytes[8..<10]), year >= 1973, (1...12).contains(month)
        else { throw .invalidDay(text) }
        daysSinceEpoch = Self.days(year: year, month: month, day: day)
        // The arithmetic would carry 30 February into March: a day that does not come back is none.
        guard civil == (year, month, day) else { throw .invalidDay(text) }
    }

    /// The year, the month from 1 to 12 and the day of the month from 1 to 31.
    var civil: (year: Int, month: Int, day: Int) {
        // Eras of 400 years begin on 1 March, so that a leap day ends its year (Hinnant, "chrono-compatible dates").
        let shifted = daysSinceEpoch + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    /// The day of the week: 0 is Monday, 6 is Sunday.
    var weekday: Int { (daysSinceEpoch % 7 + 10) % 7 }

    /// The day of the year, from 0 on 1 January.
    var dayOfYear: Int { daysSinceEpoch - Self.days(year: civil.year, month: 1, day: 1) }

    private static func days(year: Int, month: Int, day: Int) -> Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        var value = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            value = value * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return value
    }
}
