import Glibc

/// Why a benchmark could not run.
enum BenchError: Error, CustomStringConvertible {
    /// The arguments make no sense; how to call the subcommand.
    case usage(String)
    /// A file is missing, or is not what it should be; which, and why.
    case data(String)

    var description: String {
        switch self {
        case .usage(let text), .data(let text): text
        }
    }

    /// As in sysexits.h: 64 for usage, 65 for data.
    var exitCode: Int32 {
        switch self {
        case .usage: 64
        case .data: 65
        }
    }
}

/// Writes a line to standard error.
func printError(_ line: String) {
    var text = line + "\n"
    text.withUTF8 { _ = unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
