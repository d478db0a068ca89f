import CMalloc
import Glibc
import Model
import Synchronization

/// When the weekly job last succeeded, when it last failed and why, as metrics in Prometheus's text format.
///
/// They are for a file that the text collector of Prometheus's node_exporter reads: the job ends, and a daemon may be
/// on another machine. A job that cannot even start shows, too: its last success gets old.
public struct RecomputeStatus: Sendable, Equatable {
    private static let success = "coterie_recompute_last_success_timestamp_seconds"
    private static let failure = "coterie_recompute_last_failure_timestamp_seconds"
    /// The longest reason that is told, in characters.
    private static let reasonLimit = 200

    /// The samples, without their ends of line; nil if it never happened.
    private var lastSuccess, lastFailure: String?

    /// The state that a file tells.
    ///
    /// - Parameter text: what `text` gave for the run before; anything else is nothing.
    public init(_ text: String = "") {
        let lines = text.split(separator: "\n")
        lastSuccess = lines.last { $0.hasPrefix(Self.success) }.map(String.init)
        lastFailure = lines.last { $0.hasPrefix(Self.failure) }.map(String.init)
    }

    /// When the job last succeeded, in Unix seconds; nil if it never did.
    public var lastSuccessSeconds: Int64? { Self.time(in: lastSuccess) }

    /// When the job last failed, in Unix seconds; nil if it never did.
    public var lastFailureSeconds: Int64? { Self.time(in: lastFailure) }

    /// Why it last failed; nil if it never did.
    public var lastFailureReason: String? {
        guard let sample = lastFailure, let start = sample.firstRange(of: "reason=\"")?.upperBound,
            let end = sample.ranges(of: "\"} ").last?.lowerBound, start <= end
        else { return nil }
        var reason = ""
        var isEscaped = false
        for character in sample[start..<end] {
            if character == "\\", !isEscaped {
                isEscaped = true
            } else {
                reason.append(character)
                isEscaped = false
            }
        }
        return reason
    }

    private static func time(in sample: String?) -> Int64? {
        sample?.split(separator: " ").last.flatMap { Int64($0) }
    }

    /// The job has succeeded, at a time in Unix seconds.
    public mutating func succeeded(at seconds: Int64) { lastSuccess = "\(Self.success) \(seconds)" }

    /// The job has failed.
    ///
    /// - Parameters:
    ///   - seconds: when, in Unix seconds.
    ///   - exitCode: with which exit code.
    ///   - reason: why, in a sentence.
    public mutating func failed(at seconds: Int64, exitCode: Int32, reason: String) {
        let label = reason.prefix(Self.reasonLimit).map { character in
            switch character {
            case "\\", "\"": "\\\(character)"
            case _ where character.isNewline: " "
            default: String(character)
            }
        }.joined()
        lastFailure = "\(Self.failure){code=\"\(exitCode)\",reason=\"\(label)\"} \(seconds)"
    }

    /// The file.
    public var text: String {
        [
            (Self.success, "When a recompute last succeeded.", lastSuccess),
            (Self.failure, "When a recompute last failed, and why.", lastFailure),
        ].map { name, help, sample in
            sample.map { "# HELP \(name) \(help)\n# TYPE \(name) gauge\n\($0)\n" } ?? ""
        }.joined()
    }
}

/// Times the steps of a recompute, keeps their reports, and foretells the end.
final class StepClock: Sendable {
    private struct State {
        var reports: [Manifest.StepReport] = []
        var forecast = Forecast(steps: [])
        var stepBegan = ContinuousClock.now
    }

    private let observer: any RecomputeObserver
    private let state = Mutex(State())

    init(observer: any RecomputeObserver) { self.observer = observer }

    /// The steps that have ended.
    var reports: [Manifest.StepReport] { state.withLock { $0.reports } }

    /// From now on the end is foretold from these steps.
    func expect(_ steps: [Forecast.Step]) { state.withLock { $0.forecast = Forecast(steps: steps) } }

    /// Runs a step.
    ///
    /// - Parameter body: returns what it made and, in a few words, what it found.
    func step<Result>(
        _ name: String, _ body: () throws(RecomputeError) -> (Result, outcome: String)
    ) throws(RecomputeError) -> Result {
        observer.stepBegan(name)
        state.withLock {
            $0.stepBegan = .now
            $0.forecast.begin(name)
        }
        let (result, outcome) = try body()
        // What a step needed and the next one does not would count for both: it goes back to the system.
        shim_release_freed_memory()
        let (report, remaining) = state.withLock { state in
            let seconds = state.stepBegan.secondsPassed
            let report = Manifest.StepReport(name: name, seconds: seconds, peakBytes: Self.peakResidentBytes)
            state.reports.append(report)
            state.forecast.end(seconds: seconds)
            return (report, state.forecast.remainingSeconds)
        }
        observer.stepEnded(report, outcome, remainingSeconds: remaining)
        return result
    }

    /// The running step has done so much; from any thread.
    func advance(done: Int, total: Int?, unit: String?) {
        let remaining = state.withLock { state in
            if let total, total > 0 {
                state.forecast.advance(
                    fraction: Double(done) / Double(total), seconds: state.stepBegan.secondsPassed)
            }
            return state.forecast.remainingSeconds
        }
        observer.stepAdvanced(done: done, total: total, unit: unit, remainingSeconds: remaining)
    }

    /// The most memory this process ever had resident, in bytes.
    static var peakResidentBytes: Int {
        var usage = rusage()
        guard unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return 0 }
        return usage.ru_maxrss * 1024
    }
}

extension ContinuousClock.Instant {
    /// Seconds from this instant to now.
    fileprivate var secondsPassed: Double { duration(to: .now) / .seconds(1) }
}
