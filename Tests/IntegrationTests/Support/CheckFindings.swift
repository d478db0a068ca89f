import Foundation
import Testing

extension Workspace {
    private struct CheckAnswer: Decodable {
        struct Finding: Decodable {
            var subject, state, message: String
            var advice: String?
        }

        var findings: [Finding]
    }

    /// Returns the findings of a check that are not good, each as `STATE SUBJECT: MESSAGE; do ADVICE`.
    ///
    /// - Parameter prefix: a command that runs the check.
    func findings(_ options: [String], settings: [String: String] = [:], as prefix: [String] = []) async throws
        -> [String]
    {
        let words = prefix + [Checkout.program, "check", "--json", "--quiet"] + options
        let run = try await RunningCommand(
            words[0], Array(words.dropFirst()), environment: environment.merging(settings) { $1 }, input: nil,
            in: folder
        ).wait()
        let answer: CheckAnswer = try run.json()
        let states = Set(answer.findings.map(\.state))
        #expect(run.exitCode == (states.contains("bad") ? 65 : states.contains("warning") ? 3 : 0))
        return answer.findings.map {
            "\($0.state) \($0.subject.split(separator: " ")[0]): \($0.message); do \($0.advice ?? "nothing")"
        }
    }
}
