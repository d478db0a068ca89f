public import CommandLineOptions
public import Similarity

/// The option, and the environment variable, that force the instructions the comparison uses.
public enum ProcessorPathOption {
    /// `--processor-path`.
    public static let option = Option(
        "processor-path", "PATH",
        help: "Use these instructions, to compare them; the best that the processor has unless said otherwise",
        environment: "COTERIE_PROCESSOR_PATH", allowed: ProcessorPath.allCases.map(\.rawValue))

    /// The path that was asked for, else the fastest.
    ///
    /// - Throws: `UsageError` if the processor does not have it.
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
