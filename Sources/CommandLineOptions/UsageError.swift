/// A command line that was not understood: what is wrong with it, and what to do.
///
/// A program that gets one writes its description to standard error and ends with `exitCode`.
public struct UsageError: Error, Equatable, CustomStringConvertible {
    /// The exit code of a program that was called wrongly: 64, `EX_USAGE` of sysexits.
    public static let exitCode: Int32 = 64

    /// What is wrong, naming the option or argument and the value.
    public let message: String
    /// What to do about it: a name that was perhaps meant, a usage line, where the help is; may be empty.
    public let advice: [String]

    /// An error, with lines of advice if there are any.
    public init(_ message: String, advice: [String] = []) {
        self.message = message
        self.advice = advice
    }

    /// The message, and below it the advice, one a line.
    public var description: String { ([message] + advice).joined(separator: "\n") }
}
