public import Answers
public import Recommendation

/// The stages of a list's making, with the time that each took.
public struct StageTrace {
    private var last = ContinuousClock.now
    /// The stages so far, in their order.
    public private(set) var stages: [Recommendations.Stage] = []

    /// Creates a trace, and starts its clock.
    public init() {}

    /// Notes the end of a stage.
    public mutating func note(_ report: StageReport) {
        let now = ContinuousClock.now
        stages.append(.init(report, microseconds: last.duration(to: now) / .microseconds(1)))
        last = now
    }
}
