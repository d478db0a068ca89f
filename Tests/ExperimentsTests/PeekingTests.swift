import TestSupport
import Testing

@testable import Experiments

/// A thousand experiments without a difference, each read every day and stopped at the first day that shows one.
@Suite struct PeekingTests {
    private static let dayCount = 14
    private static let memberCount = 400

    /// Members who come on different days, and act on some.
    private func outcomes(_ generator: inout SeededGenerator) -> [MemberOutcome] {
        (0..<Self.memberCount).map { member in
            let first = Int.random(in: 0..<10, using: &generator)
            let zeal = Double.random(in: 0...1, using: &generator)
            var outcome = MemberOutcome("m\(member)", arm: member % 2, firstDay: first, groupCount: 3)
            for day in first..<Self.dayCount {
                guard Double.random(in: 0..<1, using: &generator) < 0.5 else { continue }
                outcome.events.append(.init(day: day, .pages))
                outcome.events.append(.init(day: day, .exposures))
                while Double.random(in: 0..<1, using: &generator) < zeal * zeal * 0.5 {
                    outcome.events.append(.init(day: day, .joins))
                }
            }
            return outcome
        }
    }

    @Test func stoppingAtTheFirstGoodDayFindsNothingWhereNothingIs() throws {
        let plan = ExperimentPlan(decides: .joins, memberCount: Self.memberCount, effect: 0.1)
        let definition = ExperimentDefinition("same", arms: [.init("a"), .init("b")], plan: plan)
        var generator = SeededGenerator(seed: 11)
        var (early, planned, distrusted) = (0, 0, 0)
        for _ in 0..<1000 {
            let outcomes = outcomes(&generator)
            let whole = ExperimentReport(definition, outcomes, course: ExperimentCourse(dayCount: Self.dayCount))
            if whole.distrust != nil { distrusted += 1 }
            let final = try #require(whole.comparisons.first { $0.measure == .joins })
            if [.more, .less].contains(whole.conclusion(of: final, tuningCount: Self.memberCount)) { planned += 1 }
            // The first day that shows a difference: the experiment is stopped, and its report read.
            let good = whole.days.first { day in
                guard let effect = day.effects[0][.joins] else { return false }
                return !effect.alwaysValidInterval(tuningCount: Self.memberCount).contains(0)
            }
            guard let good else { continue }
            let course = ExperimentCourse(dayCount: good.day + 1, .stoppedEarly)
            let report = ExperimentReport(definition, outcomes, course: course)
            let comparison = try #require(report.comparisons.first { $0.measure == .joins })
            #expect(!course.isFinal(.joins))
            if [.more, .less].contains(report.conclusion(of: comparison, tuningCount: Self.memberCount)) { early += 1 }
        }
        #expect(early <= 50, "\(early) of 1,000 stopped early")
        #expect((25...75).contains(planned), "\(planned) of 1,000 at the planned end")
        #expect(distrusted <= 10, "\(distrusted) of 1,000 distrusted")
    }

    /// Members who click in a drafted list at random; their votes change as they go on clicking.
    private func clicks(_ generator: inout SeededGenerator, preference: Double) -> [[(first: Int, second: Int)]] {
        (0..<Self.memberCount).map { _ in
            var credits = (first: 0, second: 0)
            return (0..<Self.dayCount).map { _ in
                if Double.random(in: 0..<1, using: &generator) < 0.15 {
                    if Double.random(in: 0..<1, using: &generator) < preference {
                        credits.second += 1
                    } else {
                        credits.first += 1
                    }
                }
                return credits
            }
        }
    }

    private func votes(_ clicks: [[(first: Int, second: Int)]], on day: Int) -> InterleavingVotes {
        var votes = InterleavingVotes()
        for member in clicks { votes.add(member[day]) }
        return votes
    }

    @Test func interleavingIsReadEveryDayToo() {
        var generator = SeededGenerator(seed: 12)
        var (early, planned, powerful) = (0, 0, 0)
        for _ in 0..<1000 {
            let same = clicks(&generator, preference: 0.5)
            let isFound = (0..<Self.dayCount).contains { day in
                let votes = votes(same, on: day)
                return [.more, .less].contains(votes.conclusion(isFinal: false, tuningCount: 300, error: 0.05))
            }
            if isFound { early += 1 }
            let end = votes(same, on: Self.dayCount - 1)
            if [.more, .less].contains(end.conclusion(isFinal: true, tuningCount: 300, error: 0.05)) { planned += 1 }
            let better = votes(clicks(&generator, preference: 0.58), on: Self.dayCount - 1)
            if better.conclusion(isFinal: false, tuningCount: 300, error: 0.05) == .more { powerful += 1 }
        }
        #expect(early <= 50, "\(early) of 1,000 stopped early")
        #expect((20...60).contains(planned), "\(planned) of 1,000 at the planned end")
        #expect(powerful >= 700, "\(powerful) of 1,000 preferences found")
    }

    /// Bounds of known votes: those of one vote tell nothing, and they narrow around what was seen.
    @Test func boundsOfVotes() {
        var votes = InterleavingVotes()
        #expect(votes.alwaysValidInterval().contains(0) && votes.alwaysValidInterval().contains(1))
        votes.add((0, 1))
        #expect(votes.alwaysValidInterval().contains(0.1) && votes.alwaysValidInterval().contains(1))
        var width = 1.0
        for count in [100, 400, 1600] {
            var votes = InterleavingVotes()
            for number in 0..<count { votes.add(number.isMultiple(of: 4) ? (1, 0) : (0, 1)) }
            let interval = votes.alwaysValidInterval()
            #expect(interval.contains(0.75) && interval.upper - interval.lower < width)
            width = interval.upper - interval.lower
        }
        #expect(width < 0.12)
    }

    /// A course ends by its plan, and not by hand.
    @Test func plannedEnds() throws {
        var register = ExperimentRegister()
        let day = ExperimentCourse.dayLength
        let plan = ExperimentPlan(decides: .joins, memberCount: 3, effect: 0.1)
        #expect(register.start(.init("e", arms: [.init("a"), .init("b")], plan: plan), atMilliseconds: 0) == nil)
        var entry = try #require(register["e"])
        func course(_ times: [Int64], _ now: Int64) -> ExperimentCourse {
            ExperimentCourse(entry, firstTimes: times, atMilliseconds: now)
        }
        #expect(course([1, 2], 9 * day).stage == .running)
        // The third member came on the second day, which is the last.
        let times = [1, 2, day + 5, 3 * day]
        #expect(course(times, 2 * day - 1).stage == .running)
        #expect(course(times, 5 * day).stage == .ended && course(times, 5 * day).end == 2 * day)
        #expect(!course(times, 5 * day).isFinal(.keptJoins) && course(times, 9 * day).isFinal(.keptJoins))
        entry.stoppedAtMilliseconds = day + 6
        #expect(course(times, 5 * day).stage == .stoppedEarly && course(times, 5 * day).end == day + 6)
        #expect(course(times, day).stage == .running)
        entry.stoppedAtMilliseconds = 3 * day
        #expect(course(times, 5 * day).stage == .ended)
        entry.definition.endsAt = day / 1000
        #expect(course(times, 5 * day).stage == .ended && course(times, 5 * day).end == day)
    }
}
