import Foundation
import Synchronization
import TestSupport

/// Clients that request similar groups without a pause, and count the versions of the answers.
final class Load: Sendable {
    private struct Answer: Decodable {
        struct Row: Decodable { var title: String }
        var modelVersion: String
        var neighbours: [Row]
    }

    private let port: UInt16
    private let isOver = Atomic(false)

    init(port: UInt16) { self.port = port }

    func end() { isOver.store(true, ordering: .relaxed) }

    /// Asks until the end.
    ///
    /// - Returns: how many answers were of each version, "mixed" for those of two, "failed" for none.
    func run() async -> [String: Int] {
        var counts: [String: Int] = [:]
        guard var client = SocketClient(port: port) else { return ["failed": 1] }
        while !isOver.load(ordering: .relaxed) {
            // Lets the task that switches versions run, also on a machine with one processor.
            let pause = await ContinuousClock().measure { await Task.yield() }
            // After a long wait the daemon has closed the idle connection.
            if pause > .seconds(1), let fresh = SocketClient(port: port) { client = fresh }
            counts[outcome(of: client), default: 0] += 1
        }
        return counts
    }

    private func outcome(of client: SocketClient) -> String {
        guard let response = client.request("GET", "/v1/groups/alps/similar?by=photos"),
            let answer = try? JSONDecoder().decode(Answer.self, from: Data(response.body)), answer.neighbours.count == 2
        else { return "failed" }
        return answer.neighbours.allSatisfy { $0.title.hasPrefix(answer.modelVersion) } ? answer.modelVersion : "mixed"
    }
}
