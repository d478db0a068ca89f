import CommandLineOptions
import Glibc

/// A subcommand of `coterie-bench`.
protocol Benchmark {
    static var command: Command { get }
    static func run(_ parsed: ParsedCommand) throws
}

/// Why a benchmark could not run.
enum BenchError: Error, CustomStringConvertible {
    /// A file or an answer is missing or malformed; the text says which, and why.
    case data(String)

    var description: String {
        switch self {
        case .data(let text): text
        }
    }

    /// As in sysexits.h: unusable data.
    static let exitCode: Int32 = 65
}

/// Writes a line to standard error.
func printError(_ line: String) {
    var text = line + "\n"
    text.withUTF8 { _ = unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

/// Options that several benchmarks share.
enum BenchOptions {
    static let threads = Option("threads", "N", help: "The number of threads (default: one per processor)")

    /// The number of threads that was asked for, else that of the processors.
    static func threads(of parsed: ParsedCommand) throws(UsageError) -> Int {
        try parsed.integerIfGiven("threads", in: 1...1024) ?? max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    }
}
