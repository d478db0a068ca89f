import Glibc
import HTTP
import Synchronization
import TestSupport
import Testing

@Suite("Callers take turns")
struct CallerTurnsTests {
    /// A server of one thread whose first request takes until it may finish, and all others a millisecond.
    private final class Hall: Sendable {
        private let order = Mutex<[String]>([])
        private let hasBegun = Atomic(false)
        private let mayFinish = Atomic(false)

        /// The paths that were asked for, in the order in which they were answered.
        var paths: [String] { order.withLock { $0 } }

        func awaitFirst() { while !hasBegun.load(ordering: .acquiring) { usleepBriefly() } }

        func finishFirst() { mayFinish.store(true, ordering: .releasing) }

        func answer(_ request: HTTPRequest) -> HTTPResponse {
            guard request.rawPath != "/greeting" else { return echo(request) }
            if order.withLock(\.isEmpty) {
                hasBegun.store(true, ordering: .releasing)
                while !mayFinish.load(ordering: .acquiring) { usleepBriefly() }
            } else {
                usleep(1000)
            }
            order.withLock { $0.append(request.rawPath) }
            return echo(request)
        }
    }

    private let hall = Hall()

    private func server() throws -> HTTPServer {
        let configure: (inout HTTPServer.Configuration) -> Void = {
            $0.threadCount = 1
            // No connection is closed because the test has to wait for its own turn.
            $0.idleTimeoutSeconds = 600
        }
        return try makeServer(configure: configure) { [hall] in hall.answer($0) }
    }

    /// A connection that the server has accepted.
    private func client(_ server: HTTPServer) throws -> SocketClient {
        let client = try makeClient(server)
        #expect(client.request("GET", "/greeting")?.status == 200)
        return client
    }

    private func ask(_ client: SocketClient, _ path: String, as caller: String?) {
        let credentials = caller.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        client.send("GET \(path) HTTP/1.1\r\nHost: t\r\n\(credentials)\r\n")
    }

    @Test("Others wait for one long request of a caller with many connections, and not for all")
    func turns() throws {
        let server = try server()
        let many = try (0..<6).map { _ in try client(server) }
        let others = try (0..<2).map { _ in try client(server) }
        ask(many[0], "/many", as: "many")
        hall.awaitFirst()
        for client in many.dropFirst() { ask(client, "/many", as: "many") }
        ask(others[0], "/other", as: "other")
        ask(others[1], "/anybody", as: nil)
        hall.finishFirst()
        for client in many + others { #expect(client.receive()?.status == 200) }
        #expect(hall.paths.count == 8)
        #expect(Set(hall.paths.prefix(4)) == ["/many", "/other", "/anybody"], "\(hall.paths)")
        // Every connection goes on as before.
        for client in many + others { #expect(client.request("GET", "/greeting")?.status == 200) }
        server.stop()
    }

    @Test("A stop answers requests that wait for their turn")
    func stop() async throws {
        let server = try server()
        let many = try (0..<6).map { _ in try client(server) }
        ask(many[0], "/many", as: "many")
        hall.awaitFirst()
        for client in many.dropFirst() { ask(client, "/many", as: "many") }
        let stop = Task.detached { server.stop(waitingAtMost: .seconds(600)) }
        while SocketClient(port: server.port) != nil { try await Task.sleep(for: .milliseconds(2)) }
        hall.finishFirst()
        for client in many { #expect(client.receive()?.status == 200) }
        await stop.value
    }
}
