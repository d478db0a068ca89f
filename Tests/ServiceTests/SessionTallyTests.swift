import SQLite
import TestSupport
import Testing

@testable import Service

@Suite("Counting sessions that have not ended")
struct SessionTallyTests {
    private let folder: TemporaryDirectory
    private let now: Int64 = 3 * 86_400_000
    private var path: String { folder.path + "/sessions" }

    init() throws { folder = try TemporaryDirectory() }

    @Test("goes by when each was used last, and by how long its kind may rest, a few rows at a time")
    func counting() throws {
        let tally = SessionTally(path: path, rowsPerStep: 3)
        func steps(_ count: Int, at now: Int64) -> [Int?] {
            (0..<count).map { _ in
                tally.step(at: now)
                return tally.alive
            }
        }
        #expect(steps(1, at: now) == [nil])
        let file = try SessionFile(path: path)
        #expect(steps(1, at: now) == [0])
        let ages: [(session: String?, minutes: Int64, isAlive: Bool)] = [
            (nil, 1, true), (nil, 29, true), (nil, 31, false), ("tablet", 31, true), ("tablet", 23 * 60, true),
            ("tablet", 25 * 60, false), ("\u{0}photos=1", 29, true), ("\u{0}photos=1", 31, false),
        ]
        for (number, age) in ages.enumerated() {
            _ = try file.keep(
                .sample(seed: 1), ofUser: "user \(number)", session: age.session, at: now - age.minutes * 60_000)
        }
        let alive = ages.count(where: \.isAlive)
        // Eight rows take three steps; until then the last count stands.
        #expect(steps(3, at: now) == [0, 0, alive])
        try file.forgetAll(ofUser: "user 0")
        #expect(steps(3, at: now).last == alive - 1)
        // With time, all end.
        #expect(steps(3, at: now + 86_400_000).last == 0)
    }
}
