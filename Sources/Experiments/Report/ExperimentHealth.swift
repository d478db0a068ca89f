/// The state of one check of a report.
package struct ExperimentCheck: Sendable, Equatable {
    /// The weight of what was seen.
    package enum State: String, Sendable {
        case good
        /// Not as expected; the results do not depend on it.
        case note
        /// Not as expected, and the results cannot be trusted.
        case alarm
    }

    package let name: String
    /// The facts that were seen.
    package let seen: String
    /// The facts that were expected.
    package let expected: String
    /// The weight of what was seen.
    package let state: State

    package init(_ name: String, seen: String, expected: String, _ state: State) {
        self.name = name
        self.seen = seen
        self.expected = expected
        self.state = state
    }
}

extension [ExperimentCheck] {
    /// The reason why the report cannot be trusted, or `nil` if there is none.
    package var distrust: String? {
        let alarms = filter { $0.state == .alarm }
        return alarms.isEmpty ? nil : alarms.map { "\($0.name): \($0.seen)" }.joined(separator: "; ")
    }
}

/// A source of lists: a version and settings, with the members who were shown lists of it.
package struct ListSource: Sendable, Equatable {
    /// The model version, or `nil` if arms name versions of their own.
    package var version: String?
    /// The fingerprint of the daemon's settings of lists, or `nil` if it is unknown.
    package var settings: String?
    /// The day on which it was first seen, 0 for the first of the experiment.
    package var firstDay: Int
    /// The number of members of each arm who were shown lists of it.
    package var memberCounts: [Int]

    package init(version: String?, settings: String?, firstDay: Int, memberCounts: [Int]) {
        self.version = version
        self.settings = settings
        self.firstDay = firstDay
        self.memberCounts = memberCounts
    }
}

/// The facts about an experiment from which its health is judged.
package struct HealthFacts: Sendable, Equatable {
    /// The number of members who were shown lists of two arms.
    package var crossedCount = 0
    /// The number of members who were first shown a list before the experiment, or in the future.
    package var misplacedCount = 0
    /// The sources of all lists, in the order of their first days.
    package var sources: [ListSource] = []

    package init() {}
}

/// A quantity that must be alike in all arms, whatever lists they make.
struct ArmCheck: Sendable {
    let name: String
    let quantity: Quantity
    /// The denominator, or `nil` for a mean over members.
    let denominator: Quantity?
    /// The greatest difference that does not matter: as a part of the first arm's mean, or of a ratio from 0 to 1.
    let tolerance: Double
    let expected: String
    let state: ExperimentCheck.State

    /// All checks, in the order of a report.
    static let all = [
        ArmCheck(
            name: "pages a member", quantity: .pages, denominator: nil, tolerance: 0.1,
            expected: "alike, within 10%", state: .alarm),
        ArmCheck(
            name: "exposures a member", quantity: .exposures, denominator: nil, tolerance: 0.1,
            expected: "alike, within 10%", state: .alarm),
        ArmCheck(
            name: "confirmed pages", quantity: .confirmedPages, denominator: .pages, tolerance: 0.05,
            expected: "alike, within 5 points", state: .alarm),
        ArmCheck(
            name: "interactions that no list explains", quantity: .unexplained, denominator: .interactions,
            tolerance: 0, expected: "alike", state: .alarm),
        ArmCheck(
            name: "repeated interactions", quantity: .repeats, denominator: .interactions, tolerance: 0,
            expected: "alike; counted once", state: .note),
        ArmCheck(
            name: "interactions before their list", quantity: .misdated, denominator: .interactions, tolerance: 0,
            expected: "alike; counted at the first exposure", state: .note),
        ArmCheck(
            name: "answer time", quantity: .milliseconds, denominator: .timedPages, tolerance: .infinity,
            expected: "see answer-time", state: .good),
    ]

    /// The error of the bounds, over all looks.
    private static let error = SampleRatio.alarmBelow
    /// The number of members at which the bounds are narrowest.
    private static let tuningCount = 1000
    /// The fewest members of each arm with which a difference needs no bounds, if nothing varies.
    private static let leastAlike = 30
    /// The least part of all interactions without an explanation for an alarm about all arms.
    static let greatestUnexplained = 0.25
    /// The fewest interactions of which this part can be told.
    static let leastInteractions = 50

    /// Returns the state of the check.
    ///
    /// - Parameter members: the arm and the totals of each member.
    func check(
        _ arms: [String], _ members: [(arm: Int, totals: [Double])], _ caps: AmountCaps
    ) -> ExperimentCheck {
        var sums = arms.map { _ in PairedSums() }
        for member in members {
            let amount = member.totals[quantity.rawValue]
            let pair =
                denominator.map { caps.ratio(amount, member.totals[$0.rawValue], of: $0) }
                ?? (min(amount, caps.limit(of: quantity)), 0)
            sums[member.arm].add(pair.0, pair.1)
        }
        let means = sums.map { denominator == nil ? ArmMean($0.measure) : ArmMean(ratioOf: $0) }
        let isUneven = means.dropFirst().contains { isBeyond(means[0], $0, arms.count) }
        let total = sums.reduce(PairedSums(), +)
        let isMuch =
            quantity == .unexplained && Int(total.companion.sum) >= Self.leastInteractions
            && total.measure.sum > Self.greatestUnexplained * total.companion.sum
        let seen = zip(arms, means).map { "\($0) \(text($1.value))" }.joined(separator: ", ")
        return ExperimentCheck(
            name, seen: seen,
            expected: quantity == .unexplained ? expected + ", and at most 25 in 100" : expected,
            isUneven || isMuch ? state : .good)
    }

    private func isBeyond(_ first: ArmMean, _ second: ArmMean, _ armCount: Int) -> Bool {
        let effect =
            denominator == nil ? Effect(relative: first, second) : Effect(absolute: first, second)
        guard let effect else {
            // If all members of an arm are alike, nothing varies, and a difference needs no bounds.
            let difference = denominator == nil ? second.value / first.value - 1 : second.value - first.value
            return min(first.count, second.count) >= Self.leastAlike && abs(difference) > tolerance
        }
        let interval = effect.alwaysValidInterval(
            error: Self.error / Double(armCount - 1), tuningCount: Self.tuningCount)
        return interval.lower > tolerance || interval.upper < -tolerance
    }

    private func text(_ value: Double) -> String {
        guard tolerance.isFinite, denominator != nil else { return "\((value * 100).rounded() / 100)" }
        return "\((value * 1000).rounded() / 10)%"
    }
}
