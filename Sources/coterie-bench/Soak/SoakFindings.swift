import Synchronization

/// What was answered, and what did not hold.
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

    /// Something does not hold; the first ones are kept.
    func fail(_ text: String) {
        state.withLock { state in
            state.failureCount += 1
            if state.failures.count < Self.failureLimit { state.failures.append(text) }
        }
    }

    /// Counts an answer; one of 5xx does not hold.
    func note(_ kind: String, _ status: Int) {
        state.withLock { state in
            state.answers[kind, default: 0] += 1
            state.statuses[status, default: 0] += 1
        }
        if status >= 500 || status == 0 { fail("\(kind) was answered with \(status)") }
    }

    /// How many versions have been published.
    var publications: Int { state.withLock { $0.publications } }

    /// A version has been published.
    func notePublication() { state.withLock { $0.publications += 1 } }

    /// Whether the titles of a version have the mark that they had before.
    func isKnown(_ mark: Int, ofVersion version: String) -> Bool {
        state.withLock { state in
            let known = state.marks[version] ?? mark
            state.marks[version] = known
            return known == mark
        }
    }

    /// What did not hold.
    var failures: [String] {
        state.withLock { state in
            let more = state.failureCount - state.failures.count
            return state.failures + (more > 0 ? ["and \(more) more"] : [])
        }
    }

    /// Members of a JSON object.
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

    /// In a few words.
    var summary: String {
        state.withLock { state in
            """
            \(state.answers.values.reduce(0, +)) answers, \(state.publications) publications, \
            \(state.marks.count) versions seen, \(state.failureCount) failures
            """
        }
    }
}

/// Groups that are hidden, and by which daemon since when.
final class HiddenGroups: Sendable {
    /// How long another daemon may take to hear of it while Redis is there; much longer than it takes.
    static let delaySeconds = 10

    private struct State {
        var groups: [String: (daemon: Int, since: ContinuousClock.Instant)] = [:]
        var redisSince = ContinuousClock.now
    }

    private let state = Mutex(State())

    /// All of them.
    var all: Set<String> { state.withLock { Set($0.groups.keys) } }

    /// A daemon has acknowledged that a group is hidden.
    func add(_ group: String, by daemon: Int) { state.withLock { $0.groups[group] = (daemon, .now) } }

    /// Redis is there again.
    func noteRedisIsThere() { state.withLock { $0.redisSince = .now } }

    /// Those that a daemon must not show in answers to requests that are sent from now on.
    func groups(for daemon: Int) -> Set<String> {
        state.withLock { state in
            let heard = ContinuousClock.now - .seconds(Self.delaySeconds)
            return Set(
                state.groups.filter { $0.value.daemon == daemon || max($0.value.since, state.redisSince) < heard }
                    .keys)
        }
    }

    /// Takes out those that have been hidden for longer, before they are shown again.
    func takeOlder(thanSeconds seconds: Int) -> [(group: String, daemon: Int)] {
        state.withLock { state in
            let begin = ContinuousClock.now - .seconds(seconds)
            let older = state.groups.filter { $0.value.since < begin }
            for group in older.keys { state.groups[group] = nil }
            return older.map { ($0.key, $0.value.daemon) }
        }
    }
}

/// Memory and open files of a daemon, once a second.
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

    /// What has grown from the second third to the last, or nil.
    ///
    /// The first third fills caches. In less than three minutes that is not over.
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
