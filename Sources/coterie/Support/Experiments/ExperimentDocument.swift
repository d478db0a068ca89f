import Experiments

/// A report as JSON.
struct ExperimentDocument: Encodable {
    struct Arm: Encodable {
        var name: String
        var members, pages, confirmedPages: Int
    }

    /// A difference, as a part of the first arm's.
    struct Difference: Encodable {
        var difference, lower, upper, alwaysValidLower, alwaysValidUpper: Double
    }

    struct Comparison: Encodable {
        var arm, measure: String
        var isGuardrail: Bool
        var control, value: Double
        var relative: Difference?
        /// Of the absolute difference; `holmPValue` as if it were the only one.
        var pValue, holmPValue: Double?
        /// `more`, `less`, `undecided` or `tooEarly`.
        var conclusion: String
    }

    struct Segment: Encodable {
        var fewestGroups: Int
        var mostGroups: Int?
        var members: [Int]
        /// By arm, from the second on.
        var joins: [Difference?]
    }

    var experiment: String
    var days: Int
    var isOver: Bool
    var arms: [Arm]
    var crossedMembers: Int
    var sampleRatioPValue, sampleRatioEvidence: Double
    /// Why nothing of it can be trusted; then there is nothing else.
    var distrust: String?
    var comparisons: [Comparison] = []
    var segments: [Segment] = []
}

extension ExperimentWords {
    var document: ExperimentDocument {
        let arms = report.definition.arms.map(\.name)
        var document = ExperimentDocument(
            experiment: report.definition.name, days: report.days.count, isOver: isOver,
            arms: arms.indices.map {
                .init(
                    name: arms[$0], members: report.memberCounts[$0], pages: report.pageCounts[$0],
                    confirmedPages: report.confirmedPageCounts[$0])
            },
            crossedMembers: report.crossedCount, sampleRatioPValue: report.sampleRatioPValue,
            // JSON has no infinity.
            sampleRatioEvidence: min(report.sampleRatioEvidence, .greatestFiniteMagnitude),
            distrust: report.distrust)
        guard report.distrust == nil else { return document }
        document.comparisons = report.comparisons.map { comparison in
            .init(
                arm: arms[comparison.arm], measure: comparison.measure.rawValue,
                isGuardrail: comparison.measure.isGuardrail, control: comparison.control, value: comparison.value,
                relative: comparison.relative.map(difference), pValue: comparison.absolute?.pValue,
                holmPValue: comparison.adjustedPValue,
                conclusion: "\(report.conclusion(of: comparison, isOver: isOver, tuningCount: tuningCount))")
        }
        document.segments = report.segments.map { segment in
            .init(
                fewestGroups: segment.groupCounts.lowerBound,
                mostGroups: segment.groupCounts.upperBound == .max ? nil : segment.groupCounts.upperBound,
                members: segment.memberCounts, joins: segment.joins.map { $0.map(difference) })
        }
        return document
    }

    private func difference(_ effect: Effect) -> ExperimentDocument.Difference {
        let (interval, always) = (effect.interval(), effect.alwaysValidInterval(tuningCount: tuningCount))
        return .init(
            difference: effect.difference, lower: interval.lower, upper: interval.upper,
            alwaysValidLower: always.lower, alwaysValidUpper: always.upper)
    }
}
