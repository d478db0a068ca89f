import Model

/// How long a recompute will take, first from the amount of work, then more and more from how it goes.
///
/// A plain value, apart from clocks: it is told what has passed.
struct Forecast: Sendable {
    /// A step that is expected.
    struct Step: Sendable, Equatable {
        var name: String
        var expectedSeconds: Double
    }

    private var steps: [Step]
    private var doneExpected = 0.0
    private var doneActual = 0.0
    private var current: (index: Int, fraction: Double, seconds: Double)?

    init(steps: [Step]) { self.steps = steps }

    /// What is expected in all before anything has run, in seconds.
    var expectedSeconds: Double { steps.reduce(0) { $0 + $1.expectedSeconds } }

    /// A step begins.
    mutating func begin(_ name: String) {
        guard let index = steps.firstIndex(where: { $0.name == name }) else { return }
        current = (index, 0, 0)
    }

    /// The running step has done a fraction of its work in so many seconds.
    mutating func advance(fraction: Double, seconds: Double) {
        guard let index = current?.index else { return }
        current = (index, min(1, max(0, fraction)), seconds)
    }

    /// The running step has ended.
    mutating func end(seconds: Double) {
        guard let index = current?.index else { return }
        doneExpected += steps[index].expectedSeconds
        doneActual += seconds
        steps.removeSubrange(...index)
        current = nil
    }

    /// How long it will still take, in seconds.
    var remainingSeconds: Double {
        var remaining = 0.0
        for (index, step) in steps.enumerated() {
            guard index == current?.index, let current else {
                remaining += step.expectedSeconds * pace
                continue
            }
            let expected = step.expectedSeconds * pace
            // The further a step is, the more its own speed counts and the less what was expected of it; with the
            // square, as its first report comes after what it does once, and says little.
            let share = min(1, current.fraction / 0.2)
            let trust = share * share
            let ownTotal = current.fraction > 0 ? current.seconds / current.fraction : expected
            remaining += max(0, (trust * ownTotal + (1 - trust) * max(expected, current.seconds)) - current.seconds)
        }
        return remaining
    }

    /// How much slower than expected it went up to now, the running step included; what was quick weighs little.
    private var pace: Double {
        var (actual, expected) = (doneActual, doneExpected)
        if let current, current.fraction > 0 {
            actual += current.seconds
            expected += steps[current.index].expectedSeconds * current.fraction
        }
        // As if half a second had gone just as expected, so that the first milliseconds decide nothing.
        return (actual + 0.5) / (expected + 0.5)
    }
}
