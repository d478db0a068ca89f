/// A day of the proleptic Gregorian calendar, in UTC.
///
/// The arithmetic follows Howard Hinnant, "chrono-compatible low-level date algorithms". Years begin in March; the leap
/// day then comes last, and months have a regular length. An era has 400 years.
package struct CalendarDate: Sendable, Hashable, CustomStringConvertible {
    package let year: Int
    /// The month, 1 to 12.
    package let month: Int
    /// The day of the month, 1 to 31.
    package let day: Int

    private static let daysPerEra = 146_097
    /// The number of days from 0000-03-01 to 1970-01-01.
    private static let daysBefore1970 = 719_468

    /// Creates a day from the year 1 on, or nil if there is no such day.
    package init?(year: Int, month: Int, day: Int) {
        guard year >= 1, 1...12 ~= month, day >= 1, day <= Self.length(ofMonth: month, year: year) else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// Creates the day that is this many days after 1970-01-01, or before it if the number is negative.
    package init(daysSince1970: Int) {
        let (era, dayOfEra) = floorDivision(daysSince1970 + Self.daysBefore1970, by: Self.daysPerEra)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Creates the first day of the month that is this many months after January 1970, or before it if negative.
    package init(monthsSince1970 months: Int) {
        let (years, month) = floorDivision(months, by: 12)
        (year, self.month, day) = (1970 + years, month + 1, 1)
    }

    package init(unixMilliseconds instant: Int64) {
        self.init(daysSince1970: floorDivision(Int(instant), by: 86_400_000).quotient)
    }

    /// The number of days since 1970-01-01; negative before.
    package var daysSince1970: Int {
        let (era, yearOfEra) = floorDivision(month <= 2 ? year - 1 : year, by: 400)
        let monthFromMarch = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * Self.daysPerEra + dayOfEra - Self.daysBefore1970
    }

    /// The number of whole months since January 1970; negative before.
    package var monthsSince1970: Int { (year - 1970) * 12 + month - 1 }

    /// The day of the week: 0 is Monday, 6 is Sunday.
    package var weekday: Int { floorDivision(daysSince1970 + 3, by: 7).remainder }

    /// The day of the year, 0 on 1 January.
    package var dayOfYear: Int {
        (1..<month).reduce(day - 1) { $0 + Self.length(ofMonth: $1, year: year) }
    }

    /// The day as `2025-06-01`.
    package var description: String { "\(padded(year, to: 4))-\(padded(month, to: 2))-\(padded(day, to: 2))" }

    private static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

/// Returns the quotient rounded down, and a remainder that is not negative if the divisor is positive.
func floorDivision(_ value: Int, by divisor: Int) -> (quotient: Int, remainder: Int) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
}

/// Returns a number of 0 or more with at least the given number of digits.
package func padded(_ value: some BinaryInteger, to digits: Int, radix: Int = 10) -> String {
    let text = String(value, radix: radix)
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
}

/// Returns the number whose digits are in a range, or nil if the range is empty or has other bytes.
///
/// A range of more than 18 digits gives nil too.
func number(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
    guard !range.isEmpty, range.count <= 18 else { return nil }
    var value = 0
    for index in range {
        guard isDigit(bytes[index]) else { return nil }
        value = value &* 10 &+ Int(bytes[index] &- UInt8(ascii: "0"))
    }
    return value
}

func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") <= 9 }

/// Returns the first index from `start` on that has no digit; the end if there is none.
func endOfDigits(_ bytes: Span<UInt8>, from start: Int) -> Int {
    var index = start
    while index < bytes.count, isDigit(bytes[index]) { index += 1 }
    return index
}

/// The past and future offsets from UTC of the clocks of a place.
package struct ClockZone: Sendable, Equatable {
    /// The local times, in seconds since 1970, at which each offset but the first begins; ascending.
    private var localStarts: [Int64] = []
    /// The offsets in seconds east of UTC; one more than there are starts.
    private var offsets: [Int]

    package static let utc = ClockZone(offsetSeconds: 0)

    /// Creates a zone whose clocks never change.
    ///
    /// - Parameter offsetSeconds: the offset in seconds east of UTC.
    package init(offsetSeconds: Int) { offsets = [offsetSeconds] }

    /// Creates a zone whose clocks change.
    ///
    /// - Parameters:
    ///   - first: the offset before all changes, in seconds east of UTC.
    ///   - changes: the Unix time of each change and the offset from then on, in ascending order.
    package init(first: Int, changes: [(from: Int64, offsetSeconds: Int)]) {
        offsets = [first]
        for change in changes {
            // An hour that occurs twice counts as its first occurrence; a skipped hour has the offset from before the
            // change.
            localStarts.append(change.from + Int64(max(offsets[offsets.count - 1], change.offsetSeconds)))
            offsets.append(change.offsetSeconds)
        }
    }

    /// Returns the offset of clocks that show a local time, in seconds east of UTC.
    ///
    /// - Returns: the offset, and whether the clocks show the time twice, or leave it out, at a change.
    func offset(atLocal seconds: Int64) -> (seconds: Int, isAtChange: Bool) {
        guard !localStarts.isEmpty else { return (offsets[0], false) }
        var (low, high) = (0, localStarts.count)
        while low < high {
            let middle = (low + high) / 2
            if localStarts[middle] <= seconds { low = middle + 1 } else { high = middle }
        }
        guard low < localStarts.count else { return (offsets[low], false) }
        let change = Int64(abs(offsets[low + 1] - offsets[low]))
        return (offsets[low], seconds >= localStarts[low] - change)
    }

    /// Reads a zone from `Z`, `UTC`, `GMT`, `+02`, `+0200` or `+02:00`, or nil for anything else.
    package init?(_ text: String) {
        guard case .offset(let seconds)? = writtenZone(text.utf8Span.span, from: 0) else { return nil }
        self.init(offsetSeconds: seconds)
    }
}

/// The zone after a time of day.
enum WrittenZone {
    /// No zone.
    case none
    /// The offset in seconds east of UTC.
    case offset(Int)
}

/// Reads the zone from an index to the end: nothing, `Z`, `UTC`, `GMT`, `+02`, `+0200`, `+02:00` or `+00:53:28`.
///
/// Returns nil for anything else.
func writtenZone(_ bytes: Span<UInt8>, from start: Int) -> WrittenZone? {
    guard start < bytes.count else { return WrittenZone.none }
    var start = start
    while start < bytes.count, bytes[start] == UInt8(ascii: " ") { start += 1 }
    let count = bytes.count - start
    guard count > 0 else { return nil }
    let first = bytes[start]
    let letter = first & 0xDF
    if letter == UInt8(ascii: "Z") { return count == 1 ? .offset(0) : nil }
    if letter == UInt8(ascii: "U") || letter == UInt8(ascii: "G") {
        return isName("UTC", bytes, start) || isName("GMT", bytes, start) ? .offset(0) : nil
    }
    guard first == UInt8(ascii: "+") || first == UInt8(ascii: "-") else { return nil }
    // Hours, minutes and seconds: two digits each, with a colon before all of the later ones or before none.
    let step = count > 3 && bytes[start + 3] == UInt8(ascii: ":") ? 3 : 2
    let parts = (count - 3) / step
    guard count >= 3, parts <= 2, count == 3 + parts * step else { return nil }
    var seconds = 0
    for part in 0...parts {
        let digits = start + 1 + part * step
        guard part == 0 || step == 2 || bytes[digits - 1] == UInt8(ascii: ":"),
            let value = number(bytes, digits..<digits + 2), value < (part == 0 ? 24 : 60)
        else { return nil }
        seconds = seconds * 60 + value
    }
    for _ in parts..<2 { seconds *= 60 }
    return .offset(first == UInt8(ascii: "+") ? seconds : -seconds)
}

/// Whether the bytes from an index to the end are a name, in any letter case.
private func isName(_ name: StaticString, _ bytes: Span<UInt8>, _ start: Int) -> Bool {
    guard bytes.count - start == name.utf8CodeUnitCount else { return false }
    return (0..<name.utf8CodeUnitCount).allSatisfy { unsafe bytes[start + $0] & 0xDF == name.utf8Start[$0] }
}
