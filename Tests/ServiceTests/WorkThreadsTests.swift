import Dispatch
import HTTP
import Model
import Synchronization
import TestSupport
import Testing

@testable import Service

@Suite("Answers that are made on threads of their own")
struct WorkThreadsTests {
    private final class Order: Sendable {
        let numbers = Mutex<[Int]>([])
    }

    @Test("Work begins in its order, and what is beyond those that may wait is refused", arguments: [1, 3])
    func order(threadCount: Int) {
        let threads = WorkThreads(threadCount, waiting: 8, niceness: 10)
        let (mayGoOn, isDone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let hasBegun = DispatchSemaphore(value: 0)
        let order = Order()
        for _ in 0..<threadCount {
            #expect(
                threads.add {
                    hasBegun.signal()
                    mayGoOn.wait()
                })
        }
        for _ in 0..<threadCount { hasBegun.wait() }
        for number in 0..<8 {
            #expect(
                threads.add {
                    order.numbers.withLock { $0.append(number) }
                    isDone.signal()
                })
        }
        #expect(!threads.add {})
        // One thread goes on, and does all that waits.
        mayGoOn.signal()
        for _ in 0..<8 { isDone.wait() }
        #expect(order.numbers.withLock { $0 } == Array(0..<8))
        for _ in 1..<threadCount { mayGoOn.signal() }
        // They begin anew after they have ended.
        #expect(threads.add { isDone.signal() })
        isDone.wait()
    }

    @Test("All that changes something is made on them, and of the rest only what takes long")
    func table() {
        for endpoint in Endpoint.table(of: .standard) {
            let expected: AnswerThreads =
                if ["recommendationsOfMembers", "photosForMember", "contactsForMember"].contains(endpoint.name) {
                    .batch
                } else {
                    // A query in a body changes nothing. The list of decisions is in the store, which may be far away.
                    (endpoint.method == .get && endpoint.name != "decisions") || endpoint.name == "groupsForExamples"
                        ? .server : .recording
                }
            #expect(endpoint.threads == expected, "\(endpoint.name)")
        }
    }

    @Test("While changes wait for a disk, a server of one thread answers others")
    func waiting() throws {
        let (hasBegun, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        var routes = Routes(store: FakeStore(try Community.version("v1")))
        routes.endpoints.append(
            Endpoint(
                "wait", .post, "/wait", .open, summary: "Waits", content: .text(type: "text/plain"), caching: .never
            ) { _ in
                hasBegun.signal()
                mayGoOn.wait()
                return HTTPResponse(status: .ok, text: "done")
            })
        let router = routes.router()
        var configuration = HTTPServer.Configuration()
        configuration.threadCount = 1
        let server = try HTTPServer(
            configuration, refusal: { router.refuse($0) }, handler: { router.respond(to: $0) })
        defer { server.stop() }
        // More than the server has threads, and more than would commit at once.
        let changes = try (0..<5).map { _ in try #require(SocketClient(port: server.port)) }
        for client in changes { client.send("POST /wait HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n") }
        for _ in changes { hasBegun.wait() }
        let reader = try #require(SocketClient(port: server.port))
        #expect(reader.request("GET", "/v1/users/ann/recommendations")?.status == 200)
        for _ in changes { mayGoOn.signal() }
        for client in changes { #expect(client.receive()?.text == "done\n") }
    }
}
