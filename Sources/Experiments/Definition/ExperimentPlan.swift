/// The decisions that must stand before anyone is shown a list: the measure that decides, and the end.
///
/// A report that may be read at any time and stopped at a good moment finds differences where there are none. So the
/// test for a single look needs an end that does not depend on the results.
package struct ExperimentPlan: Sendable, Equatable, Codable {
    /// The measure that decides; all others are hints.
    package var decides: Measure
    /// The number of members who were shown a list at the planned end, or `nil` if only a date ends the experiment.
    package var memberCount: Int?
    /// The smallest relative difference that is worth finding, or `nil` if none was named.
    package var effect: Double?
    /// The quantile of the members who did something at which a member's amount is capped; above 0 and at most 1.
    package var cap = ExperimentPlan.usualCap

    /// The default of `cap`.
    package static let usualCap = 0.95
    /// The bounds of `cap`; 1 caps nothing.
    package static let caps = 0.5...1.0
    /// The measures that can decide about interleaved lists.
    package static let interleavedMeasures: [Measure] = [.clicks, .joins]

    package init(decides: Measure, memberCount: Int? = nil, effect: Double? = nil) {
        self.decides = decides
        self.memberCount = memberCount
        self.effect = effect
    }

    /// Returns the first problem of the plan, or `nil` if there is none.
    ///
    /// - Parameters:
    ///   - endsByDate: whether the experiment has a date on which it ends.
    ///   - isInterleaved: whether the experiment interleaves lists.
    func problem(endsByDate: Bool, isInterleaved: Bool) -> String? {
        guard endsByDate || memberCount != nil else {
            return "the plan has no end: give \"ends\" with a date, or the plan's \"members\" (\"experiment size\")"
        }
        if let memberCount, memberCount < 2 { return "the plan's members must be 2 or more" }
        guard memberCount == nil || effect != nil else {
            return "the plan has members, and no \"effect\": give the smallest difference worth finding, such as 5%"
        }
        guard effect.map({ $0 > 0 && $0 <= 10 }) ?? true else {
            return "the plan's effect must be above 0% and at most 1000%"
        }
        guard Self.caps.contains(cap) else { return "the plan's cap must be from \(Self.caps.lowerBound) to 1" }
        guard !isInterleaved || Self.interleavedMeasures.contains(decides) else {
            return "clicks or joins can decide about interleaved lists, not \(decides.rawValue)"
        }
        return nil
    }
}

/// The time that an experiment has taken, as it is known at an instant.
package struct ExperimentCourse: Sendable, Equatable {
    /// The state of an experiment, by which its report is judged.
    package enum Stage: String, Sendable, Codable, CaseIterable {
        /// The planned end has not come.
        case running
        /// The experiment was stopped before its planned end.
        case stoppedEarly
        /// The planned end has come.
        case ended

        /// The meaning for a report, in words.
        package var words: String {
            switch self {
            case .running: "running: the planned end has not come, so only the always-valid bounds count"
            case .stoppedEarly: "stopped early, before the planned end: only the always-valid bounds count"
            case .ended: "ended as planned: the test of the plan counts"
            }
        }
    }

    package let stage: Stage
    /// The start of the first day, in Unix milliseconds.
    package let startedAt: Int64
    /// The end of what counts, exclusive, in Unix milliseconds.
    package let end: Int64
    /// The instant up to which everything is known, in Unix milliseconds.
    package let now: Int64

    /// The length of a day, in milliseconds.
    package static let dayLength: Int64 = 86_400_000
    /// The number of days that a join must last to count as kept.
    package static let daysKept: Int64 = 7

    /// Creates the course of an experiment.
    ///
    /// An experiment that ends by a number of members ends with the day on which the last of them came. Days have 24
    /// hours and count from the start.
    ///
    /// - Parameters:
    ///   - firstTimes: the times at which its members were first shown a list, ascending, in Unix milliseconds.
    ///   - now: the instant up to which everything is known, in Unix milliseconds.
    package init(_ entry: ExperimentRegister.Entry, firstTimes: [Int64], atMilliseconds now: Int64) {
        let definition = entry.definition
        self.now = now
        startedAt = entry.beginsAtMilliseconds
        let (start, known) = (startedAt, max(now, startedAt))
        let wanted = definition.plan?.memberCount ?? .max
        let lastCame = firstTimes.count >= wanted ? firstTimes[wanted - 1] : nil
        let endBySize = lastCame.map { start + (max(0, $0 - start) / Self.dayLength + 1) * Self.dayLength }
        let planned = min(endBySize ?? .max, (definition.endsAt ?? .max / 1000) * 1000)
        let stopped = entry.stoppedAtMilliseconds ?? .max
        end = max(start, min(known, stopped, planned))
        stage = planned <= min(known, stopped) ? .ended : stopped <= known ? .stoppedEarly : .running
    }

    package init(dayCount: Int, _ stage: Stage = .ended) {
        self.stage = stage
        startedAt = 0
        end = Int64(dayCount) * Self.dayLength
        now = end + Self.daysKept * Self.dayLength
    }

    /// The number of days that have begun, 1 or more.
    package var dayCount: Int { Int(max(1, (end - startedAt + Self.dayLength - 1) / Self.dayLength)) }

    /// Returns the day of a time, 0 for the first.
    package func day(_ milliseconds: Int64) -> Int {
        min(Int(max(0, milliseconds - startedAt) / Self.dayLength), dayCount - 1)
    }

    /// Whether the planned test may judge a measure: the planned end has come, and all of the measure is known.
    package func isFinal(_ measure: Measure) -> Bool {
        stage == .ended && (measure != .keptJoins || now >= end + Self.daysKept * Self.dayLength)
    }
}
