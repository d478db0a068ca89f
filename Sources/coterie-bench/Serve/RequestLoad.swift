import Basics
import Glibc
import Model

/// A load of requests over several connections from one thread, at a given rate or without pauses.
struct RequestLoad {
    /// The latencies and failures of a run.
    struct Outcome {
        /// The times from the moment a request was due until its answer, in milliseconds.
        var latencies: [Double] = []
        /// The number of answers with a status other than 200.
        var failures = 0
        var seconds = 0.0

        var perSecond: Double { Double(latencies.count) / seconds }

        /// Returns the latency at a quantile from 0 to 1.
        func latency(ofPart part: Double) -> Double { Measuring.quantile(latencies, part) }
    }

    private struct Sent {
        let connection: ClientConnection
        var dueAt: UInt64?
    }

    let port: UInt16
    let connectionCount: Int
    /// Returns the bytes of the next request.
    let request: (inout SplitMix64) -> [UInt8]

    /// Sends requests for some seconds.
    ///
    /// With a rate, requests are due at random moments, whether or not earlier ones are answered (a Poisson process). A
    /// request that finds all connections busy waits, and its wait counts. Without a rate, a connection sends its next
    /// request as soon as the last one is answered.
    ///
    /// - Parameter perSecond: the mean rate, or nil for no pauses.
    func run(seconds: Double, perSecond: Double?, seed: UInt64) throws -> Outcome {
        var generator = SplitMix64(seed: seed)
        var outcome = Outcome()
        var open = try (0..<connectionCount).map { _ in Sent(connection: try ClientConnection(port: port)) }
        let start = now
        let end = start + UInt64(seconds * 1e9)
        var due = start
        while true {
            for index in open.indices where open[index].dueAt == nil && due <= now && due < end {
                open[index].dueAt = perSecond == nil ? now : due
                try open[index].connection.send(request(&generator))
                due =
                    perSecond.map {
                        due + UInt64(-log(Double.random(in: .leastNonzeroMagnitude..<1, using: &generator)) / $0 * 1e9)
                    } ?? now
            }
            let isBusy = open.contains { $0.dueAt != nil }
            guard isBusy || due < end else { break }
            try receive(&open, until: due < end && open.contains { $0.dueAt == nil } ? due : .max, &outcome)
        }
        outcome.seconds = Double(now - start) / 1e9
        return outcome
    }

    /// Waits for answers until a moment, and receives those that have arrived.
    private func receive(_ open: inout [Sent], until moment: UInt64, _ outcome: inout Outcome) throws {
        var sockets = open.map {
            pollfd(fd: $0.dueAt == nil ? -1 : $0.connection.socket, events: Int16(POLLIN), revents: 0)
        }
        // `poll` waits only whole milliseconds. The caller spins for the rest, which sends requests exactly when they
        // are due.
        let milliseconds = min((moment - min(moment, now)) / 1_000_000, 1000)
        guard unsafe poll(&sockets, nfds_t(sockets.count), Int32(milliseconds)) > 0 else { return }
        for index in open.indices where sockets[index].revents != 0 {
            guard let response = try open[index].connection.receive(), let due = open[index].dueAt else { continue }
            outcome.latencies.append(Double(now - due) / 1e6)
            if response.status != 200 { outcome.failures += 1 }
            open[index].dueAt = nil
        }
    }

    private var now: UInt64 { SystemClock.uptimeNanoseconds }
}

/// The load generator wrk, which sends requests without pauses from one thread.
struct Wrk {
    private let program: String
    let connections: Int
    let seconds: Int

    init(connections: Int, seconds: Int) throws {
        program = try Child.path(of: "wrk", package: "wrk")
        self.connections = connections
        self.seconds = seconds
    }

    /// The performance of a server in one round.
    struct Round {
        /// The number of requests per second.
        var perSecond: Double
        /// The processor time of the server for a request, user and system.
        var processorMicroseconds: Double
    }

    /// Sends requests to a server for one round.
    func round(of server: Child, port: UInt16, target: String, token: String) throws -> Round {
        let begin = server.processorSeconds
        let text = try Child.output(
            of: [
                program, "-t1", "-c\(connections)", "-d\(seconds)s", "-H", "Authorization: Bearer \(token)",
                "http://127.0.0.1:\(port)\(target)",
            ], processor: ServersUnderTest.loadProcessor)
        guard !text.contains("Non-2xx"), !text.contains("Socket errors"),
            let rate = text.firstMatch(of: #/Requests/sec: +([0-9.]+)/#).flatMap({ Double($0.output.1) }),
            let count = text.firstMatch(of: #/([0-9]+) requests in /#).flatMap({ Double($0.output.1) })
        else { throw Failure(.badData, "requests failed: \(text)") }
        return Round(perSecond: rate, processorMicroseconds: (server.processorSeconds - begin) * 1e6 / count)
    }
}
