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
