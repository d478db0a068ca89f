import CMalloc
import Glibc
import Model
import Synchronization

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
