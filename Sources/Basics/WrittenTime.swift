/// A time as files, databases and programs write it.
///
/// - Days: `2025-06-01`, `2025/06/01`, `20250601`; a day means the midnight at which it begins. A year alone, `2025`,
///   means its first day.
/// - Times of day after a day, separated by `T` or a blank: `12:34:56`, `12:34`, `123456`. A fraction of a second is
///   cut off. Day and time may follow each other directly, `20250601123456`. `24:00` is the next midnight, and a leap
///   second `:60` is the next minute.
/// - Zones after these: `Z`, `UTC`, `+02`, `+0200`, `+02:00`, `+00:53:28`, also after a blank.
/// - RFC 1123: `Sun, 01 Jun 2025 12:34:56 GMT`, also without the day of the week.
/// - Numbers since 1970, optionally with a minus sign: seconds from 10⁸ on, milliseconds from 10¹¹, microseconds from
///   10¹⁴, nanoseconds from 10¹⁷. A fraction is cut off.
///
/// Eight digits are a day if there is such a day in the years 1800 to 2200. Fourteen digits are a time by the same
/// rule. As seconds, eight such digits would be in the summer of 1970. As milliseconds, fourteen would be in the years
/// 2540 to 2667. Smaller numbers are mostly something else, such as the days of a spreadsheet, and are refused. Blanks
/// around a time are ignored.
package struct WrittenTime: Sendable, Equatable {
    package let time: UnixTime
    /// Whether the time states its relation to UTC; numbers always do.
    package let hasZone: Bool
    /// Whether the clocks of the zone show the local time twice, or leave it out, as they change.
    package let isAtChange: Bool

    /// The reasons why bytes are not a valid time.
    package enum Problem: Error, Sendable {
        /// The bytes are not a time, or are a day that does not exist.
        case notATime
        /// The time is outside `UnixTime.bounds`.
        case outOfBounds
        /// The zero of a database or of a program, such as `0000-00-00` or `0`, which stands for no date.
        case zero
        /// A number below 10⁸ that is no year.
        case smallNumber
        /// The word `infinity` or `-infinity`.
        case infinite
        /// A day whose year comes last: the order of day and month is unknown.
        case yearLast
    }

    /// Reads a time from all of the bytes.
    ///
    /// - Parameters:
    ///   - bytes: the text in UTF-8.
    ///   - zone: the zone of times that do not state theirs.
    package init(_ bytes: Span<UInt8>, in zone: ClockZone = .utc) throws(Problem) {
        let bytes = bytes.extracting(withoutOuterBlanks(bytes))
        let digits = endOfDigits(bytes, from: 0)
        if digits == 4, bytes.count >= 10, isDateMark(bytes[4]) {
            guard let date = CalendarDate(bytes.extracting(first: 10), mark: bytes[4]) else {
                throw isZeroDate(bytes) ? .zero : .notATime
            }
            try self.init(date, bytes, timeFrom: 10, in: zone)
        } else if let date = Self.basicDate(bytes, digits: digits) {
            try self.init(date, bytes, timeFrom: 8, in: zone)
        } else if let (date, end) = namedMonthDate(bytes) {
            try self.init(date, bytes, timeFrom: end, in: zone)
        } else if digits == 4, bytes.count == 4, let year = number(bytes, 0..<4), 1800...2200 ~= year,
            let date = CalendarDate(year: year, month: 1, day: 1)
        {
            try self.init(date, bytes, timeFrom: 4, in: zone)
        } else {
            try self.init(number: bytes)
        }
    }

    /// Returns the day in the first eight digits, or nil unless the digits and what follows them can be a day.
    private static func basicDate(_ bytes: Span<UInt8>, digits: Int) -> CalendarDate? {
        let isAlone = bytes.count == digits && (digits == 8 || digits == 14)
        let hasTime = digits == 8 && bytes.count > 8 && isSeparator(bytes[8])
        guard isAlone || hasTime, let year = number(bytes, 0..<4), let month = number(bytes, 4..<6),
            let day = number(bytes, 6..<8), hasTime || 1800...2200 ~= year
        else { return nil }
        return CalendarDate(year: year, month: month, day: day)
    }

    private static func isSeparator(_ byte: UInt8) -> Bool { byte | 0x20 == UInt8(ascii: "t") || byte == 0x20 }

    private init(_ date: CalendarDate, _ bytes: Span<UInt8>, timeFrom start: Int, in zone: ClockZone) throws(Problem) {
        var seconds = Int64(date.daysSince1970 * 86_400)
        var written = WrittenZone.none
        if bytes.count > start {
            var index = start
            if Self.isSeparator(bytes[start]) { index += 1 } else if start != 8 { throw .notATime }
            guard let timeOfDay = secondsOfDay(bytes, &index), let found = writtenZone(bytes, from: index) else {
                throw .notATime
            }
            seconds += Int64(timeOfDay)
            written = found
        }
        // 0001-01-01 is the zero of Go and of .NET.
        if seconds == 0 || date.daysSince1970 == CalendarDate.first { throw .zero }
        switch written {
        case .none:
            let offset = zone.offset(atLocal: seconds)
            seconds -= Int64(offset.seconds)
            (hasZone, isAtChange) = (false, offset.isAtChange)
        case .offset(let offset):
            seconds -= Int64(offset)
            (hasZone, isAtChange) = (true, false)
        }
        guard seconds != 0 else { throw .zero }
        guard let time = UnixTime(seconds: seconds) else { throw .outOfBounds }
        self.time = time
    }

    private init(number bytes: Span<UInt8>) throws(Problem) {
        let isNegative = bytes.count > 0 && bytes[0] == UInt8(ascii: "-")
        let start = isNegative ? 1 : 0
        let end = endOfDigits(bytes, from: start)
        guard end > start, let hasFraction = fraction(bytes, from: end, isWhole: true) else {
            throw problem(ofText: bytes)
        }
        // Of nanoseconds the last three digits are cut off first: a number has at most 18.
        let isNanoseconds = end - start > 17 && number(bytes, start..<end - 17) ?? 1 > 0
        guard let value = number(bytes, start..<(isNanoseconds ? end - 3 : end)) else { throw .outOfBounds }
        let unitsPerSecond =
            switch value {
            case 0: throw hasFraction ? Problem.smallNumber : .zero
            case ..<100_000_000: throw Problem.smallNumber
            case ..<100_000_000_000: 1
            case ..<100_000_000_000_000: 1000
            case ..<100_000_000_000_000_000: 1_000_000
            default: throw Problem.outOfBounds
            }
        // The fraction is cut off towards the past, also before 1970.
        let signed = isNegative ? -value - (hasFraction ? 1 : 0) : value
        guard let time = UnixTime(seconds: Int64(floorDivision(signed, by: unitsPerSecond).quotient)) else {
            throw .outOfBounds
        }
        self.time = time
        (hasZone, isAtChange) = (true, false)
    }
}

