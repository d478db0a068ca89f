import CMicroHTTPD
import Dispatch
import Synchronization

/// What the callbacks of a server share: it lives until the library has stopped calling.
final class ServerCore: Sendable {
    let configuration: HTTPServer.Configuration
    let handler: HTTPServer.Handler
    let refusal: HTTPServer.Refusal
    let connections: ConnectionTable
    /// Requests that are here whole and whose response has not been sent.
    let underWay = DispatchGroup()
    private let isStopping = Atomic(false)

    init(
        configuration: HTTPServer.Configuration, refusal: @escaping HTTPServer.Refusal,
        handler: @escaping HTTPServer.Handler
    ) {
        self.configuration = configuration
        self.refusal = refusal
        self.handler = handler
        let shortest = min(configuration.receiveTimeout, configuration.sendTimeout)
        connections = ConnectionTable(interval: min(max(shortest / 4, .milliseconds(5)), .milliseconds(250)))
    }

    /// From now on every response ends its connection.
    func announceStop() {
        isStopping.store(true, ordering: .relaxed)
    }

    func opened(socket: Int32) -> Connection {
        let connection = Connection(
            socket: socket, deadline: ConnectionTable.moment(after: configuration.receiveTimeout))
        connection.isSurplus = connections.insert(connection) > configuration.connectionLimit
        return connection
    }

    /// The first line of a request is here.
    func began(_ connection: Connection, target: [UInt8], address: UInt) {
        connection.phase = .begun
        connection.target = target
        connection.targetAddress = address
        connection.deadline = min(
            connection.deadline, ConnectionTable.moment(after: configuration.receiveTimeout))
    }

    /// The header fields are here.
    ///
    /// - Returns: a response if the request is refused before its body has been read.
    func received(_ headers: HTTPHeaders, on connection: Connection) -> HTTPResponse? {
        connection.phase = .receiving
        connection.headers = headers
        if connection.isSurplus {
            let limit = configuration.connectionLimit
            return refuse(HTTPError(.tooManyConnections, "\(limit) connections are open already"), on: connection)
        }
        guard let length = headers["Content-Length"] else { return nil }
        // Two readings of where a request ends are how one request is smuggled into another.
        if headers.count(of: "Content-Length") > 1 || headers["Transfer-Encoding"] != nil {
            let twice = HTTPError(.badRequest, "the request states the length of its body more than once")
            return refuse(twice, on: connection)
        }
        guard let count = UInt64(length), count > UInt64(configuration.bodyLimitBytes) else { return nil }
        return refuse(bodyTooLarge, on: connection)
    }

    /// The request is here whole.
    func answer(method: HTTPMethod, isCutShort: Bool, on connection: Connection) -> HTTPResponse {
        beginAnswer(on: connection)
        do throws(HTTPError) {
            guard !isCutShort else { throw HTTPError(.badRequest, "the address has a NUL in it") }
            guard !connection.bodyIsTooLarge else { throw bodyTooLarge }
            let request = HTTPRequest(
                method: method, target: try RequestTarget(connection.target), headers: connection.headers,
                body: connection.body)
            return finish(handler(request), on: connection, endsConnection: false)
        } catch {
            return finish(refusal(error), on: connection, endsConnection: true)
        }
    }

    func ended(_ connection: Connection) {
        let wasAnswered = connection.phase == .answered
        connection.reset()
        connection.deadline = ConnectionTable.moment(
            after: configuration.receiveTimeout + .seconds(configuration.idleTimeoutSeconds))
        if wasAnswered { underWay.leave() }
    }

    private var bodyTooLarge: HTTPError {
        HTTPError(.bodyTooLarge, "the body is longer than \(configuration.bodyLimitBytes) bytes")
    }

    private func refuse(_ error: HTTPError, on connection: Connection) -> HTTPResponse {
        beginAnswer(on: connection)
        return finish(refusal(error), on: connection, endsConnection: true)
    }

    private func beginAnswer(on connection: Connection) {
        underWay.enter()
        connection.phase = .answered
        // The handler's own time is not the client's to answer for.
        connection.deadline = .max
    }

    private func finish(_ response: HTTPResponse, on connection: Connection, endsConnection: Bool) -> HTTPResponse {
        connection.deadline = ConnectionTable.moment(after: configuration.sendTimeout)
        guard endsConnection || isStopping.load(ordering: .relaxed) else { return response }
        var response = response
        response.headers.append(name: "Connection", value: "close")
        return response
    }
}
