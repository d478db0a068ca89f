import Glibc
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
    private var current: Running?

    /// How far the running step is.
    private struct Running {
        var index: Int
        var fraction = 0.0
        var seconds = 0.0
        /// What its first report said: before it came what the step does once.
        var first: (fraction: Double, seconds: Double)?
    }

    /// The part of the whole that is taken to have gone just as expected before anything has run.
    private static let trustedShare = 0.02

    /// What was expected in all before anything had run, in seconds.
    let expectedSeconds: Double

    init(steps: [Step]) {
        self.steps = steps
        expectedSeconds = steps.reduce(0) { $0 + $1.expectedSeconds }
    }

    /// A step begins.
    mutating func begin(_ name: String) {
        guard let index = steps.firstIndex(where: { $0.name == name }) else { return }
        current = Running(index: index)
    }

    /// The running step has done a fraction of its work in so many seconds.
    mutating func advance(fraction: Double, seconds: Double) {
        guard var running = current else { return }
        (running.fraction, running.seconds) = (min(1, max(0, fraction)), seconds)
        if running.first == nil, fraction > 0 { running.first = (running.fraction, seconds) }
        current = running
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
            let expected = max(0, step.expectedSeconds * pace - current.seconds)
            guard let first = current.first, current.fraction > first.fraction else {
                remaining += expected
                continue
            }
            // The further a step is, the more its own speed counts, and the less what was expected of it.
            let advance = current.fraction - first.fraction
            let trust = min(1, advance / 0.2)
            let own = (1 - current.fraction) / advance * (current.seconds - first.seconds)
            remaining += trust * own + (1 - trust) * expected
        }
        return remaining
    }

    /// How much slower than expected the steps were that have ended, and one that takes longer already; what was quick
    /// weighs little.
    ///
    /// The beginning of a step says nothing: much of what it does once comes first.
    private var pace: Double {
        var (actual, expected) = (doneActual, doneExpected)
        if let current, current.seconds > steps[current.index].expectedSeconds {
            actual += current.seconds
            expected += steps[current.index].expectedSeconds
        }
        // The first steps are short, and say little of the others.
        let trustedSeconds = max(0.5, Self.trustedShare * self.expectedSeconds)
        return (actual + trustedSeconds) / (expected + trustedSeconds)
    }
}

/// How much memory this process can still take, in bytes.
enum AvailableMemory {
    /// The least of what the kernel says is available and what the control group allows; nil if neither is known.
    static func bytes() -> Int? {
        [fromKernel(), fromControlGroup()].compactMap { $0 }.min()
    }

    private static func fromKernel() -> Int? {
        guard let text = contents(of: "/proc/meminfo") else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix("MemAvailable:") }
        guard let kibibytes = line?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else { return nil }
        return kibibytes * 1024
    }

    /// Version 2 of control groups, as systemd's MemoryMax sets it.
    private static func fromControlGroup() -> Int? {
        guard let line = contents(of: "/proc/self/cgroup")?.split(separator: "\n").first(where: { $0.hasPrefix("0::") })
        else { return nil }
        let folder = "/sys/fs/cgroup" + line.dropFirst(3)
        func number(_ name: String) -> Int? {
            contents(of: folder + "/" + name).flatMap { Int($0.split(separator: "\n").first ?? "") }
        }
        guard let most = number("memory.max"), let now = number("memory.current") else { return nil }
        // Cached files count as used there, but give way.
        let cached = contents(of: folder + "/memory.stat")?.split(separator: "\n").first { $0.hasPrefix("file ") }
        let reclaimable = cached.flatMap { Int($0.dropFirst(5)) } ?? 0
        return max(0, most - max(0, now - reclaimable))
    }

    private static func contents(of path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }
}
