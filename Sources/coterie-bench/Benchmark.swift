import Basics
import CommandLine
import Glibc
import Recompute

/// A subcommand of `coterie-bench`.
protocol Benchmark {
    static var command: Command { get }
    static func run(_ parsed: ParsedCommand) throws
}

/// `coterie-bench manual [PAGE]`.
enum ManualCommand: Benchmark {
    static let command = CommandLineProgram.manualCommand

    static func run(_ parsed: ParsedCommand) throws {
        var output = try Output()
        try output.write(program.manual(parsed.arguments.first))
        try output.flush()
    }
}

/// Options that several benchmarks share.
enum BenchOptions {
    static let threads = Option("threads", "N", help: "The number of threads (default: one per processor)")

    /// Returns the requested number of threads, or else the number of processors.
    static func threads(of parsed: ParsedCommand) throws(UsageError) -> Int {
        try parsed.integerIfGiven("threads", in: 1...1024) ?? AvailableProcessors.count()
    }
}

/// The measurement and formatting of time and memory for all benchmarks.
enum Measuring {
    /// Runs `body` and returns its result with the elapsed time in seconds.
    static func seconds<Result>(_ body: () throws -> Result) rethrows -> (result: Result, seconds: Double) {
        let start = ContinuousClock.now
        let result = try body()
        return (result, (ContinuousClock.now - start) / .seconds(1))
    }

    /// The peak resident memory of the process, in bytes.
    static var peakBytes: Int {
        var usage = rusage()
        unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss * 1024
    }

    /// The processor time of the whole process, in seconds.
    static var processorSeconds: Double { Double(clock()) / Double(CLOCKS_PER_SEC) }

    static func median(_ values: [Double]) -> Double { quantile(values, 0.5) }

    /// Returns the value below which a part of the values lies, from 0 to 1; no number without values.
    static func quantile(_ values: [Double], _ part: Double) -> Double {
        values.isEmpty ? .nan : values.sorted()[min(values.count - 1, Int(part * Double(values.count)))]
    }

    /// Returns a number rounded to four decimal places.
    static func rounded(_ value: Double) -> Double { (value * 10_000).rounded() / 10_000 }

    /// Returns a number with three decimal places, zeros included.
    static func fixed(_ value: Double) -> String { Formats.fixed(value, 3) }
}
