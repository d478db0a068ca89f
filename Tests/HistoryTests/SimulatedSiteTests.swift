import Foundation
import TestSupport
import Testing

/// A site in which everything happens that may, beside a folder and beside Redis.
@Suite("Simulated sites", .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
struct SimulatedSiteTests {
    /// The factor of the number of sites: `Jobs/drills` sets this variable.
    fileprivate static let rounds =
        ProcessInfo.processInfo.environment["COTERIE_TEST_DRILLS"].flatMap { Int($0) } ?? 0

    private func run(seeds: ClosedRange<Int>, inRedis: Bool) throws {
        for seed in seeds {
            var simulation = try SiteSimulation(inRedis: inRedis, seed: UInt64(seed))
            try simulation.run(steps: 150)
            guard let first = simulation.faults.first else { continue }
            Issue.record("seed \(seed), step \(first.step): \(first)\n\(simulation.log.joined(separator: "\n"))")
        }
    }

    @Test("A site shows what it must, and nothing else, whatever happens between", arguments: [false, true])
    func few(inRedis: Bool) throws { try run(seeds: 1...5, inRedis: inRedis) }

    @Test("So do many sites", .drill, arguments: [false, true])
    func many(inRedis: Bool) throws { try run(seeds: 6...(5 + 200 * Self.rounds), inRedis: inRedis) }

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
