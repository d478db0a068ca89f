public import CommandLineOptions
public import Similarity

/// The options that choose the formula, for every command that computes neighbours.
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

    /// All options.
    public static var options: [Option] {
        let measure = Option(
            "measure", "NAME", help: "The formula", default: Name.modified.rawValue,
            allowed: Name.allCases.map(\.rawValue))
        return [measure] + parameters.map(\.option) + [cut]
    }

    private static let cut = Option(
        "cut", "SIDE",
        help: """
            Modified: whether a group keeps the K best in its list, or the K lists where it is best (default: \
            \(ModifiedCosine.standard.cut.rawValue))
            """,
        allowed: ListCut.allCases.map(\.rawValue))

    /// Greater exponents overflow the range of numbers and make no difference.
    private static let exponents = 0.0...8.0

    private static var parameters: [Parameter] {
        [
            Parameter(
                option: Option(
                    "degree-discount", "A",
                    help: "Modified: A, the weight of a member or photo in d groups is d^-A"
                        + standard(\.degreeDiscount)),
                bounds: exponents, set: { $0.degreeDiscount = $1 }),
            Parameter(
                option: Option(
                    "source-exponent", "P",
                    help: "Modified: P, the score is divided by the group's size to this power"
                        + standard(\.sourceExponent)),
                bounds: exponents, set: { $0.sourceExponent = $1 }),
            Parameter(
                option: Option(
                    "neighbour-exponent", "Q",
                    help:
                        "Modified: Q, the score is divided by the neighbour's size to this power; a smaller Q favours "
                        + "large groups" + standard(\.neighbourExponent)),
                bounds: exponents, set: { $0.neighbourExponent = $1 }),
            Parameter(
                option: Option(
                    "shrinkage", "H",
                    help: "Modified: H, the score of c common entries is multiplied by c / (c + H)"
                        + standard(\.shrinkage)),
                bounds: 0...1e9, set: { $0.shrinkage = $1 }),
            Parameter(
                option: Option(
                    "score-power", "R",
                    help: "Modified: R, the score is raised to this power; the order stays" + standard(\.scorePower)),
                bounds: 0.01...8, set: { $0.scorePower = $1 }),
            Parameter(
                option: Option(
                    "list-power", "G",
                    help: "Modified: divides a list by the sum of its scores to this power" + standard(\.listPower)),
                bounds: 0...1, set: { $0.listPower = $1 }),
        ]
    }

    private static func standard(_ parameter: KeyPath<ModifiedCosine, Double>) -> String {
        " (default: \(ModifiedCosine.standard[keyPath: parameter]))"
    }

    /// The chosen formula.
    ///
    /// - Parameter otherwise: has the parameters that are not given.
    /// - Throws: `UsageError` if a parameter is out of bounds, or is given for plain cosine, which has none.
    public static func measure(of parsed: ParsedCommand, otherwise: ModifiedCosine = .standard) throws(UsageError)
        -> SimilarityParameters.Measure
    {
        let name = try parsed.choice("measure", of: Name.self)
        var modified = otherwise
        for parameter in parameters {
            guard let value = try parsed.numberIfGiven(parameter.option.name, in: parameter.bounds) else { continue }
            guard name == .modified else {
                throw UsageError("--\(parameter.option.name) needs --measure \(Name.modified.rawValue)")
            }
            parameter.set(&modified, value)
        }
        if let cut = try parsed.choiceIfGiven(cut.name, of: ListCut.self) {
            guard name == .modified else { throw UsageError("--cut needs --measure \(Name.modified.rawValue)") }
            modified.cut = cut
        }
        return name == .modified ? .modified(modified) : .cosine
    }
}

/// The option, and the environment variable, that choose the processor instructions of the search.
public enum ProcessorPathOption {
    /// `--processor-path`.
    public static let option = Option(
        "processor-path", "PATH",
        help: "The processor instructions to use, for comparisons (default: the fastest supported ones)",
        environment: "COTERIE_PROCESSOR_PATH", allowed: ProcessorPath.allCases.map(\.rawValue))

    /// The chosen path, by default the fastest.
    ///
    /// - Throws: `UsageError` if the processor does not support it.
    public static func path(of parsed: ParsedCommand) throws(UsageError) -> ProcessorPath {
        guard let path = try parsed.choiceIfGiven(option.name, of: ProcessorPath.self) else { return .fastest }
        guard ProcessorPath.supported.contains(path) else {
            throw parsed.badValue(
                path.rawValue, of: option.name,
                expected: "one that this processor has: "
                    + ProcessorPath.supported.map(\.rawValue).joined(separator: ", "))
        }
        return path
    }
}
