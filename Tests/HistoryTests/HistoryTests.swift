import Foundation
import TestSupport
import Testing

@Suite(
    "Histories of members", .serialized, .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
struct HistoryTests {
    @Test("All readers say what the rule says, whatever happened", arguments: [1, 2] as [UInt64])
    func random(seed: UInt64) throws {
        var generator = HistoryGenerator(seed: seed)
        var histories: [String: History] = [:]
        for number in 0..<100 { histories["m" + String(1000 + number).dropFirst()] = generator.history() }
        let world = World(histories: histories, decisions: generator.decisions())
        let start = ContinuousClock.now
        let (asked, decided) = try world.play()
        print("played in \(ContinuousClock.now - start)")
        var counts: [String: Set<String>] = [:]
        for (name, asked) in asked {
            for difference in asked.differences { counts["\(difference.kind)", default: []].insert(name) }
        }
        for (kind, names) in counts.sorted(by: { $0.key < $1.key }) { print(kind, names.count) }
        for moment in Moment.all {
            let said = Set(decided[moment, default: [:]].values)
            if said.count != 1 { print(moment, decided[moment, default: [:]]) }
        }
    }
}
