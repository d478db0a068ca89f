import Basics
import Foundation
import Testing

@Suite("Calendar dates")
struct CalendarDateTests {
    @Test("agree with Foundation's calendar, before 1970 too")
    func reference() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
        for day in stride(from: -30_000, through: 120_000, by: 13) {
            let instant = Date(timeIntervalSince1970: Double(day) * 86_400)
            let expected = calendar.dateComponents([.year, .month, .day, .weekday], from: instant)
            let date = CalendarDate(daysSince1970: day)
            #expect(date.year == expected.year)
            #expect(date.month == expected.month)
            #expect(date.day == expected.day)
            // Foundation counts from Sunday, which is 1.
            #expect((date.weekday + 1) % 7 + 1 == expected.weekday)
            #expect(date.dayOfYear + 1 == calendar.ordinality(of: .day, in: .year, for: instant))
            #expect(date == CalendarDate(unixMilliseconds: Int64(day) * 86_400_000))
            #expect(date == CalendarDate(unixMilliseconds: Int64(day + 1) * 86_400_000 - 1))
        }
    }

    @Test("are read back from their numbers and their text, at both ends of an era")
    func roundTrips() {
        for number in stride(from: -719_162, to: 2_932_896, by: 997) {
            let date = CalendarDate(daysSince1970: number)
            #expect(date.daysSince1970 == number)
            #expect(CalendarDate(date.description) == date)
        }
        #expect(CalendarDate(daysSince1970: -719_469).description == "0000-02-29")
        #expect(CalendarDate(daysSince1970: -719_469).daysSince1970 == -719_469)
    }

    @Test("have the right weekday and day of the year")
    func known() throws {
        #expect(try #require(CalendarDate("2024-02-29")).weekday == 3)
        #expect(try #require(CalendarDate("2026-06-01")).weekday == 0)
        #expect(try #require(CalendarDate("2024-12-31")).dayOfYear == 365)
        #expect(try #require(CalendarDate("2000-01-01")).daysSince1970 == 10_957)
    }

    @Test("exist for every instant", arguments: [Int64.min, .max])
    func extremes(instant: Int64) {
        #expect(1...12 ~= CalendarDate(unixMilliseconds: instant).month)
    }

    @Test(
        "must be ten characters and exist",
        arguments: [
            "2025-02-29", "2025-13-01", "2025-00-10", "2025-04-31", "2025-1-01", "20250101", "", "0000-01-01",
            "2025-06-0x", "２０２５-06-01", "2025-06-01 ", "2025-06-00",
        ])
    func wrong(_ text: String) {
        #expect(CalendarDate(text) == nil)
    }
}
