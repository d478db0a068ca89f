import Basics

/// A forecast of the duration of a recompute.
///
/// It begins with the amount of work, and then trusts the measured speed more and more. It reads no clock: the caller
/// passes the seconds.
struct Forecast: Sendable {
    /// An expected step.
    struct Step: Sendable, Equatable {
        var name: String
        var expectedSeconds: Double
    }

    private var steps: [Step]
    private var doneExpected = 0.0
    private var doneActual = 0.0
    private var current: Running?

    /// The progress of the running step.
    private struct Running {
        var index: Int
        var fraction = 0.0
        var seconds = 0.0
        /// The first report, which comes after the one-time work of the step.
        var first: (fraction: Double, seconds: Double)?
    }

    /// The share of the whole forecast that counts as done at exactly the expected pace before anything has run.
    private static let trustedShare = 0.02

    /// The sum of all expected durations at the beginning, in seconds.
    let expectedSeconds: Double

    init(steps: [Step]) {
        self.steps = steps
        expectedSeconds = steps.reduce(0) { $0 + $1.expectedSeconds }
    }

    /// Begins a step; an unknown name changes nothing.
    mutating func begin(_ name: String) {
        guard let index = steps.firstIndex(where: { $0.name == name }) else { return }
        current = Running(index: index)
    }

    /// Records the fraction of the running step that is done, and the seconds since the step began.
    mutating func advance(fraction: Double, seconds: Double) {
        guard var running = current else { return }
        (running.fraction, running.seconds) = (min(1, max(0, fraction)), seconds)
        if running.first == nil, fraction > 0 { running.first = (running.fraction, seconds) }
        current = running
    }

    mutating func end(seconds: Double) {
        guard let index = current?.index else { return }
        doneExpected += steps[index].expectedSeconds
        doneActual += seconds
        steps.removeSubrange(...index)
        current = nil
    }

    /// The remaining time, in seconds.
    var remainingSeconds: Double {
        var remaining = 0.0
        for (index, step) in steps.enumerated() {
            guard index == current?.index, let current else {
                remaining += step.expectedSeconds * pace
                continue
            }
            let expected = max(0, step.expectedSeconds * pace - current.seconds)
            guard let first = current.first, current.fraction > first.fraction else {
                remaining += expected
                continue
            }
            // The further a step is, the more its measured speed counts, and the less its expected duration.
            let advance = current.fraction - first.fraction
            let trust = min(1, advance / 0.2)
            let own = (1 - current.fraction) / advance * (current.seconds - first.seconds)
            remaining += trust * own + (1 - trust) * expected
        }
        return remaining
    }

    /// The ratio of actual to expected durations of the ended steps.
    ///
    /// A running step counts as soon as it takes longer than expected. Before that it does not count: much of its
    /// one-time work comes first. Short steps weigh little.
    private var pace: Double {
        var (actual, expected) = (doneActual, doneExpected)
        if let current, current.seconds > steps[current.index].expectedSeconds {
            actual += current.seconds
            expected += steps[current.index].expectedSeconds
        }
        // The first steps are short, and predict little about the others.
        let trustedSeconds = max(0.5, Self.trustedShare * self.expectedSeconds)
        return (actual + trustedSeconds) / (expected + trustedSeconds)
    }
}

/// The memory that this process can still take.
enum AvailableMemory {
    /// Returns the smaller of the available memory and the remainder of the control groups, in bytes.
    ///
    /// The result is `nil` if neither is known.
    ///
    /// - Parameter root: the folder that stands for `/`.
    static func bytes(root: String = "") -> Int? {
        [fromKernel(root), ControlGroups(root: root).memoryBytes].compactMap { $0 }.min()
    }

    private static func fromKernel(_ root: String) -> Int? {
        guard let text = RegularFile.text(root + "/proc/meminfo") else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix("MemAvailable:") }
        guard let kibibytes = line?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else { return nil }
        return kibibytes * 1024
    }
}