extension UnixTime {
    /// Reads an instant in any of the forms of `WrittenTime`, or nil for anything else.
    ///
    /// A time without a zone is in UTC.
    package init?(_ bytes: Span<UInt8>) {
        guard let written = try? WrittenTime(bytes) else { return nil }
        self = written.time
    }

    /// Reads an instant from a text, by the same rules.
    package init?(_ text: String) {
        self.init(text.utf8Span.span)
    }
}

extension CalendarDate {
    /// Reads a day of the form `2025-06-01`, or nil for other bytes and for a day that does not exist.
    package init?(_ bytes: Span<UInt8>) { self.init(bytes, mark: UInt8(ascii: "-")) }

    /// The same with another mark than the dash.
    fileprivate init?(_ bytes: Span<UInt8>, mark: UInt8) {
        guard bytes.count == 10, bytes[4] == mark, bytes[7] == mark, let year = number(bytes, 0..<4),
            let month = number(bytes, 5..<7), let day = number(bytes, 8..<10)
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// Reads a day from a text, by the same rules.
    package init?(_ text: String) {
        self.init(text.utf8Span.span)
    }
}

extension CalendarDate {
    /// The first day of the calendar, in days since 1970.
    fileprivate static let first = -719_162
}

/// The bytes without blanks around them.
private func withoutOuterBlanks(_ bytes: Span<UInt8>) -> Range<Int> {
    var range = 0..<bytes.count
    while let last = range.last, isBlank(bytes[last]) { range.removeLast() }
    while let first = range.first, isBlank(bytes[first]) { range.removeFirst() }
    return range
}

private func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

private func isDateMark(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "-") || byte == UInt8(ascii: "/") }

/// Whether bytes begin with `0000-00-00`.
private func isZeroDate(_ bytes: Span<UInt8>) -> Bool {
    (0..<10).allSatisfy { bytes[$0] == ($0 == 4 || $0 == 7 ? bytes[4] : UInt8(ascii: "0")) }
}

/// Reads the day at the beginning of `Sun, 01 Jun 2025 12:34:56 GMT` or `1 Jun 2025`, and returns its end.
private func namedMonthDate(_ bytes: Span<UInt8>) -> (CalendarDate, end: Int)? {
    let hasWeekday = bytes.count > 5 && bytes[3] == UInt8(ascii: ",") && bytes[4] == UInt8(ascii: " ")
    let start = hasWeekday ? 5 : 0
    let dayEnd = endOfDigits(bytes, from: start)
    guard 1...2 ~= dayEnd - start, bytes.count >= dayEnd + 9, bytes[dayEnd] == UInt8(ascii: " "),
        bytes[dayEnd + 4] == UInt8(ascii: " "), let day = number(bytes, start..<dayEnd),
        let year = number(bytes, dayEnd + 5..<dayEnd + 9)
    else { return nil }
    let names: StaticString = "janfebmaraprmayjunjulaugsepoctnovdec"
    let month = (0..<12).first { month in
        (0..<3).allSatisfy { unsafe bytes[dayEnd + 1 + $0] | 0x20 == names.utf8Start[month * 3 + $0] }
    }
    guard let month, let date = CalendarDate(year: year, month: month + 1, day: day) else { return nil }
    return (date, dayEnd + 9)
}

