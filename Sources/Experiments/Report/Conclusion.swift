/// What may be concluded of a comparison.
public enum Conclusion: Sendable, Equatable {
    /// There is more of it than in the first arm, or less.
    case more, less
    /// A difference was not found: there may be none, or a small one.
    case undecided
    /// Too few members, or nobody did anything.
    case tooEarly
}

extension ExperimentReport {
    /// How often a conclusion is wrong where there is no difference, over all measures together.
    public static let error = 0.05

    /// What may be concluded of a comparison.
    ///
    /// While the experiment runs, whoever looks may look again: then the always-valid interval decides, with the error
    /// divided by the number of questions. Once it has ended, Holm's p value does. A guardrail is a question of its
    /// own, because to overlook harm is worse than to suspect it.
    ///
    /// - Parameters:
    ///   - isOver: whether the experiment has ended.
    ///   - tuningCount: of always-valid intervals, as of `Effect.alwaysValidInterval`.
    public func conclusion(of comparison: Comparison, isOver: Bool, tuningCount: Int) -> Conclusion {
        guard let effect = comparison.absolute else { return .tooEarly }
        let isReal: Bool
        if isOver {
            isReal = (comparison.adjustedPValue ?? effect.pValue) < Self.error
        } else {
            let questions = comparison.measure.isGuardrail ? 1 : comparisons.count { $0.adjustedPValue != nil }
            let error = Self.error / Double(max(1, questions))
            isReal = !effect.alwaysValidInterval(error: error, tuningCount: tuningCount).contains(0)
        }
        guard isReal else { return .undecided }
        return effect.difference > 0 ? .more : .less
    }
}
