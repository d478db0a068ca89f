import Dispatch
import Foundation
import Glibc
import Synchronization

/// A client that asks for the lists of a hundred members at once, again as soon as it is answered, until it is stopped.
final class BatchClient: Sendable {
    /// The members of a batch.
    private static let size = 100

    private let answers = Atomic(0)
    private let failures = Atomic(0)
    private let shouldStop = Atomic(false)
    private let hasStopped = DispatchSemaphore(value: 0)

    /// Starts, on a thread of its own.
    ///
    /// - Parameter token: of a service with the scope `lists`.
    init(port: UInt16, members: Int, token: String) throws {
        let connection = Connection(try ClientConnection(port: port))
        let thread = Thread { [self] in
            // What the client does with its answers must not delay those that are timed, from the same processor.
            _ = setpriority(Int32(PRIO_PROCESS.rawValue), 0, 10)
            var first = 0
            while !shouldStop.load(ordering: .acquiring) {
                let ids = (first..<first + Self.size).map { "\"\(ServeScene.userID($0 % members))\"" }
                first = (first + Self.size) % members
                let body = #"{"userIds":[\#(ids.joined(separator: ","))]}"#
                let request = ClientConnection.request("/v1/recommendations", token: token, json: body)
                let status = try? connection.client.answer(to: request).status
                if status == 200 {
                    answers.add(1, ordering: .relaxed)
                } else {
                    failures.add(1, ordering: .relaxed)
                }
                if status == nil { break }
            }
            hasStopped.signal()
        }
        thread.start()
    }

    /// Stops it.
    ///
    /// - Returns: how many batches were answered, and how many were not.
    func stop() -> (answers: Int, failures: Int) {
        shouldStop.store(true, ordering: .releasing)
        hasStopped.wait()
        return (answers.load(ordering: .relaxed), failures.load(ordering: .relaxed))
    }

    /// The connection, which only the thread uses.
    private final class Connection: @unchecked Sendable {
        let client: ClientConnection
        init(_ client: ClientConnection) { self.client = client }
    }
}
