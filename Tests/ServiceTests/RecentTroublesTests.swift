import TestSupport
import Testing

@testable import Service

@Suite("The errors of the last hour")
struct RecentTroublesTests {
    @Test("Are those of the last sixty minutes, as counting all of them says")
    func counts() {
        var random = SeededGenerator(seed: 60)
        let troubles = RecentTroubles()
        var times: [Int64] = []
        var now: Int64 = 1_795_000_000_000
        for number in 0..<2000 {
            // Mostly within a minute, sometimes hours later.
            let longest: Int64 = Int.random(in: 0...40, using: &random) == 0 ? 9_000_000 : 90_000
            now += Int64.random(in: 0...longest, using: &random)
            if Bool.random(using: &random) {
                troubles.note("\(number)", at: now)
                times.append(now)
            }
            let reading = troubles.reading(at: now)
            #expect(reading.count == times.count { now / 60_000 - $0 / 60_000 < 60 })
            #expect(reading.last?.atMilliseconds == times.last)
        }
        #expect(times.count > 500)
    }

    @Test("Are those that are logged as warnings and errors, and not refused requests")
    func log() {
        let (lines, troubles) = (Lines(), RecentTroubles())
        let log = lines.log.counting(in: troubles)
        log.info("as it should be")
        log.record(.warning, "refused")
        #expect(troubles.reading(at: 61_000_000).count == 0)
        log.warning("a disk is full")
        log.error("a file is wrong")
        #expect(troubles.reading(at: 61_000_000).count == 2)
        #expect(troubles.reading(at: 61_000_000).last?.message == "a file is wrong")
        #expect(troubles.reading(at: 61_000_000 + 3_600_000).count == 0)
        #expect(lines.all.count == 4)
    }
}
