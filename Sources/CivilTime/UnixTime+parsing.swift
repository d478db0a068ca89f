extension CalendarDate {
    /// The day that ten bytes write as `2025-06-01`; nil for anything else and for a day that does not exist.
    public init?(_ bytes: Span<UInt8>) {
        let dash = UInt8(ascii: "-")
        guard bytes.count == 10, bytes[4] == dash, bytes[7] == dash, let year = number(bytes, 0..<4),
            let month = number(bytes, 5..<7), let day = number(bytes, 8..<10)
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// The day that a text writes, by the same rules.
    public init?(_ text: String) {
        self.init(text.utf8Span.span)
    }
}

extension UnixTime {
    /// The instant that all of the bytes write, in one of three forms.
    ///
    /// - `2025-06-01T12:34:56Z`, or with an offset from UTC instead of the `Z`, `+02:00`; a fraction of a second,
    ///   `12:34:56.789`, is cut off;
    /// - `2025-06-01`, the midnight in UTC with which that day begins;
    /// - `1748781296`, seconds since 1970, with a minus sign before 1970.
    ///
    /// Nil for anything else: a day that does not exist, second 60, a time without `Z` or offset, a year outside 1800
    /// to 9999 (so that milliseconds are not taken for seconds).
    public init?(_ bytes: Span<UInt8>) {
        guard bytes.count >= 10, bytes[4] == UInt8(ascii: "-") else {
            let isNegative = !bytes.isEmpty && bytes[0] == UInt8(ascii: "-")
            guard let seconds = number(bytes, (isNegative ? 1 : 0)..<bytes.count) else { return nil }
            self.init(seconds: Int64(isNegative ? -seconds : seconds))
            return
        }
        guard let date = CalendarDate(bytes.extracting(first: 10)) else { return nil }
        var seconds = date.daysSince1970 * 86_400
        if bytes.count > 10 {
            guard let timeOfDay = secondsOfDay(bytes) else { return nil }
            seconds += timeOfDay
        }
        self.init(seconds: Int64(seconds))
    }

    /// The instant that a text writes, by the same rules.
    public init?(_ text: String) {
        self.init(text.utf8Span.span)
    }
}

/// The number that the digits in a range write; nil if the range is empty, has something else, or the number has more
/// than 16 digits.
private func number(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
    guard !range.isEmpty else { return nil }
    var value = 0
    for index in range {
        guard isDigit(bytes[index]), value < 1_000_000_000_000_000 else { return nil }
        value = value * 10 + Int(bytes[index] - UInt8(ascii: "0"))
    }
    return value
}

private func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") <= 9 }

/// The seconds from the midnight in UTC of the written day to `T12:34:56.789+02:00`, which begins at byte 10; negative,
/// or more than a day, where the offset leads into another day.
private func secondsOfDay(_ bytes: Span<UInt8>) -> Int? {
    guard bytes.count >= 20, bytes[10] == UInt8(ascii: "T"), bytes[13] == UInt8(ascii: ":"),
        bytes[16] == UInt8(ascii: ":"), let hour = number(bytes, 11..<13), let minute = number(bytes, 14..<16),
        let second = number(bytes, 17..<19), hour < 24, minute < 60, second < 60
    else { return nil }
    var index = 19
    if bytes[index] == UInt8(ascii: ".") {
        index += 1
        while index < bytes.count, isDigit(bytes[index]) { index += 1 }
        guard index > 20, index < bytes.count else { return nil }
    }
    guard let offset = offsetFromUTC(bytes, index) else { return nil }
    return hour * 3600 + minute * 60 + second - offset
}

/// The offset from UTC that `Z` or `+02:00` from `start` to the end writes, in seconds.
private func offsetFromUTC(_ bytes: Span<UInt8>, _ start: Int) -> Int? {
    if bytes[start] == UInt8(ascii: "Z") { return bytes.count == start + 1 ? 0 : nil }
    let isEast = bytes[start] == UInt8(ascii: "+")
    guard isEast || bytes[start] == UInt8(ascii: "-"), bytes.count == start + 6, bytes[start + 3] == UInt8(ascii: ":"),
        let hours = number(bytes, start + 1..<start + 3), let minutes = number(bytes, start + 4..<start + 6),
        hours < 24, minutes < 60
    else { return nil }
    return (isEast ? 1 : -1) * (hours * 3600 + minutes * 60)
}
