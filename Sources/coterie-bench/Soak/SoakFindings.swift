import Synchronization

/// The counts of answers, and the failures.
final class SoakFindings: Sendable {
    private struct State {
        var answers: [String: Int] = [:]
        var statuses: [Int: Int] = [:]
        var publications = 0
        var failures: [String] = []
        var failureCount = 0
        /// The mark of the titles of each version.
        var marks: [String: Int] = [:]
    }

    private static let failureLimit = 20
    private let state = Mutex(State())

    /// Records a failure; only the first ones are kept.
    func fail(_ text: String) {
        state.withLock { state in
            state.failureCount += 1
            if state.failures.count < Self.failureLimit { state.failures.append(text) }
        }
    }

    /// Counts an answer; a status of 5xx is a failure.
    func note(_ kind: String, _ status: Int) {
        state.withLock { state in
            state.answers[kind, default: 0] += 1
            state.statuses[status, default: 0] += 1
        }
        if status >= 500 || status == 0 { fail("\(kind) was answered with \(status)") }
    }

    /// The number of versions that have been published.
    var publications: Int { state.withLock { $0.publications } }

    /// Counts a published version.
    func notePublication() { state.withLock { $0.publications += 1 } }

    /// Whether the titles of a version have the same mark as before; a first mark is recorded.
    func isKnown(_ mark: Int, ofVersion version: String) -> Bool {
        state.withLock { state in
            let known = state.marks[version] ?? mark
            state.marks[version] = known
            return known == mark
        }
    }

    /// The failures, at most `failureLimit` and the number of others.
    var failures: [String] {
        state.withLock { state in
            let more = state.failureCount - state.failures.count
            return state.failures + (more > 0 ? ["and \(more) more"] : [])
        }
    }

    /// The counts as members of a JSON object.
    var json: String {
        state.withLock { state in
            func object(_ counts: [(String, Int)]) -> String {
                "{\(counts.sorted { $0.0 < $1.0 }.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ","))}"
            }
            return """
                "answers":\(object(state.answers.map { ($0.key, $0.value) })),\
                "statuses":\(object(state.statuses.map { ("\($0.key)", $0.value) })),\
                "publications":\(state.publications),"versionsSeen":\(state.marks.count),\
                "failures":\(state.failureCount)
                """
        }
    }

    /// The counts in a few words.
    var summary: String {
        state.withLock { state in
            """
            \(state.answers.values.reduce(0, +)) answers, \(state.publications) publications, \
            \(state.marks.count) versions seen, \(state.failureCount) failures
            """
        }
    }
}

/// The hidden groups, each with the daemon that hid it and the time.
final class RecentlyHiddenGroups: Sendable {
    /// The time in which the other daemon must learn of a hidden group while Redis is up; much longer than usual.
    static let delaySeconds = 10

    private struct State {
        var groups: [String: (daemon: Int, since: ContinuousClock.Instant)] = [:]
        var redisSince = ContinuousClock.now
    }

    private let state = Mutex(State())

    /// The ids of all hidden groups.
    var all: Set<String> { state.withLock { Set($0.groups.keys) } }

    /// Records that a daemon has acknowledged hiding a group.
    func add(_ group: String, by daemon: Int) { state.withLock { $0.groups[group] = (daemon, .now) } }

    /// Records that Redis is up again.
    func noteRedisIsThere() { state.withLock { $0.redisSince = .now } }

    /// Returns the groups that a daemon must not show in answers to requests sent from now on.
    func groups(for daemon: Int) -> Set<String> {
        state.withLock { state in
            let heard = ContinuousClock.now - .seconds(Self.delaySeconds)
            return Set(
                state.groups.filter { $0.value.daemon == daemon || max($0.value.since, state.redisSince) < heard }
                    .keys)
        }
    }

    /// Removes and returns the groups hidden for longer than a time, before they are shown again.
    func takeOlder(thanSeconds seconds: Int) -> [(group: String, daemon: Int)] {
        state.withLock { state in
            let begin = ContinuousClock.now - .seconds(seconds)
            let older = state.groups.filter { $0.value.since < begin }
            for group in older.keys { state.groups[group] = nil }
            return older.map { ($0.key, $0.value.daemon) }
        }
    }
}

/// The memory and open files of a daemon, sampled once a second.
struct ResourceSamples {
    private var memory: [Int] = []
    private var files: [Int] = []

    mutating func take(of child: Child) throws {
        memory.append(try child.anonymousBytes())
        files.append(try child.descriptorCount())
    }

    /// The median of the anonymous memory in each third of the time, in bytes.
    var memoryByThird: [Int] { Self.thirds(of: memory).map { $0.sorted()[$0.count / 2] } }

    /// The most open files in each third of the time.
    var filesByThird: [Int] { Self.thirds(of: files).compactMap { $0.max() } }

    /// The growth from the second third to the last, or nil if it is within bounds.
    ///
    /// The first third fills caches. A run of less than three minutes is too short for that, and the result is nil.
    var growth: String? {
        guard memory.count >= 180 else { return nil }
        let (memory, files) = (memoryByThird, filesByThird)
        if memory[2] > memory[1] + memory[1] / 10 + 8 << 20 {
            return "its memory grew from \(memory[1]) to \(memory[2]) bytes"
        }
        return files[2] > files[1] + 8 ? "its open files grew from \(files[1]) to \(files[2])" : nil
    }

    private static func thirds(of samples: [Int]) -> [[Int]] {
        (0..<3).map { Array(samples[samples.count * $0 / 3..<samples.count * ($0 + 1) / 3]) }
    }
}
