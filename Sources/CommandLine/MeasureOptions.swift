package import Similarity

/// The options that choose the score formula, for every command that computes neighbours.
package enum MeasureOptions {
    /// The names of the formulas.
    private enum Name: String, CaseIterable {
        case cosine, modified
    }

    /// An option for one parameter of the modified cosine.
    private struct Parameter {
        let option: Option
        let set: @Sendable (inout ModifiedCosine, Double) -> Void

        init(
            _ name: String, _ placeholder: String, _ help: String, in bounds: ClosedRange<Double>,
            at path: any WritableKeyPath<ModifiedCosine, Double> & Sendable
        ) {
            option = Option(
                name, placeholder, help: "Modified: \(help) (default: \(ModifiedCosine.standard[keyPath: path]))",
                type: .number(bounds), setting: MeasureOptions.setting(name))
            set = { $0[keyPath: path] = $1 }
        }
    }

    private static func setting(_ name: String) -> Setting { Setting("recompute.\(Setting.camelCased(name))") }

    package static var options: [Option] {
        let measure = Option(
            "measure", "NAME", help: "The formula", default: Name.modified.rawValue,
            allowed: Name.allCases.map(\.rawValue), setting: setting("measure"))
        return [measure] + parameters.map(\.option) + [cut]
    }

    private static let cut = Option(
        "cut", "SIDE",
        help: """
            Modified: source: a list has the K best of its group; target: a group is in the K lists where it scores \
            best (default: \(ModifiedCosine.standard.cut.rawValue))
            """,
        allowed: ListLimitSide.allCases.map(\.rawValue), setting: setting("cut"))

    /// The bounds of exponents; greater ones overflow and make no difference.
    private static let exponents = 0.0...8.0

    private static var parameters: [Parameter] {
        [
            Parameter(
                "degree-discount", "A", "A, the weight of a member or photo in d groups is d^-A", in: exponents,
                at: \.degreeDiscount),
            Parameter(
                "source-exponent", "P", "P, the score is divided by the group's size to this power", in: exponents,
                at: \.sourceExponent),
            Parameter(
                "neighbour-exponent", "Q",
                "Q, the score is divided by the neighbour's size to this power; a smaller Q favours large groups",
                in: exponents, at: \.neighbourExponent),
            Parameter(
                "shrinkage", "H", "H, the score of c common entries is multiplied by c / (c + H)", in: 0...1e9,
                at: \.shrinkage),
            Parameter(
                "score-power", "R", "R, the score is raised to this power; the order stays", in: 0.01...8,
                at: \.scorePower),
            Parameter(
                "list-power", "G", "divides a list by the sum of its scores to this power", in: 0...1,
                at: \.listPower),
            Parameter(
                "limit-exponent", "Y",
                "Y, a group of N members or photos keeps C N^Y pairs, with the C that makes K their mean", in: 0...2,
                at: \.limitExponent),
        ]
    }

    /// Returns the chosen formula.
    ///
    /// - Parameter otherwise: the values of the parameters that are not given.
    /// - Throws: `UsageError` if a parameter is out of bounds, or is given for plain cosine.
    package static func measure(of parsed: ParsedCommand, otherwise: ModifiedCosine = .standard) throws(UsageError)
        -> SimilarityParameters.Measure
    {
        let name = parsed.choice("measure", of: Name.self)
        var modified = otherwise
        for parameter in parameters {
            guard let value = try parsed.numberIfGiven(parameter.option.name) else { continue }
            guard name == .modified else {
                throw UsageError("--\(parameter.option.name) needs --measure \(Name.modified.rawValue)")
            }
            parameter.set(&modified, value)
        }
        if let cut = parsed.choiceIfGiven(cut.name, of: ListLimitSide.self) {
            guard name == .modified else { throw UsageError("--cut needs --measure \(Name.modified.rawValue)") }
            modified.cut = cut
        }
        return name == .modified ? .modified(modified) : .cosine
    }
}

/// The option and the environment variable that choose the processor instructions of the search.
package enum ProcessorPathOption {
    package static let option = Option(
        "processor-path", "PATH",
        help: "The processor instructions to use, for comparisons (default: the fastest supported ones)",
        environment: "COTERIE_PROCESSOR_PATH", allowed: ProcessorPath.allCases.map(\.rawValue))

    /// Returns the chosen instructions, by default the fastest.
    ///
    /// - Throws: `UsageError` if the processor does not support them.
    package static func path(of parsed: ParsedCommand) throws(UsageError) -> ProcessorPath {
        guard let path = parsed.choiceIfGiven(option.name, of: ProcessorPath.self) else { return .fastest }
        guard ProcessorPath.supported.contains(path) else {
            throw parsed.badValue(
                path.rawValue, of: option.name,
                expected: "one that this processor has: "
                    + ProcessorPath.supported.map(\.rawValue).joined(separator: ", "))
        }
        return path
    }
}
