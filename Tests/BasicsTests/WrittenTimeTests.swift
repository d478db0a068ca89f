import Basics
import Glibc
import TestSupport
import Testing

@Suite("Times as they are written") struct WrittenTimes {
    @Test(arguments: [
        ("2025-06-01T12:34:56Z", 1_748_781_296), ("2025-06-01T12:34:56.999999Z", 1_748_781_296),
        ("2025-06-01 12:34:56", 1_748_781_296), ("2025-06-01 12:34:56+00", 1_748_781_296),
        ("2025-06-01 12:34:56.123456+00", 1_748_781_296), ("2025-06-01 12:34:56 +0000", 1_748_781_296),
        ("2025-06-01 12:34:56 UTC", 1_748_781_296), ("2025-06-01t12:34:56z", 1_748_781_296),
        ("2025-06-01T12:34:56,5Z", 1_748_781_296), ("2025-06-01T12:34:56-00:00", 1_748_781_296),
        ("2025-06-01T14:34:56+02:00", 1_748_781_296), ("2025-06-01T07:04:56.5-05:30", 1_748_781_296),
        ("2025-06-01 14:34:56+02", 1_748_781_296), ("2025-06-01T14:34:56+0200", 1_748_781_296),
        ("20250601T123456Z", 1_748_781_296), ("20250601T143456.25+0200", 1_748_781_296),
        ("20250601123456", 1_748_781_296), ("20250601 12:34:56", 1_748_781_296),
        ("2025-06-01T12:34", 1_748_781_240), ("20250601T1234Z", 1_748_781_240),
        ("2025-06-01", 1_748_736_000), ("20250601", 1_748_736_000), ("2000-02-29", 951_782_400),
        ("1748781296", 1_748_781_296), ("1748781296.75", 1_748_781_296), ("1748781296000", 1_748_781_296),
        ("1748781296999", 1_748_781_296), ("1748781296000000", 1_748_781_296), ("1748781296999999", 1_748_781_296),
        ("-100000001", -100_000_001), ("-100000001.5", -100_000_002), ("-100000001.0", -100_000_001),
        ("100000000", 100_000_000), ("1748781296000000000", 1_748_781_296), ("1748781296999999999", 1_748_781_296),
        ("2025", 1_735_689_600), ("2025/06/01", 1_748_736_000), ("2025/06/01 12:34:56+00", 1_748_781_296),
        ("Sun, 01 Jun 2025 12:34:56 GMT", 1_748_781_296), ("1 jun 2025 14:34:56 +0200", 1_748_781_296),
        ("01 Jun 2025", 1_748_736_000), (" 2025-06-01\t", 1_748_736_000), ("  1748781296 ", 1_748_781_296),
        ("2025-05-31T24:00:00Z", 1_748_736_000), ("2025-05-31 24:00", 1_748_736_000),
        ("2016-12-31T23:59:60Z", 1_483_228_800), ("2025-06-01T12:34:56.123456789Z", 1_748_781_296),
        ("1890-06-01 12:00:00+00:53:28", -2_511_435_208), ("1890-06-01 12:00:00 -005328", -2_511_428_792),
        ("-200000000000", -200_000_000), ("-200000000001", -200_000_001),
        ("1969-12-31T23:59:59Z", -1), ("1800-01-01", -5_364_662_400), ("1799-12-31T23:00:00-01:00", -5_364_662_400),
        ("2200-12-31T23:59:59Z", 7_289_654_399), ("7289654399", 7_289_654_399),
    ])
    func known(text: String, seconds: Int64) { #expect(UnixTime(text)?.seconds == seconds) }

    @Test(arguments: [
        "", "now", "2025-06", "2025-6-1", "2025-06-31", "2025-02-29", "1900-02-29", "2025-00-01", "2025-13-01",
        "2025-06-00", "2025-06-01T", "2025-06-01T24:00:01Z", "2025-06-01T12:60:00Z", "2025-06-01T12:34:61Z",
        "2025-06-01T24:00:00.5Z", "2025-06-01T24:30Z", "2025-06-01T25:00Z",
        "2025-06-01T12:34:56.Z", "2025-06-01T12:34:56+2:00", "2025-06-01T12:34:56+24:00", "2025-06-01T12:34:56+02:60",
        "2025-06-01T12:34:56ZZ", "2025-06-01T12:34:56+", "2025-06-01 12:34:56 -", "2025-06-0112:34:56", "2025/06-01",
        "2026-00-00", "Sun 01 Jun 2025", "31 Jun 2025",
        "1 Juin 2025", "2025-06-01T12:34:56+00:53:60", "2025-06-01T12:34:56+0053:28", "2025-06-01T12:34:56+00:5328",
        "20x5-06-01", "-", ".5", "1.", "1.x", "+1", "1e9", "--1", "11/1", "  ",
        "20250601T", "20250601T12", "20250632T1234", "2025-06-01T12:3456", "2025-06-01T1234:56", "2025-06-01 UTC",
    ])
    func notTimes(text: String) {
        #expect(throws: WrittenTime.Problem.notATime) { try WrittenTime(text.utf8Span.span) }
    }

    @Test(
        "Times outside 1800 to 2200 are told from what is no time",
        arguments: [
            "1799-12-31", "2201-01-01", "9999-12-31T23:59:59Z", "2200-12-31T23:59:59-00:01", "7289654400",
            "99999999999",
            "9999999999999", "99999999999999999", "9999999999999999999", "99999999999999999999999", "-9999999999",
        ])
    func outOfBounds(text: String) {
        #expect(throws: WrittenTime.Problem.outOfBounds) { try WrittenTime(text.utf8Span.span) }
    }

    @Test(
        "Zero dates, small numbers, infinity and days whose order cannot be told are refused by name",
        arguments: [
            ("0", WrittenTime.Problem.zero), ("0000-00-00", .zero), ("0000-00-00 00:00:00", .zero),
            ("00000000000000", .zero), ("1970-01-01", .zero), ("1970-01-01T00:00:00Z", .zero), ("0.0", .zero),
            ("1970-01-01 02:00:00+02", .zero), ("0001-01-01T00:00:00Z", .zero), ("46327", .smallNumber),
            ("-1", .smallNumber), ("202611", .smallNumber), ("20251301", .smallNumber), ("99999999", .smallNumber),
            ("2026.0", .smallNumber), ("1.11", .smallNumber), ("infinity", .infinite), ("-Infinity", .infinite),
            ("11/01/2026", .yearLast),
            ("1.11.2026 12:00", .yearLast), ("01-11-2026", .yearLast),
        ])
    func named(text: String, problem: WrittenTime.Problem) {
        #expect(throws: problem) { try WrittenTime(text.utf8Span.span) }
    }

    @Test("A time without a zone is one of the zone that was given; a day and a time of day alike")
    func zones() throws {
        let east = try #require(ClockZone("+02:00"))
        func read(_ text: String) throws -> WrittenTime { try WrittenTime(text.utf8Span.span, in: east) }
        #expect(try read("1971-01-01 02:00:00") == read("1971-01-01T00:00:00Z").without)
        #expect(try read("1971-01-01").time.seconds == 31_536_000 - 7200)
        #expect(try read("1971").time.seconds == 31_536_000 - 7200 && !read("1971").hasZone)
        #expect(try read("1971-01-01 00:00:00Z").time.seconds == 31_536_000)
        // The zero of a clock of any zone is no date.
        #expect(throws: WrittenTime.Problem.zero) { try read("1970-01-01 00:00:00") }
        #expect(throws: WrittenTime.Problem.zero) { try read("1970-01-01 02:00:00") }
        #expect(try read("700000000").time.seconds == 700_000_000 && read("700000000").hasZone)
        #expect(ClockZone("Europe/Berlin") == nil && ClockZone("") == nil)
        #expect(ClockZone("Z") == .utc && ClockZone("-0530") == ClockZone(offsetSeconds: -19_800))
    }

    @Test("Clocks that change: an hour that comes twice is the first, one that is left out is as before")
    func changingClocks() throws {
        // Berlin in 2025: forward on 30 March at 01:00 UTC, back on 26 October at 01:00 UTC.
        let berlin = ClockZone(first: 3600, changes: [(1_743_296_400, 7200), (1_761_440_400, 3600)])
        for (local, utc) in [
            ("2025-03-30 01:59:59", "2025-03-30T00:59:59Z"), ("2025-03-30 02:30:00", "2025-03-30T01:30:00Z"),
            ("2025-03-30 03:00:00", "2025-03-30T01:00:00Z"), ("2025-10-26 01:59:59", "2025-10-25T23:59:59Z"),
            ("2025-10-26 02:30:00", "2025-10-26T00:30:00Z"), ("2025-10-26 03:00:00", "2025-10-26T02:00:00Z"),
        ] { #expect(try WrittenTime(local.utf8Span.span, in: berlin).time == UnixTime(utc), "\(local)") }
    }
}

extension WrittenTime {
    /// The same instant, as if no zone had been written.
    fileprivate var without: WrittenTime? {
        let text = String(time.description.replacing("T", with: " ").dropLast())
        return try? WrittenTime(text.utf8Span.span)
    }
}

/// A reader of the same forms made from regular expressions and the C library.
///
/// It has its own expressions, which take most of the time to build, and cannot be shared by tests that run at a time.
private struct Reference {
    private let spaces = #/^[ \t]+|[ \t]+$/#
    private let decimal = #/(-?)(\d+)([.,]\d+)?/#
    private let digits = #/(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d))?/#
    private let day = #/(?<y>\d{4})-(?<m>\d{2})-(?<d>\d{2})|(?<y2>\d{4})(?<m2>\d{2})(?<d2>\d{2})/#
    private let clock =
        #/[Tt ]?(?:(?<h>\d\d):(?<i>\d\d)(?::(?<s>\d\d)(?:[.,]\d+)?)?|(?<h2>\d\d)(?<i2>\d\d)(?:(?<s2>\d\d)(?:[.,]\d+)?)?)/#
    private let offset = #/(?<sign>[+-])(?<zh>\d\d)(?:(?<zm>\d\d)(?<zs>\d\d)?|:(?<zm2>\d\d)(?::(?<zs2>\d\d))?)?/#
    private let zone = #/(?: *(?:[Zz]|[Uu][Tt][Cc]|[Gg][Mm][Tt]| *(?<offset>[+-].*)))?/#

    func seconds(_ spaced: String) -> Int64? {
        let text = spaced.replacing(spaces, with: "")
        if let number = text.wholeMatch(of: decimal) {
            if let basic = basic(text) { return basic }
            if text.utf8.count == 4, let year = Int(text), (1800...2200).contains(year) {
                return midnight(text[...], "01", "01")
            }
            guard var value = Int64(number.2), value >= 100_000_000 else { return nil }
            if value >= 100_000_000_000_000_000 { value /= 1000 }
            let unit: Int64 = value < 100_000_000_000 ? 1 : value < 100_000_000_000_000 ? 1000 : 1_000_000
            let hasFraction = number.3?.contains { !".,0".contains($0) } ?? false
            if number.1.isEmpty { return value / unit }
            return -((value + (hasFraction ? 1 : 0) + unit - 1) / unit)
        }
        guard let found = text.prefixMatch(of: day) else { return nil }
        let rest = text[found.range.upperBound...]
        guard let midnight = midnight(found.y ?? found.y2, found.m ?? found.m2, found.d ?? found.d2) else { return nil }
        if rest.isEmpty { return found.y == nil ? nil : midnight == 0 ? nil : midnight }
        guard let first = rest.first, "Tt ".contains(first), let time = rest.prefixMatch(of: clock) else { return nil }
        guard let tail = rest[time.range.upperBound...].wholeMatch(of: zone) else { return nil }
        func whole(_ text: Substring?) -> Int64 { text.flatMap { Int64($0) } ?? 0 }
        let (hour, minute, second) = (whole(time.h ?? time.h2), whole(time.i ?? time.i2), whole(time.s ?? time.s2))
        let hasFraction =
            rest[time.range].contains { ".,".contains($0) }
            && rest[time.range].drop { !".,".contains($0) }.contains { ("1"..."9").contains($0) }
        guard isTimeOfDay(hour, minute, second, hasFraction: hasFraction) else { return nil }
        let local = midnight + hour * 3600 + minute * 60 + second
        guard local != 0 else { return nil }
        guard let written = tail.offset else { return local }
        guard let east = written.wholeMatch(of: offset) else { return nil }
        let (zoneMinute, zoneSecond) = (whole(east.zm ?? east.zm2), whole(east.zs ?? east.zs2))
        guard whole(east.zh) < 24, zoneMinute < 60, zoneSecond < 60 else { return nil }
        let seconds = whole(east.zh) * 3600 + zoneMinute * 60 + zoneSecond
        return local - (east.sign == "-" ? -seconds : seconds)
    }

    private func basic(_ text: String) -> Int64? {
        guard let found = text.wholeMatch(of: digits),
            let year = Int(found.1), (1800...2200).contains(year), let midnight = midnight(found.1, found.2, found.3)
        else { return nil }
        guard let hour = found.4.flatMap({ Int64($0) }), let minute = found.5.flatMap({ Int64($0) }),
            let second = found.6.flatMap({ Int64($0) })
        else { return midnight }
        return isTimeOfDay(hour, minute, second, hasFraction: false)
            ? midnight + hour * 3600 + minute * 60 + second : .max
    }

    private func isTimeOfDay(_ hour: Int64, _ minute: Int64, _ second: Int64, hasFraction: Bool) -> Bool {
        hour == 24 ? minute == 0 && second == 0 && !hasFraction : hour < 24 && minute < 60 && second <= 60
    }

    private func midnight(_ year: Substring?, _ month: Substring?, _ day: Substring?) -> Int64? {
        guard let year = year.flatMap({ Int32($0) }), let month = month.flatMap({ Int32($0) }),
            let day = day.flatMap({ Int32($0) }), year >= 1
        else { return nil }
        var parts = unsafe tm()
        unsafe (parts.tm_year, parts.tm_mon, parts.tm_mday) = (year - 1900, month - 1, day)
        let seconds = unsafe timegm(&parts)
        // The C library moves a day that does not exist.
        return unsafe parts.tm_mon == month - 1 && parts.tm_mday == day ? Int64(seconds) : nil
    }

    func boundedSeconds(_ text: String) -> Int64? {
        guard let seconds = seconds(text), seconds != 0, UnixTime.bounds.contains(seconds) else { return nil }
        return seconds
    }
}

@Suite("Written times against another reader") struct WrittenTimeProperties {
    /// A time in any of the forms.
    private func written(_ random: inout SeededGenerator) -> (text: String, seconds: Int64) {
        let drawn = Int64.random(in: -5_300_000_000...7_200_000_000, using: &random)
        // Numbers that are smaller are refused.
        let seconds = abs(drawn) < 200_000_000 ? drawn + 500_000_000 : drawn
        let offset = [0, 0, 7200, -19_800, 34_200, -3600][Int.random(in: 0..<6, using: &random)]
        let iso = UnixTime(seconds: seconds + Int64(offset))?.description ?? ""
        let (day, clock) = (String(iso.prefix(10)), String(iso.dropFirst(11).dropLast()))
        let fraction = ["", ".5", ",123456", ".000"][Int.random(in: 0..<4, using: &random)]
        let (hours, minutes) = (abs(offset) / 3600, abs(offset) / 60 % 60)
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let sign = offset < 0 ? "-" : "+"
        let zones =
            offset == 0
            ? ["", "Z", "z", " UTC", "+00", "+0000", "-00:00", " +00:00"]
            : ["\(sign)\(two(hours))\(two(minutes))", " \(sign)\(two(hours)):\(two(minutes))"]
                + (minutes == 0 ? ["\(sign)\(two(hours))"] : [])
        let zone = zones[Int.random(in: zones.indices, using: &random)]
        let separator = ["T", " ", "t"][Int.random(in: 0..<3, using: &random)]
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1: return (day + separator + clock + fraction + zone, seconds)
        case 2:
            return (
                day.replacing("-", with: "") + separator + clock.replacing(":", with: "") + fraction + zone, seconds
            )
        case 3 where abs(seconds) > 100_000_000:
            // Its milliseconds are no smaller than 10¹¹, and its microseconds no smaller than 10¹⁴.
            let unit: Int64 = Bool.random(using: &random) ? 1000 : 1_000_000
            return ("\(seconds * unit + (seconds > 0 ? Int64.random(in: 0..<unit, using: &random) : 0))", seconds)
        case 4: return ("\(seconds)" + (seconds > 0 ? fraction : ""), seconds)
        default: return (iso.prefix(19) + (offset == 0 ? "" : zone), seconds)
        }
    }

    @Test("Every form of a random instant gives that instant") func forms() {
        var random = SeededGenerator(seed: 11)
        for _ in 0..<20_000 {
            let (text, seconds) = written(&random)
            #expect(UnixTime(text)?.seconds == seconds, "\(text)")
        }
    }

    @Test("Spoiled times are read as the other reader reads them, or by neither") func fuzz() {
        var random = SeededGenerator(seed: 12)
        let bytes = Array("0123456789-:+.,TZ tzuc\u{0}é".utf8)
        let reference = Reference()
        for _ in 0..<20_000 {
            var text = Array(written(&random).text.utf8)
            for _ in 0..<Int.random(in: 0...3, using: &random) where !text.isEmpty {
                let place = Int.random(in: text.indices, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: text[place] = bytes[Int.random(in: bytes.indices, using: &random)]
                case 1: text.insert(bytes[Int.random(in: bytes.indices, using: &random)], at: place)
                default: text.remove(at: place)
                }
            }
            let spoiled = String(decoding: text, as: UTF8.self)
            #expect(UnixTime(spoiled)?.seconds == reference.boundedSeconds(spoiled), "\(spoiled.debugDescription)")
        }
    }
}
