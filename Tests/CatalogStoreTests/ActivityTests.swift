import CatalogStore
import Basics
import Model
import TestSupport
import Testing

@Suite("Reading activity")
struct ActivityTests {
    /// 2026-11-01T00:00:00Z, in Unix seconds.
    private let now: Int64 = 1_793_491_200

    @Test(
        "gives the counts of brute force, on any number of threads, without private groups and photos", arguments: 0..<6
    )
    func againstHand(seed: UInt64) throws {
        let test = try CatalogUnderTest()
        var generator = SeededGenerator(seed: 40 + seed)
        let groups = (0..<12).map { "g\($0)" }
        let hidden = Set(groups.filter { _ in Int.random(in: 0..<4, using: &generator) == 0 })
        try test.importing(
            .groups,
            "group_id,visibility\n" + groups.map { "\($0),\(hidden.contains($0) ? "private" : "public")\n" }.joined())
        let photos = (0..<60).map { "p\($0)" }
        let hiddenPhotos = Set(photos.filter { _ in Int.random(in: 0..<4, using: &generator) == 0 })
        var owners: [String: String] = [:]
        for photo in photos {
            owners[photo] =
                Int.random(in: 0..<5, using: &generator) == 0 ? "" : "u\(Int.random(in: 0..<6, using: &generator))"
        }
        try test.importing(
            .photos,
            "photo_id,user_id,visibility\n"
                + photos.map { "\($0),\(owners[$0] ?? ""),\(hiddenPhotos.contains($0) ? "private" : "public")\n" }
                .joined())
        func pairs(_ entries: [String]) -> [(group: String, entry: String, time: Int64?)] {
            groups.flatMap { group in
                entries.filter { _ in Bool.random(using: &generator) }.map { entry in
                    // Half of the entries are within ten weeks; some are in the future, and some have no date.
                    let age = Bool.random(using: &generator) ? 70 * 86_400 : 900 * 86_400
                    let time = now - Int64.random(in: -86_400...Int64(age), using: &generator)
                    return (group, entry, Int.random(in: 0..<5, using: &generator) == 0 ? nil : time)
                }
            }
        }
        let calendar = ActivityCalendar(now: now, weekCount: 9, months: 660..<682)
        for (kind, importKind, entries) in [
            (RelationSource.memberships, ImportKind.memberships, (0..<30).map { "u\($0)" }), (.pools, .pools, photos),
        ] {
            let rows = pairs(entries)
            let columns = kind == .pools ? "group_id,photo_id,added_at\n" : "group_id,user_id,joined_at\n"
            try test.importing(
                importKind,
                columns + rows.map { "\($0.group),\($0.entry),\($0.time.map(String.init) ?? "")\n" }.joined())
            let visible = rows.filter { !hidden.contains($0.group) && !hiddenPhotos.contains($0.entry) }
            let all = try test.catalog.facts.groups()
            for threads in [1, 3] {
                let snapshot = try Matrices(of: test.catalog.facts, threads: threads)
                let window = ActivityWindow(end: now, weekCount: 9, monthCount: 900 / 28)
                let matrix = try snapshot.matrix(kind, keeping: window) { _ in }
                var events = try #require(matrix.events)
                if kind == .pools { events.attribute(to: try snapshot.photoContent(minimumPhotos: 1) { _ in }.owners) }
                let reading = events.activity(in: calendar)
                let dates = matrix.dates
                let times = visible.compactMap(\.time)
                #expect(dates.count == times.count && dates.span == (times.min() ?? 0)...(times.max() ?? 0))
                for (row, group) in all.filter({ $0.visibility == .public }).enumerated() {
                    let mine = visible.filter { $0.group == group.id }
                    for week in 0..<9 {
                        let people = mine.filter { entry in
                            entry.time.map { $0 <= now - Int64(week) * 604_800 && $0 > now - Int64(week + 1) * 604_800 }
                                ?? false
                        }.map { kind == .pools ? owners[$0.entry] ?? "" : $0.entry }
                        #expect(Int(reading.people[row * 9 + week]) == Set(people).count)
                    }
                    for month in calendar.months {
                        let events = mine.count { $0.time.flatMap { UnixTime(seconds: $0)?.monthsSince1970 } == month }
                        #expect(Int(reading.events[row * calendar.months.count + month - 660]) == events)
                    }
                }
            }
        }
    }

    @Test(
        "a week includes its end and excludes its beginning; other instants are in no week"
    )
    func weekBounds() throws {
        let test = try CatalogUnderTest()
        let week: Int64 = 7 * 86_400
        let times = [
            "future": now + 1, "now": now, "first-of-week-0": now - week + 1, "last-of-week-1": now - week,
            "first-of-week-1": now - 2 * week + 1, "last-of-week-2": now - 2 * week,
            "first-of-week-2": now - 3 * week + 1, "before": now - 3 * week,
        ]
        try test.importing(
            .memberships, "group_id,user_id,joined_at\n" + times.map { "g,\($0.key),\($0.value)\n" }.joined())
        let calendar = ActivityCalendar(now: now, weekCount: 3, months: 0..<0)
        let window = ActivityWindow(end: now, weekCount: 3, monthCount: 0)
        let matrix = try Matrices(of: test.catalog.facts, threads: 1).matrix(.memberships, keeping: window) {
            _ in
        }
        #expect(matrix.events?.activity(in: calendar).people == [2, 2, 2])
    }

    @Test(
        "the whole months begin after the earliest date and end before the current month",
        arguments: [
            ("2024-01-01T09:00:00Z", "2026-01-31T00:00:00Z", 100, "2024-01", 24),
            ("2024-01-02T09:00:00Z", "2026-01-31T00:00:00Z", 100, "2024-02", 23),
            ("2000-05-05T00:00:00Z", "2026-01-01T00:00:00Z", 30, "2023-07", 30),
            ("2026-01-01T00:00:00Z", "2026-01-20T00:00:00Z", 30, "2026-01", 0),
            ("2026-01-09T00:00:00Z", "2026-01-02T00:00:00Z", 30, "2026-01", 0),
        ])
    func wholeMonths(earliest: String, now: String, maximum: Int, first: String, count: Int) throws {
        let months = ActivityCalendar.wholeMonths(
            from: try #require(UnixTime(earliest)).seconds, to: try #require(UnixTime(now)).seconds, maximum: maximum)
        #expect(months.count == count)
        #expect(months.lowerBound == (try #require(UnixTime(first + "-01"))).monthsSince1970)
    }

    @Test("dates have the right count and span")
    func dates() throws {
        let test = try CatalogUnderTest()
        try test.importing(.memberships, "group_id,user_id,joined_at\na,u,500000005\na,v,\nb,u,-500000003\n")
        func dates() throws -> EventDates {
            let window = ActivityWindow(end: now, weekCount: 3, monthCount: 0)
            return try Matrices(of: test.catalog.facts, threads: 2).matrix(.memberships, keeping: window) { _ in }.dates
        }
        #expect(try dates().count == 2)
        #expect(try dates().span == -500_000_003...500_000_005)
        #expect(EventDates().union(try dates()) == (try dates()) && EventDates().span == nil)
    }
}
