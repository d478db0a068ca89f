import Basics
import Glibc
import Synchronization

/// A progress line with rate and remaining time, which is shown on terminals only.
package final class ProgressLine: Sendable {
    private struct State {
        var step = ""
        var began = ContinuousClock().now
        var lastShown: ContinuousClock.Instant?
        var isShowing = false
    }

    private let state = Mutex(State())
    private let isTerminal = isatty(STDERR_FILENO) == 1

    package init() {}

    /// Begins a step, and measures its rate from now on.
    package func begin(_ step: String) {
        state.withLock { $0 = State(step: step, isShowing: $0.isShowing) }
    }

    /// Shows an amount, at most ten times a second.
    ///
    /// - Parameters:
    ///   - done: the work done so far in this step.
    ///   - total: all work of the step, or `nil` if unknown.
    ///   - unit: the unit of `done`, or `nil` to show a percentage only.
    ///   - note: a text behind the line.
    ///   - remainingSeconds: the remaining time of all steps, or `nil` to estimate that of this step.
    package func show(done: Int, total: Int?, unit: String?, note: String = "", remainingSeconds: Double? = nil) {
        guard isTerminal else { return }
        state.withLock { state in
            let now = ContinuousClock().now
            if let last = state.lastShown, last.duration(to: now) < .milliseconds(100) { return }
            state.lastShown = now
            state.isShowing = true
            let line = Self.line(
                state.step, done: done, total: total, unit: unit, seconds: state.began.duration(to: now).inSeconds,
                remainingSeconds: remainingSeconds)
            writeToStandardError("\r\u{1b}[K" + line + note)
        }
    }

    /// Clears the line, so that other output can follow.
    package func clear() {
        state.withLock { state in
            if state.isShowing { writeToStandardError("\r\u{1b}[K") }
            state.isShowing = false
        }
    }

    static func line(_ step: String, done: Int, total: Int?, unit: String?, seconds: Double, remainingSeconds: Double?)
        -> String
    {
        var parts: [String] = []
        if let total, total > 0 { parts.append(Formats.fixed(100 * Double(done) / Double(total), 0) + "%") }
        if let unit {
            parts.append(unit == "bytes" ? Formats.bytes(done) : done.grouped + " " + unit)
            if seconds > 0.5 {
                let rate = Int(Double(done) / seconds)
                parts.append((unit == "bytes" ? Formats.bytes(rate) : rate.grouped) + "/s")
            }
        }
        if let remainingSeconds {
            parts.append(Formats.seconds(remainingSeconds) + " left in all")
        } else if let total, done > 0, total > done, seconds > 0.5 {
            parts.append(Formats.seconds(seconds * Double(total - done) / Double(done)) + " left")
        }
        return step + (parts.isEmpty ? "" : ": " + parts.joined(separator: ", "))
    }
}

extension Duration {
    package var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
