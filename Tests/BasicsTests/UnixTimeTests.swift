import Glibc
import Basics
import TestSupport
import Testing

@Suite struct UnixTimes {
    /// What the C library makes of an instant: its text, and the instant of the midnight before.
    private func reference(_ seconds: Int64) -> (text: String, midnight: Int64) {
        var time = time_t(seconds)
        var parts = unsafe tm()
        unsafe gmtime_r(&time, &parts)
        var memory = [CChar](repeating: 0, count: 32)
        let length = unsafe strftime(&memory, memory.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
        unsafe (parts.tm_hour, parts.tm_min, parts.tm_sec) = (0, 0, 0)
        let midnight = unsafe timegm(&parts)
        return (String(decoding: memory.prefix(length).map(UInt8.init), as: UTF8.self), Int64(midnight))
    }

    @Test func randomTimesAgreeWithTheCLibrary() {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<5000 {
            let seconds = Int64.random(in: UnixTime.bounds, using: &random)
            let expected = reference(seconds)
            #expect(UnixTime(seconds: seconds)?.description == expected.text)
            #expect(UnixTime(expected.text)?.seconds == seconds)
            if abs(seconds) >= 100_000_000 { #expect(UnixTime("\(seconds)")?.seconds == seconds) }
            #expect(UnixTime(String(expected.text.prefix(10)))?.seconds == expected.midnight)
        }
    }

    @Test func boundsAreInclusive() {
        #expect(UnixTime(seconds: UnixTime.bounds.lowerBound)?.description == "1800-01-01T00:00:00Z")
        #expect(UnixTime(seconds: UnixTime.bounds.upperBound)?.description == "2200-12-31T23:59:59Z")
        #expect(UnixTime(seconds: UnixTime.bounds.lowerBound - 1) == nil)
        #expect(UnixTime(seconds: UnixTime.bounds.upperBound + 1) == nil)
    }

    @Test func daysAllOverTheBoundsComeBack() {
        let days = stride(from: UnixTime.bounds.lowerBound, through: UnixTime.bounds.upperBound, by: 86_400 * 211)
        let lost = days.filter { day in
            guard let time = UnixTime(seconds: day) else { return true }
            return UnixTime(String(time.description.prefix(10))) != time
        }
        #expect(lost == [])
    }
}

@Suite struct UnixTimeMonths {
    @Test(arguments: [
        ("1970-01-01T00:00:01Z", 0), ("1970-01-31T23:59:59Z", 0), ("1970-02-01", 1), ("1969-12-31T23:59:59Z", -1),
        ("1969-01-01", -12), ("2026-11-21", 682), ("2024-02-29T12:00:00Z", 649),
    ]) func countFromJanuary1970(text: String, months: Int) throws {
        #expect(try #require(UnixTime(text)).monthsSince1970 == months)
    }
}
