import Model
import Recompute
import Synchronization

/// Prints each step of a recompute as it ends, and records the predictions.
final class ForecastLog: RecomputeObserver {
    /// A prediction of the job's whole time, and when it was made, in seconds since the start.
    private struct Prediction {
        var elapsedSeconds: Double
        var totalSeconds: Double
        /// Of the step that ran, or had just ended.
        var step: String
    }

    private struct State {
        var expectedSeconds = 0.0
        var predictions: [Prediction] = []
        var step = ""
    }

    private let start = ContinuousClock.now
    private let state = Mutex(State())

    /// The prediction before anything large was read, in seconds.
    var expectedSeconds: Double { state.withLock { $0.expectedSeconds } }

    /// The largest error of the predictions made after a fifth of the time, as a share of the whole time, and when it
    /// was made.
    func worstError(wholeSeconds: Double) -> (share: Double, elapsedSeconds: Double, step: String) {
        state.withLock { state in
            state.predictions.filter { $0.elapsedSeconds >= 0.2 * wholeSeconds }
                .map { (abs($0.totalSeconds - wholeSeconds) / wholeSeconds, $0.elapsedSeconds, $0.step) }
                .max { $0.0 < $1.0 } ?? (0, 0, "")
        }
    }

    func planned(_ estimate: RecomputeEstimate, availableBytes: Int?) {
        state.withLock { $0.expectedSeconds = estimate.seconds }
        print("expected: \(Measuring.fixed(estimate.seconds)) s, \(estimate.memoryBytes >> 20) MiB")
    }

    func stepBegan(_ name: String) { state.withLock { $0.step = name } }

    func stepAdvanced(done: Int, total: Int?, unit: String?, remainingSeconds: Double) { note(remainingSeconds) }

    func stepEnded(_ report: Manifest.StepReport, _ outcome: String, remainingSeconds: Double) {
        let total = note(remainingSeconds)
        print(
            "\(report.name): \(Measuring.fixed(report.seconds)) s, peak \(report.peakBytes >> 20) MiB, \(outcome); "
                + "forecast \(Measuring.fixed(total, 1)) s")
    }

    func warn(_ message: String) { printError("warning: \(message)") }

    /// - Returns: the whole time that is expected now, in seconds.
    @discardableResult
    private func note(_ remainingSeconds: Double) -> Double {
        let elapsed = (ContinuousClock.now - start) / .seconds(1)
        state.withLock {
            $0.predictions.append(
                Prediction(elapsedSeconds: elapsed, totalSeconds: elapsed + remainingSeconds, step: $0.step))
        }
        return elapsed + remainingSeconds
    }
}