/// Returns the reason why a text that is no number is not a time.
private func problem(ofText bytes: Span<UInt8>) -> WrittenTime.Problem {
    let infinity: StaticString = "infinity"
    let start = bytes.count > 0 && bytes[0] == UInt8(ascii: "-") ? 1 : 0
    if bytes.count - start == infinity.utf8CodeUnitCount,
        (0..<infinity.utf8CodeUnitCount).allSatisfy({ unsafe bytes[start + $0] | 0x20 == infinity.utf8Start[$0] })
    {
        return .infinite
    }
    // 11/01/2026, 1.11.2026, 01-11-2026
    let first = endOfDigits(bytes, from: 0)
    guard 1...2 ~= first, first < bytes.count, isDateMark(bytes[first]) || bytes[first] == UInt8(ascii: ".") else {
        return .notATime
    }
    let second = endOfDigits(bytes, from: first + 1)
    guard 1...2 ~= second - first - 1, second < bytes.count, bytes[second] == bytes[first],
        endOfDigits(bytes, from: second + 1) == second + 5
    else { return .notATime }
    return .yearLast
}

/// Reads `12:34:56.789`, `12:34`, `123456.789` or `1234` at an index, as seconds since midnight.
///
/// The index moves behind the time. The result is nil if there is no such time.
private func secondsOfDay(_ bytes: Span<UInt8>, _ index: inout Int) -> Int? {
    let start = index
    guard bytes.count >= start + 4 else { return nil }
    let hasColons = bytes[start + 2] == UInt8(ascii: ":")
    let step = hasColons ? 3 : 2
    let minutesEnd = start + step + 2
    guard bytes.count >= minutesEnd, let hour = number(bytes, start..<start + 2),
        let minute = number(bytes, start + step..<minutesEnd), minute < 60, hour < 24 || hour == 24 && minute == 0
    else { return nil }
    index = minutesEnd
    let secondStart = minutesEnd + step - 2
    let goesOn =
        minutesEnd < bytes.count && (hasColons ? bytes[minutesEnd] == UInt8(ascii: ":") : isDigit(bytes[minutesEnd]))
    guard goesOn else { return hour * 3600 + minute * 60 }
    guard bytes.count >= secondStart + 2, let second = number(bytes, secondStart..<secondStart + 2), second <= 60 else {
        return nil
    }
    index = secondStart + 2
    guard let hasFraction = fraction(bytes, from: index, isWhole: false), hour < 24 || second == 0 && !hasFraction
    else { return nil }
    if index < bytes.count, isDecimalMark(bytes[index]) { index = endOfDigits(bytes, from: index + 1) }
    return hour * 3600 + minute * 60 + second
}

private func isDecimalMark(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ".") || byte == UInt8(ascii: ",") }

/// Whether the fraction at an index is more than zero; false if there is no fraction.
///
/// Nil if the fraction has no digits or something wrongly follows.
///
/// - Parameter isWhole: whether the fraction must end the text.
private func fraction(_ bytes: Span<UInt8>, from start: Int, isWhole: Bool) -> Bool? {
    guard start < bytes.count, isDecimalMark(bytes[start]) else { return isWhole && start < bytes.count ? nil : false }
    let end = endOfDigits(bytes, from: start + 1)
    guard end > start + 1, !isWhole || end == bytes.count else { return nil }
    return (start + 1..<end).contains { bytes[$0] != UInt8(ascii: "0") }
}

/// An instant in whole seconds since 1970-01-01T00:00:00Z, without leap seconds, in the years 1800 to 2200.
package struct UnixTime: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The number of seconds since the beginning of 1970 in UTC.
    package let seconds: Int64

    /// The valid range: 1800-01-01T00:00:00Z to 2200-12-31T23:59:59Z, both inclusive.
    ///
    /// A time outside it is a mistake, such as milliseconds read as seconds, or 9999-12-31 for "never".
    package static let bounds: ClosedRange<Int64> = -5_364_662_400...7_289_654_399

    /// Creates an instant, or nil if it is outside the bounds.
    package init?(seconds: Int64) {
        guard Self.bounds.contains(seconds) else { return nil }
        self.seconds = seconds
    }

    /// Whether one instant is before another.
    package static func < (left: UnixTime, right: UnixTime) -> Bool { left.seconds < right.seconds }

    /// The day in UTC, and the second within that day.
    private var parts: (date: CalendarDate, second: Int) {
        let (day, second) = floorDivision(Int(seconds), by: 86_400)
        return (CalendarDate(daysSince1970: day), second)
    }

    /// The instant in ISO 8601 in UTC, `2025-06-01T12:34:56Z`.
    package var description: String {
        let (date, second) = parts
        return
            "\(date)T\(padded(second / 3600, to: 2)):\(padded(second / 60 % 60, to: 2)):\(padded(second % 60, to: 2))Z"
    }

    /// The number of whole months since January 1970, in UTC; negative before.
    ///
    /// The remainder from 0 to 11 after division by 12 is the calendar month; January is 0.
    package var monthsSince1970: Int { parts.date.monthsSince1970 }
}
