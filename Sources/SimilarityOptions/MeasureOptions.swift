public import CommandLineOptions
public import Similarity

/// Options that choose the formula: the same wherever neighbours are computed.
public enum MeasureOptions {
    /// The formulas by name.
    private enum Name: String, CaseIterable {
        case cosine, modified
    }

    /// A parameter of the modified cosine.
    private struct Parameter {
        let option: Option
        let bounds: ClosedRange<Double>
        let set: @Sendable (inout ModifiedCosine, Double) -> Void
    }

    /// What `--measure modified` alone means: members who join everything count for less, the rest is as in plain cosine.
    public static let usualModified = ModifiedCosine(degreeDiscount: 0.5)

    /// All options.
    public static var options: [Option] {
        let measure = Option(
            "measure", "NAME", help: "The formula", default: Name.cosine.rawValue,
            allowed: Name.allCases.map(\.rawValue))
        return [measure] + parameters.map(\.option)
    }

    /// Greater exponents tell nothing apart any more, and leave the range of numbers.
    private static let exponents = 0.0...8.0

    private static var parameters: [Parameter] {
        [
            Parameter(
                option: Option(
                    "degree-discount", "A",
                    help: "Modified: a member or photo in d groups weighs d^-A; 0.5 unless said otherwise"),
                bounds: exponents, set: { $0.degreeDiscount = $1 }),
            Parameter(
                option: Option(
                    "source-exponent", "P",
                    help: "Modified: divides by the group's size to this power; 0.5 unless said otherwise"),
                bounds: exponents, set: { $0.sourceExponent = $1 }),
            Parameter(
                option: Option(
                    "neighbour-exponent", "Q",
                    help:
                        "Modified: divides by the neighbour's size to this power, the less the more for large groups; "
                        + "0.5 unless said otherwise"),
                bounds: exponents, set: { $0.neighbourExponent = $1 }),
            Parameter(
                option: Option(
                    "shrinkage", "H", help: "Modified: times c / (c + H) for c common entries; 0 unless said otherwise"),
                bounds: 0...1e9, set: { $0.shrinkage = $1 }),
            Parameter(
                option: Option(
                    "score-power", "R",
                    help: "Modified: the score to this power, which changes no order; 1 unless said otherwise"),
                bounds: 0.01...8, set: { $0.scorePower = $1 }),
        ]
    }

    /// The formula that was asked for.
    ///
    /// - Throws: `UsageError` if a parameter is out of bounds, or is given for a formula that has none.
    public static func measure(of parsed: ParsedCommand) throws(UsageError) -> SimilarityParameters.Measure {
        let name = try parsed.choice("measure", of: Name.self)
        var modified = usualModified
        for parameter in parameters {
            guard let value = try parsed.numberIfGiven(parameter.option.name, in: parameter.bounds) else { continue }
            guard name == .modified else {
                throw UsageError("--\(parameter.option.name) needs --measure \(Name.modified.rawValue)")
            }
            parameter.set(&modified, value)
        }
        return name == .modified ? .modified(modified) : .cosine
    }
}
