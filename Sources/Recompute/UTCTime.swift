import Glibc

/// A moment in UTC, for names.
struct UTCTime {
    let milliseconds: Int64

    /// `20261121T113000123`: year to millisecond without separators; sorts by time.
    var compact: String {
        var seconds = time_t(milliseconds.quotientAndRemainder(dividingBy: 1000).quotient)
        var parts = unsafe tm()
        unsafe gmtime_r(&seconds, &parts)
        func digits(_ value: Int, _ count: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        return unsafe digits(Int(parts.tm_year) + 1900, 4) + digits(Int(parts.tm_mon) + 1, 2)
            + digits(Int(parts.tm_mday), 2)
            + "T" + digits(Int(parts.tm_hour), 2) + digits(Int(parts.tm_min), 2) + digits(Int(parts.tm_sec), 2)
            + digits(Int(milliseconds % 1000), 3)
    }
}
