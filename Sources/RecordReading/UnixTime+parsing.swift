extension UnixTime {
    /// The instant that all of the bytes write, in one of three forms.
    ///
    /// - `2025-06-01T12:34:56Z`, or with a distance from UTC in place of the `Z`, `+02:00`; a fraction of a second,
    ///   `12:34:56.789`, is cut off;
    /// - `2025-06-01`, the midnight in UTC with which that day begins;
    /// - `1748781296`, seconds since 1970, with a minus sign before.
    ///
    /// Nil for anything else: a day that does not exist, second 60, a time without `Z` or distance, a year outside 1800
    /// to 9999 (so that milliseconds are not taken for seconds).
    public init?(_ bytes: Span<UInt8>) {
        guard bytes.count >= 10, bytes[4] == UInt8(ascii: "-") else {
            guard let seconds = DecimalNumber.integer(bytes) else { return nil }
            self.init(seconds: seconds)
            return
        }
        guard bytes[7] == UInt8(ascii: "-"), let year = digits(bytes, 0, 4), let month = digits(bytes, 5, 2),
            let day = digits(bytes, 8, 2), let date = CalendarDate(year: year, month: month, day: day)
        else { return nil }
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

/// The number that exactly `count` digits from `start` on write.
private func digits(_ bytes: Span<UInt8>, _ start: Int, _ count: Int) -> Int? {
    var value = 0
    for index in start..<start + count {
        guard DecimalNumber.isDigit(bytes[index]) else { return nil }
        value = value * 10 + Int(bytes[index] - UInt8(ascii: "0"))
    }
    return value
}

/// The seconds that `T12:34:56.789+02:00` from byte 10 on stands away from midnight in UTC; may lie in another day.
private func secondsOfDay(_ bytes: Span<UInt8>) -> Int? {
    guard bytes.count >= 20, bytes[10] == UInt8(ascii: "T"), bytes[13] == UInt8(ascii: ":"),
        bytes[16] == UInt8(ascii: ":"), let hour = digits(bytes, 11, 2), let minute = digits(bytes, 14, 2),
        let second = digits(bytes, 17, 2), hour < 24, minute < 60, second < 60
    else { return nil }
    var index = 19
    if bytes[index] == UInt8(ascii: ".") {
        index += 1
        while index < bytes.count, DecimalNumber.isDigit(bytes[index]) { index += 1 }
        guard index > 20, index < bytes.count else { return nil }
    }
    guard let distance = secondsFromUTC(bytes, index) else { return nil }
    return hour * 3600 + minute * 60 + second - distance
}

/// The distance from UTC that `Z` or `+02:00` from `start` to the end writes, in seconds.
private func secondsFromUTC(_ bytes: Span<UInt8>, _ start: Int) -> Int? {
    if bytes[start] == UInt8(ascii: "Z") { return bytes.count == start + 1 ? 0 : nil }
    let isEast = bytes[start] == UInt8(ascii: "+")
    guard isEast || bytes[start] == UInt8(ascii: "-"), bytes.count == start + 6, bytes[start + 3] == UInt8(ascii: ":"),
        let hours = digits(bytes, start + 1, 2), let minutes = digits(bytes, start + 4, 2), hours < 24, minutes < 60
    else { return nil }
    return (isEast ? 1 : -1) * (hours * 3600 + minutes * 60)
}
