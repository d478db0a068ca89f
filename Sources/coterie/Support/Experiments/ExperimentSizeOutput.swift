import Answers
import Basics
import CatalogStore
import CommandLine
import Evaluation
import Experiments

/// The output of `coterie experiment size`.
enum ExperimentSizeOutput {
    static func write(_ parsed: ParsedCommand) throws {
        guard parsed.arguments.count == 1 else { throw UsageError("\"experiment size\" takes no name") }
        let effect = try effect(parsed)
        let measure = parsed.choice("measure", of: Measure.self)
        guard measure.hasBefore else {
            let names = Measure.allCases.filter(\.hasBefore).map(\.rawValue).joined(separator: ", ")
            throw parsed.badValue(measure.rawValue, of: "measure", expected: "for size, one of \(names)")
        }
        let catalog = try parsed.openCatalog()
        let now = try parsed.planInstant()
        let rows = try PlanSize.past(of: measure, from: catalog, atMilliseconds: now).map { weeks, past in
            NeededMembers(
                weeks: weeks, activeMembers: past.count, mean: past.mean, variance: past.variance,
                neededMembers: past.mean > 0
                    ? SampleSize(toFind: effect, ofMean: past.mean, variance: past.variance).memberCount : nil)
        }
        try parsed.print(rows) { output in
            try output.table(rows)
            let enough = rows.first { $0.activeMembers >= $0.neededMembers ?? .max }
            try output.line(
                enough.map {
                    """
                    \($0.neededMembers ?? 0) members are needed to find \(Formats.difference(effect)) in \
                    \(measure.rawValue) in 80 of 100 experiments: \(7 * $0.weeks) days, with all members
                    """
                } ?? "\(7 * (PlanSize.weeks.last ?? 0)) days are not enough to find \(Formats.difference(effect))")
        }
    }

    private static func effect(_ parsed: ParsedCommand) throws(UsageError) -> Double {
        let text = parsed.text("effect")
        guard text.hasSuffix("%"), let percent = Double(text.dropLast()), percent > 0, percent <= 1000 else {
            throw parsed.badValue(text, of: "effect", expected: "a percentage above 0%, such as 2%")
        }
        return percent / 100
    }
}

/// The members that an experiment of some weeks needs.
private struct NeededMembers: Answer {
    let weeks, activeMembers: Int
    let mean, variance: Double
    let neededMembers: Int?

    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("weeks", \.weeks, "The weeks of the experiment", column: .rank("weeks"))
        fields.always(
            "activeMembers", \.activeMembers, "Members who did something in the weeks before",
            column: .rank("active members"))
        fields.always("mean", \.mean, "The mean of what members did", column: .rounded("mean"))
        fields.always("variance", \.variance, "Its variance", column: .rounded("variance"))
        fields.sometimes(
            "neededMembers", \.neededMembers, "Members needed in both arms together; if there was any activity",
            column: .rank("needed"))
    }
}

extension Column where Value == Double {
    /// Returns a column of numbers that are rounded to thousandths.
    fileprivate static func rounded(_ title: String) -> Self {
        Self(title, isNumber: true) { "\(($0 * 1000).rounded() / 1000)" }
    }
}
