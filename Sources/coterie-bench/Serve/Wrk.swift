/// The load generator wrk: as many requests as are answered, from one thread.
struct Wrk {
    private let program: String
    let connections: Int
    let seconds: Int

    init(connections: Int, seconds: Int) throws {
        program = try Child.path(of: "wrk", package: "wrk")
        self.connections = connections
        self.seconds = seconds
    }

    /// What a server did in a round.
    struct Round {
        /// Requests a second.
        var perSecond: Double
        /// Processor time of the server for a request, user and system.
        var processorMicroseconds: Double
    }

    /// Sends a server requests for a round.
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
        else { throw BenchError.data("requests failed: \(text)") }
        return Round(perSecond: rate, processorMicroseconds: (server.processorSeconds - begin) * 1e6 / count)
    }
}
