import TestSupport
import Testing

@testable import Experiments

/// Reports of members with known outcomes.
@Suite struct ReportTests {
    private let definition = ExperimentDefinition("tried", arms: [.init("control"), .init("other"), .init("third")])

    private func outcomes(_ count: Int, seed: UInt64, effect: Double = 0) -> [MemberOutcome] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { member in
            let arm = member % 3
            var outcome = MemberOutcome(
                arm: arm, firstDay: Int.random(in: 0..<5, using: &generator),
                groupCount: Int.random(in: 0...30, using: &generator))
            let taste = Double.random(in: 0...1, using: &generator)
            outcome.before = [.joins: Double(Int(taste * 4)), .clicks: Double(Int(taste * 8))]
            for day in outcome.firstDay..<10 {
                let pages = Int.random(in: 0...3, using: &generator)
                guard pages > 0 else { continue }
                outcome.events.append(.init(day: day, .pages, Double(pages)))
                if day > outcome.firstDay { outcome.events.append(.init(day: day, .returnDays)) }
                let eagerness = taste * (arm == 1 ? 1 + effect : 1)
                for _ in 0..<pages where Double.random(in: 0..<2, using: &generator) < eagerness {
                    outcome.events.append(.init(day: day, .clicks))
                    if Bool.random(using: &generator) { outcome.events.append(.init(day: day, .joins)) }
                }
            }
            return outcome
        }
    }

    /// The sums that pass from day to day equal those counted at the end.
    @Test func sumsAreThoseOfCountingAtTheEnd() throws {
        let outcomes = outcomes(300, seed: 1)
        let report = ExperimentReport(definition, outcomes, course: ExperimentCourse(dayCount: 8))
        func total(_ outcome: MemberOutcome, _ quantity: Quantity) -> Double {
            outcome.events.filter { $0.quantity == quantity && $0.day < 8 }.reduce(0) { $0 + $1.amount }
        }
        for arm in 1...2 {
            for measure in Measure.allCases {
                var (first, second) = (PairedSums(), PairedSums())
                for outcome in outcomes {
                    let companion =
                        measure.denominator.map { total(outcome, $0) } ?? outcome.before[measure.quantity] ?? 0
                    if outcome.arm == 0 { first.add(total(outcome, measure.quantity), companion) }
                    if outcome.arm == arm { second.add(total(outcome, measure.quantity), companion) }
                }
                let expected =
                    measure.denominator != nil
                    ? Effect(relative: ArmMean(ratioOf: first), ArmMean(ratioOf: second))
                    : Effect.explanation(first, second) != 0
                        ? Effect(adjustedRelative: first, second)
                        : Effect(relative: ArmMean(first.measure), ArmMean(second.measure))
                let comparison = try #require(report.comparisons.first { $0.arm == arm && $0.measure == measure })
                #expect(abs((comparison.relative?.difference ?? 0) - (expected?.difference ?? 0)) < 1e-9)
                #expect(abs((comparison.relative?.standardError ?? 0) - (expected?.standardError ?? 0)) < 1e-9)
                #expect(report.days.last?.effects[arm - 1][measure] == comparison.relative)
            }
        }
        #expect(report.memberCounts == [100, 100, 100])
        #expect(report.segments.map { $0.memberCounts.reduce(0, +) }.reduce(0, +) == 300)
    }

    @Test func aPlantedEffectIsFoundAndNothingElse() throws {
        let outcomes = outcomes(6000, seed: 2, effect: 0.2)
        for stage in ExperimentCourse.Stage.allCases {
            let report = ExperimentReport(definition, outcomes, course: ExperimentCourse(dayCount: 10, stage))
            #expect(report.distrust == nil)
            func conclusion(_ arm: Int, _ measure: Measure) throws -> Conclusion {
                let comparison = try #require(report.comparisons.first { $0.arm == arm && $0.measure == measure })
                return report.conclusion(of: comparison, tuningCount: 5000)
            }
            #expect(try conclusion(1, .clicks) == .more)
            #expect(try conclusion(1, .clickRate) == .more)
            #expect(try conclusion(1, .returnDays) == .undecided)
            #expect(try conclusion(2, .clicks) == .undecided)
            #expect(try conclusion(1, .topics) == .tooEarly)
        }
    }

    /// Many questions are asked at once, so one that alone would be answered is not.
    @Test func theErrorIsSharedByAllQuestions() throws {
        var onlyAlone = 0
        for percent in 4..<16 {
            let outcomes = outcomes(3000, seed: 2, effect: Double(percent) / 100)
            let report = ExperimentReport(definition, outcomes, course: ExperimentCourse(dayCount: 10, .running))
            let asked = report.comparisons.filter { $0.adjustedPValue != nil }
            #expect(asked.count > 4 && asked.allSatisfy { report.error(of: $0) == 0.05 / Double(asked.count) })
            // Harm is looked for in each guardrail by itself.
            let guardrails = report.comparisons.filter(\.measure.isGuardrail)
            #expect(guardrails.count == 6 && guardrails.allSatisfy { report.error(of: $0) == 0.05 })
            for comparison in asked {
                let effect = try #require(comparison.absolute)
                guard !effect.alwaysValidInterval(error: 0.05).contains(0),
                    effect.alwaysValidInterval(error: 0.05 / Double(asked.count)).contains(0)
                else { continue }
                onlyAlone += 1
                let conclusion = report.conclusion(of: comparison, tuningCount: Effect.usualTuningCount)
                #expect(conclusion == .undecided)
            }
        }
        #expect(onlyAlone > 0)
    }

    /// A difference that is too large for two arms need not be for five: each arm more is another chance of an alarm.
    @Test func theErrorOfHealthIsSharedByAllArms() throws {
        let check = try #require(ArmCheck.all.first { $0.denominator == nil && $0.state != .good })
        let amounts = (0..<5).map { arm in
            var generator = SeededGenerator(seed: UInt64(arm))
            return (0..<400).map { _ in Double.random(in: 0..<1, using: &generator) }
        }
        func isGood(_ more: Double, armCount: Int) -> Bool {
            let members = (0..<armCount).flatMap { arm in
                amounts[arm].map { amount in
                    var totals = [Double](repeating: 0, count: Quantity.allCases.count)
                    totals[check.quantity.rawValue] = amount + (arm == 1 ? more : 0)
                    return (arm: arm, totals: totals)
                }
            }
            return check.check((0..<armCount).map(String.init), members, AmountCaps()).state == .good
        }
        let bounds = [2, 5].map { armCount in
            (0..<300).first { !isGood(Double($0) / 1000, armCount: armCount) } ?? 300
        }
        #expect(0 < bounds[0] && bounds[0] < bounds[1] && bounds[1] < 300)
    }

    @Test func missingMembersAreDistrusted() {
        var kept = outcomes(6000, seed: 3)
        var generator = SeededGenerator(seed: 4)
        kept.removeAll { $0.arm == 2 && Int.random(in: 0..<8, using: &generator) == 0 }
        let report = ExperimentReport(definition, kept, course: ExperimentCourse(dayCount: 10))
        #expect(report.distrust?.contains("members that their weights say (control 2000, other 2000, third") == true)
    }

    @Test func membersInTwoArmsAreDistrusted() {
        let outcomes = outcomes(3000, seed: 5)
        func distrust(_ count: Int) -> String? {
            var facts = HealthFacts()
            facts.crossedCount = count
            return ExperimentReport(definition, outcomes, course: ExperimentCourse(dayCount: 10), facts: facts).distrust
        }
        #expect(distrust(3) == nil)
        #expect(distrust(4) == "members in two arms: 4")
    }

    @Test func changedSettingsAreDistrustedAndNewVersionsAreNot() {
        let outcomes = outcomes(3000, seed: 6)
        func check(_ sources: [ListSource]) -> ExperimentCheck? {
            var facts = HealthFacts()
            facts.sources = sources
            return ExperimentReport(
                definition, outcomes, course: ExperimentCourse(dayCount: 10), facts: facts
            ).health.last
        }
        func source(_ version: String, _ settings: String?, _ day: Int, _ count: Int) -> ListSource {
            ListSource(version: version, settings: settings, firstDay: day, memberCounts: [count, count, count])
        }
        #expect(check([source("1", "aa", 0, 900), source("2", "aa", 7, 900)])?.state == .good)
        #expect(check([source("1", "aa", 0, 3)])?.state == .good)
        let changed = check([source("1", "aa", 0, 900), source("1", "bb", 4, 900)])
        #expect(changed?.state == .alarm && changed?.seen.contains("changed on day 5; so each arm") == true)
        #expect(check([source("1", "aa", 0, 900), source("1", "bb", 4, 9)])?.state == .note)
        // An earlier program did not record settings.
        #expect(check([source("1", nil, 0, 900), source("1", "bb", 4, 900)])?.state == .note)
    }

    @Test func timesThatCannotBeAreDistrusted() {
        var facts = HealthFacts()
        facts.misplacedCount = 4
        let report = ExperimentReport(
            definition, outcomes(3000, seed: 5), course: ExperimentCourse(dayCount: 10), facts: facts)
        #expect(report.distrust == "members shown lists before the start or in the future: 4")
    }

    @Test func withoutMembersThereIsNothingToTrust() {
        let report = ExperimentReport(definition, [], course: ExperimentCourse(dayCount: 1))
        #expect(report.distrust == "members: no member is known to have been shown a list")
        for comparison in report.comparisons {
            #expect(report.conclusion(of: comparison, tuningCount: 5000) == .tooEarly)
        }
    }
}
