import Glibc
import CivilTime
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
            #expect(UnixTime("\(seconds)")?.seconds == seconds)
            #expect(UnixTime(String(expected.text.prefix(10)))?.seconds == expected.midnight)
        }
    }

    @Test func boundsAreInclusive() {
        #expect(UnixTime(seconds: UnixTime.bounds.lowerBound)?.description == "1800-01-01T00:00:00Z")
        #expect(UnixTime(seconds: UnixTime.bounds.upperBound)?.description == "9999-12-31T23:59:59Z")
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

    @Test(arguments: [
        ("2025-06-01T12:34:56Z", 1_748_781_296), ("2025-06-01T12:34:56.999999Z", 1_748_781_296),
        ("2025-06-01T12:34:56+00:00", 1_748_781_296), ("2025-06-01T12:34:56-00:00", 1_748_781_296),
        ("2025-06-01T14:34:56+02:00", 1_748_781_296), ("2025-06-01T07:04:56.5-05:30", 1_748_781_296),
        ("2025-06-01", 1_748_736_000), ("1748781296", 1_748_781_296), ("-1", -1), ("0", 0),
        ("1969-12-31T23:59:59Z", -1), ("2000-02-29", 951_782_400), ("1800-01-01", -5_364_662_400),
        ("9999-12-31T23:59:59Z", 253_402_300_799), ("1799-12-31T23:00:00-01:00", -5_364_662_400),
    ])
    func known(text: String, seconds: Int64) { #expect(UnixTime(text)?.seconds == seconds) }

    @Test(arguments: [
        "", "now", "2025-06", "2025-6-1", "2025-06-31", "2025-02-29", "1900-02-29", "2025-00-01", "2025-13-01",
        "2025-06-00", "2025-06-01T", "2025-06-01T12:34Z", "2025-06-01T12:34:56", "2025-06-01 12:34:56Z",
        "2025-06-01T24:00:00Z", "2025-06-01T12:60:00Z", "2025-06-01T12:34:60Z", "2025-06-01T12:34:56.Z",
        "2025-06-01T12:34:56.5", "2025-06-01T12:34:56z", "2025-06-01T12:34:56+2:00", "2025-06-01T12:34:56+0200",
        "2025-06-01T12:34:56+24:00", "2025-06-01T12:34:56+02:60", "2025-06-01T12:34:56ZZ", " 2025-06-01", "2025-06-01 ",
        "1799-12-31", "9999-12-31T23:59:59-00:01", "0000-01-01", "1748781296000", "1748781296.5", "2025/06/01",
        "20x5-06-01", "99999999999999999999",
    ])
    func notTimes(text: String) { #expect(UnixTime(text) == nil) }
}

@Suite struct UnixTimeMonths {
    @Test(arguments: [
        ("1970-01-01", 0), ("1970-01-31T23:59:59Z", 0), ("1970-02-01", 1), ("1969-12-31T23:59:59Z", -1),
        ("1969-01-01", -12), ("2026-11-21", 682), ("2024-02-29T12:00:00Z", 649),
    ]) func countFromJanuary1970(text: String, months: Int) throws {
        #expect(try #require(UnixTime(text)).monthsSince1970 == months)
    }
}
