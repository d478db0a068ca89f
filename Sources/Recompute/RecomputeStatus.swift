import Basics
import CMalloc
import Glibc
import Model
import Synchronization

/// The last success and the last failure of the weekly job, as metrics in Prometheus's text format.
///
/// The metrics are written to a file for the text collector of Prometheus's node_exporter: the job ends, and a daemon
/// may run on another machine. A job that cannot even start is noticed by the age of its last success.
package struct RecomputeStatus: Sendable, Equatable {
    private static let success = "coterie_recompute_last_success_timestamp_seconds"
    private static let failure = "coterie_recompute_last_failure_timestamp_seconds"
    /// The longest reason in a metric, in characters.
    private static let reasonLimit = 200

    /// The samples without their line ends, or `nil` if the job never succeeded or never failed.
    private var lastSuccess, lastFailure: String?

    /// Reads the status from a file.
    ///
    /// - Parameter text: the `text` of the previous run; other lines are ignored.
    package init(_ text: String = "") {
        let lines = text.split(separator: "\n")
        lastSuccess = lines.last { $0.hasPrefix(Self.success) }.map(String.init)
        lastFailure = lines.last { $0.hasPrefix(Self.failure) }.map(String.init)
    }

    /// The time of the last success in Unix seconds, or `nil` if there was none.
    package var lastSuccessSeconds: Int64? { Self.time(in: lastSuccess) }

    /// The time of the last failure in Unix seconds, or `nil` if there was none.
    package var lastFailureSeconds: Int64? { Self.time(in: lastFailure) }

    /// The reason of the last failure, or `nil` if there was none.
    package var lastFailureReason: String? {
        let reason = lastFailure?.firstMatch(of: #/reason="(.*)"\} /#)?.output.1
        return reason.map { String($0).replacing(#/\\(.)/#) { $0.output.1 } }
    }

    /// The exit code of the last failure, or `nil` if there was none.
    package var lastFailureCode: Int? {
        lastFailure?.firstMatch(of: /[{,]code="([0-9]+)"/).flatMap { Int($0.output.1) }
    }

    private static func time(in sample: String?) -> Int64? {
        sample?.split(separator: " ").last.flatMap { Int64($0) }
    }

    /// Records a success, at a time in Unix seconds.
    package mutating func succeeded(at seconds: Int64) { lastSuccess = "\(Self.success) \(seconds)" }

    /// Records a failure.
    ///
    /// - Parameters:
    ///   - seconds: the time, in Unix seconds.
    ///   - reason: the reason, a sentence.
    package mutating func failed(at seconds: Int64, exitCode: Int32, reason: String) {
        let label = String(Self.cut(reason).map { $0.isNewline ? " " : $0 }).asLabelValue
        lastFailure = "\(Self.failure){code=\"\(exitCode)\",reason=\"\(label)\"} \(seconds)"
    }

    /// Returns a reason that is not too long, cut between words: half a number would be another number.
    private static func cut(_ reason: String) -> String {
        guard reason.count > reasonLimit else { return reason }
        let start = reason.prefix(reasonLimit - 1)
        let words = start.lastIndex(of: " ").map { start[..<$0] } ?? start
        return words.drop { $0.isWhitespace } + "…"
    }

    /// The content of the file.
    package var text: String {
        [
            (Self.success, "When a recompute last succeeded.", lastSuccess),
            (Self.failure, "When a recompute last failed, and why.", lastFailure),
        ].map { name, help, sample in
            sample.map { "# HELP \(name) \(help)\n# TYPE \(name) gauge\n\($0)\n" } ?? ""
        }.joined()
    }
}

/// Times the steps of a recompute, keeps their reports, and forecasts the end.
final class StepClock: Sendable {
    private struct State {
        var reports: [Manifest.StepReport] = []
        var forecast = Forecast(steps: [])
        var unit: String?
        var stepBegan = ContinuousClock.now
    }

    private let observer: any RecomputeObserver
    private let state = Mutex(State())

    init(observer: any RecomputeObserver) { self.observer = observer }

    /// The reports of the steps that have ended.
    var reports: [Manifest.StepReport] { state.withLock { $0.reports } }

    /// Sets the steps that the forecast is made from.
    func expect(_ steps: [Forecast.Step]) { state.withLock { $0.forecast = Forecast(steps: steps) } }

    /// The expected duration of all steps, in seconds.
    var expectedSeconds: Double { state.withLock { $0.forecast.expectedSeconds } }

    /// Runs a step.
    ///
    /// - Parameter body: returns its result and a short description of the outcome.
    func step<Result>(
        _ step: JobStep, _ body: () throws(Failure) -> (Result, outcome: String)
    ) throws(Failure) -> Result {
        observer.stepBegan(step.name)
        state.withLock {
            $0.stepBegan = .now
            $0.unit = step.unit
            $0.forecast.begin(step.name)
        }
        let (result, outcome) = try body()
        // Memory that only this step needed goes back to the system, or it would add to the peak of the next step.
        shim_release_freed_memory()
        let (report, remaining) = state.withLock { state in
            let seconds = state.stepBegan.secondsPassed
            let report = Manifest.StepReport(name: step.name, seconds: seconds, peakBytes: Self.peakResidentBytes)
            state.reports.append(report)
            state.forecast.end(seconds: seconds)
            return (report, state.forecast.remainingSeconds)
        }
        observer.stepEnded(report, outcome, remainingSeconds: remaining)
        return result
    }

    /// Reports the progress of the running step; may be called from any thread.
    func advance(done: Int, total: Int?) {
        let (remaining, unit) = state.withLock { state in
            if let total, total > 0 {
                state.forecast.advance(
                    fraction: Double(done) / Double(total), seconds: state.stepBegan.secondsPassed)
            }
            return (state.forecast.remainingSeconds, state.unit)
        }
        observer.stepAdvanced(done: done, total: total, unit: unit, remainingSeconds: remaining)
    }

    /// The peak resident memory of this process so far, in bytes.
    static var peakResidentBytes: Int {
        var usage = rusage()
        guard unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return 0 }
        return usage.ru_maxrss * 1024
    }
}

extension ContinuousClock.Instant {
    /// The seconds from this instant to now.
    fileprivate var secondsPassed: Double { duration(to: .now) / .seconds(1) }
}
