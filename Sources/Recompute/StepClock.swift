import Glibc
import Model

/// Times the steps of a recompute and keeps their reports.
final class StepClock {
    private let observer: any RecomputeObserver
    private(set) var reports: [Manifest.StepReport] = []

    init(observer: any RecomputeObserver) { self.observer = observer }

    /// Runs a step.
    ///
    /// - Parameter body: returns what it made and, in a few words, what it found.
    func step<Result>(
        _ name: String, _ body: () throws(RecomputeError) -> (Result, outcome: String)
    ) throws(RecomputeError) -> Result {
        observer.stepBegan(name)
        let clock = ContinuousClock()
        let start = clock.now
        let (result, outcome) = try body()
        let elapsed = start.duration(to: clock.now).components
        let report = Manifest.StepReport(
            name: name, seconds: Double(elapsed.seconds) + Double(elapsed.attoseconds) * 1e-18,
            peakBytes: Self.peakResidentBytes)
        reports.append(report)
        observer.stepEnded(report, outcome)
        return result
    }

    /// The most memory this process ever had resident, in bytes.
    static var peakResidentBytes: Int {
        var usage = rusage()
        guard unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return 0 }
        return usage.ru_maxrss * 1024
    }
}
