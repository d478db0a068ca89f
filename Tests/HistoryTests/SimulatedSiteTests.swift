import Foundation
import TestSupport
import Testing

/// A site in which everything happens that may, beside a folder and beside Redis.
@Suite("Simulated sites", .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
struct SimulatedSiteTests {
    /// The factor of the number of sites: `Jobs/drills` sets this variable.
    fileprivate static let rounds =
        ProcessInfo.processInfo.environment["COTERIE_TEST_DRILLS"].flatMap { Int($0) } ?? 0

    /// Returns the first fault of each site that has one, with all that happened there.
    private func faults(seeds: ClosedRange<Int>, inRedis: Bool) throws -> [String] {
        try seeds.compactMap { seed in
            var simulation = try SiteSimulation(inRedis: inRedis, seed: UInt64(seed))
            try simulation.run(steps: 150)
            return simulation.faults.first.map { first in
                "seed \(seed), step \(first.step): \(first)\n\(simulation.log.joined(separator: "\n"))"
            }
        }
    }

    @Test("A site shows what it must, and nothing else, whatever happens between", arguments: [false, true])
    func few(inRedis: Bool) throws {
        for fault in try faults(seeds: 1...5, inRedis: inRedis) { Issue.record("\(fault)") }
    }

    @Test("So do many sites", .drill, arguments: [false, true])
    func many(inRedis: Bool) throws {
        let count = 100 * max(1, Self.rounds)
        for fault in try faults(seeds: 6...(5 + count), inRedis: inRedis) { Issue.record("\(fault)") }
    }

    @Test("A mistake of the program is noticed", arguments: SiteSimulation.Mistake.allCases)
    func mistakes(_ mistake: SiteSimulation.Mistake) throws {
        let isNoticed = try (1...9).contains { seed in
            var simulation = try SiteSimulation(inRedis: true, seed: UInt64(seed), mistake)
            try simulation.run(steps: 90)
            return !simulation.faults.isEmpty
        }
        #expect(isNoticed)
    }
}

extension Trait where Self == ConditionTrait {
    /// Only `Jobs/drills` runs these tests.
    fileprivate static var drill: Self {
        .enabled(if: SimulatedSiteTests.rounds > 0, "a drill, which Jobs/drills runs")
    }
}
