import Model
import Recompute
import Synchronization

/// Prints each step of a recompute as it ends, and records the predictions.
final class ForecastLog: RecomputeObserver {
    /// A prediction of the job's whole time, and when it was made, in seconds since the start.
    private struct Prediction {
        var elapsedSeconds: Double
        var totalSeconds: Double
    }

    private struct State {
        var expectedSeconds = 0.0
        var predictions: [Prediction] = []
    }

    private let start = ContinuousClock.now
    private let state = Mutex(State())

    /// The prediction before anything large was read, in seconds.
    var expectedSeconds: Double { state.withLock { $0.expectedSeconds } }

    /// The largest error of the predictions made after a fifth of the time, as a share of the whole time.
    func worstError(wholeSeconds: Double) -> Double {
        state.withLock { state in
            state.predictions.filter { $0.elapsedSeconds >= 0.2 * wholeSeconds }
                .map { abs($0.totalSeconds - wholeSeconds) / wholeSeconds }.max() ?? 0
        }
    }

    func planned(_ estimate: RecomputeEstimate, availableBytes: Int?) {
        state.withLock { $0.expectedSeconds = estimate.seconds }
        print("expected: \(Measuring.fixed(estimate.seconds)) s, \(estimate.memoryBytes >> 20) MiB")
    }

    func stepBegan(_ name: String) {}

    func stepAdvanced(done: Int, total: Int?, unit: String?, remainingSeconds: Double) { note(remainingSeconds) }

    func stepEnded(_ report: Manifest.StepReport, _ outcome: String, remainingSeconds: Double) {
        note(remainingSeconds)
        print("\(report.name): \(Measuring.fixed(report.seconds)) s, peak \(report.peakBytes >> 20) MiB, \(outcome)")
    }

    func warn(_ message: String) { printError("warning: \(message)") }

    private func note(_ remainingSeconds: Double) {
        let elapsed = (ContinuousClock.now - start) / .seconds(1)
        state.withLock {
            $0.predictions.append(
                Prediction(elapsedSeconds: elapsed, totalSeconds: elapsed + remainingSeconds))
        }
    }
}
