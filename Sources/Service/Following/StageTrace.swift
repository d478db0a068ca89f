package import Answers
package import Recommendation

/// The stages of a list's making, with the time that each took.
package struct StageTrace {
    private var last = ContinuousClock.now
    /// The stages so far, in their order.
    package private(set) var stages: [Recommendations.Stage] = []

    /// Creates a trace, and starts its clock.
    package init() {}

    package mutating func note(_ report: StageReport) {
        let now = ContinuousClock.now
        stages.append(.init(report, microseconds: last.duration(to: now) / .microseconds(1)))
        last = now
    }
}
