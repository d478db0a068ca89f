import CivilTime

/// Finds the month of a time in a range of months, by its day: computing it for every entry would take long.
struct MonthTable: Sendable {
    private static let daySeconds = 86_400
    /// The first month, in months since January 1970.
    let first: Int
    private let firstDay: Int
    private let lastMonthDays: Range<Int>
    /// The index of each day's month.
    private var monthOfDay: [UInt16] = []

    /// A table of `count` months that ends with the month of a time, in Unix seconds.
    init(endingWith time: Int64, count: Int) {
        let last = CalendarDate(daysSince1970: Self.day(of: time)).monthsSince1970
        first = last - count + 1
        let starts = (first...last + 1).map { CalendarDate(monthsSince1970: $0).daysSince1970 }
        firstDay = starts[0]
        lastMonthDays = starts[count - 1]..<starts[count]
        for (month, (start, end)) in zip(starts, starts.dropFirst()).enumerated() {
            monthOfDay += repeatElement(UInt16(month), count: end - start)
        }
    }

    /// Whether a time is in the last month.
    func ends(with time: Int64) -> Bool { lastMonthDays.contains(Self.day(of: time)) }

    /// The index of a time's month; nil if it is not in the range.
    func index(of time: Int64) -> Int? {
        let day = Self.day(of: time) - firstDay
        return monthOfDay.indices.contains(day) ? Int(monthOfDay[day]) : nil
    }

    private static func day(of time: Int64) -> Int {
        let (day, second) = Int(time).quotientAndRemainder(dividingBy: daySeconds)
        return second < 0 ? day - 1 : day
    }
}
