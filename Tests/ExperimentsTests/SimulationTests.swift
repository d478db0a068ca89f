import TestSupport
import Testing

@testable import Experiments

/// Error rates and power of reports: experiments on one table of outcomes, assigned to arms again and again.
@Suite struct SimulationTests {
    /// Members who come on different days and join groups on some, a few of them many.
    private struct Outcomes {
        static let dayCount = 28
        /// The day on which each member is first shown a list.
        var firstDays: [Int] = []
        /// The members who came first on each day.
        var newcomers: [[Int]]
        /// The members who joined on each day, once for each join.
        var joins: [[Int]]
        var totals: [Int] = []

        init(memberCount: Int, seed: UInt64) {
            var generator = SeededGenerator(seed: seed)
            newcomers = Array(repeating: [], count: Self.dayCount)
            joins = newcomers
            for member in 0..<memberCount {
                let day = min(Int.random(in: 0..<Self.dayCount, using: &generator), 13)
                let zeal = Double.random(in: 0...1, using: &generator)
                newcomers[day].append(member)
                firstDays.append(day)
                var total = 0
                for later in day..<Self.dayCount {
                    var luck = Double.random(in: 0...1, using: &generator)
                    while luck < zeal * zeal * zeal * 0.5 {
                        joins[later].append(member)
                        total += 1
                        luck = Double.random(in: 0...1, using: &generator)
                    }
                }
                totals.append(total)
            }
        }
    }

    /// The sums of both arms as the days pass.
    private struct Arms {
        var sums = [SampleSums(), SampleSums()]
        private var totals: [Double]
        private let arms: [Int]

        init(_ arms: [Int]) {
            self.arms = arms
            totals = Array(repeating: 0, count: arms.count)
        }

        mutating func pass(_ day: Int, _ outcomes: Outcomes) {
            for member in outcomes.newcomers[day] { sums[arms[member]].add(0) }
            for member in outcomes.joins[day] {
                let before = totals[member]
                totals[member] = before + 1
                sums[arms[member]].sum += 1
                sums[arms[member]].squares += 2 * before + 1
            }
        }

        var effect: Effect? { Effect(absolute: ArmMean(sums[0]), ArmMean(sums[1])) }
    }

    private func arms(_ memberCount: Int, seed: Int) -> [Int] {
        let table = ArmTable(weights: [1, 1])
        return (0..<memberCount).map { table.arm(of: MemberBucket(seed: "run \(seed)", memberID: "member \($0)")) }
    }

    @Test func falseAlarmsOfThousandTestsWithoutADifference() {
        let outcomes = Outcomes(memberCount: 1000, seed: 1)
        var (atTheEnd, onAnyDay, mismatches) = (0, 0, 0)
        for seed in 0..<1000 {
            let members = arms(1000, seed: seed)
            var arms = Arms(members)
            var isAlarmed = false
            for day in 0..<Outcomes.dayCount {
                arms.pass(day, outcomes)
                if let effect = arms.effect, !effect.alwaysValidInterval(tuningCount: 1000).contains(0) {
                    isAlarmed = true
                }
            }
            if isAlarmed { onAnyDay += 1 }
            if let effect = arms.effect, effect.pValue < 0.05 { atTheEnd += 1 }
            let counts = [members.count { $0 == 0 }, members.count { $0 == 1 }]
            if SampleRatio.pValue(counts: counts, weights: [1, 1]) < SampleRatio.alarmBelow { mismatches += 1 }
        }
        #expect((35...65).contains(atTheEnd), "\(atTheEnd) of 1,000")
        #expect(onAnyDay <= 50, "\(onAnyDay) of 1,000")
        #expect(mismatches <= 5, "\(mismatches) of 1,000")
    }

    @Test func plantedEffectsAreFoundAsOftenAsPromised() {
        let memberCount = 2000
        let outcomes = Outcomes(memberCount: memberCount, seed: 2)
        var sums = SampleSums()
        for total in outcomes.totals { sums.add(Double(total)) }
        // Finds the effect that needs exactly this number of members.
        var (lower, upper) = (0.001, 2.0)
        while upper - lower > 1e-9 {
            let middle = (lower + upper) / 2
            let size = SampleSize(toFind: middle, ofMean: sums.mean, variance: sums.variance)
            if size.memberCount > memberCount { lower = middle } else { upper = middle }
        }
        var generator = SeededGenerator(seed: 3)
        var found = 0
        for seed in 0..<200 {
            var planted = [SampleSums(), SampleSums()]
            for (member, arm) in arms(memberCount, seed: seed).enumerated() {
                var value = Double(outcomes.totals[member])
                // Some members join more: on average, by the planted part of the mean.
                if arm == 1, Double.random(in: 0..<1, using: &generator) < upper * sums.mean { value += 1 }
                planted[arm].add(value)
            }
            if let effect = Effect(absolute: ArmMean(planted[0]), ArmMean(planted[1])), effect.pValue < 0.05 {
                found += 1
            }
        }
        #expect(upper * sums.mean < 1)
        #expect((148...172).contains(found), "\(found) of 200 with an effect of \(upper)")
    }

    /// An arm whose lists fail for one member in ten is flagged.
    @Test func aPlantedBugOfTheAssignmentIsAlwaysFlagged() {
        for seed in 0..<200 {
            var generator = SeededGenerator(seed: UInt64(seed))
            var counts = [0, 0]
            var sequential = SequentialSampleRatio(weights: [1, 1])
            for _ in 0..<15 {
                var row = [0, 0]
                for _ in 0..<2500 {
                    let arm = Bool.random(using: &generator) ? 1 : 0
                    if arm == 1, Int.random(in: 0..<10, using: &generator) == 0 { continue }
                    row[arm] += 1
                }
                sequential.add(row)
                counts = [counts[0] + row[0], counts[1] + row[1]]
            }
            #expect(SampleRatio.pValue(counts: counts, weights: [1, 1]) < SampleRatio.alarmBelow)
            #expect(sequential.isAlarm)
        }
    }
}
