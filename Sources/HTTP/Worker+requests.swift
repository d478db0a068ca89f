import Glibc

extension Worker {
    /// Does what can be done on a connection that can be read or written, or has ended.
    func advance(_ connection: Connection) {
        switch connection.phase {
        case .receiving:
            if !connection.hasUnreadBytes { receive(on: connection) }
        case .answering: close(connection)
        case .sending(let keepsConnection): sendRest(on: connection, keepsConnection: keepsConnection)
        case .ending:
            if receivedCount(on: connection) == 0 { close(connection) }
        }
    }

    func receive(on connection: Connection) {
        guard let count = receivedCount(on: connection) else { return }
        guard count > 0 else { return close(connection) }
        if connection.isIdle {
            connection.isIdle = false
            connection.deadline = ServerCore.moment(after: core.configuration.receiveTimeout)
        }
        connection.reader.append(buffer[..<count])
        readRequest(on: connection)
    }

    /// Receives into `buffer`.
    ///
    /// - Returns: how many bytes, 0 if the connection has ended, nil if there is nothing to receive yet.
    private func receivedCount(on connection: Connection) -> Int? {
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe recv(connection.socket, bytes.baseAddress, bytes.count, 0)
        }
        if count < 0 && (errno == EAGAIN || errno == EINTR) { return nil }
        return max(count, 0)
    }

    /// Answers the next request, if it is complete.
    func readRequest(on connection: Connection) {
        do throws(HTTPError) {
            let step = try connection.reader.next()
            if case .incomplete = step { return }
            guard !connection.isSurplus else {
                let limit = core.configuration.connectionLimit
                throw HTTPError(.tooManyConnections, "\(limit) connections are open already")
            }
            switch step {
            case .incomplete: break
            case .expectsContinue:
                let interim = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
                if sentCount(of: interim[...], on: connection) != interim.count { close(connection) }
            case .complete(let request, let continuation):
                switch core.handler(request) {
                case .now(let response): send(response, to: request.method, then: continuation, on: connection)
                case .later(let response): hold(connection, for: response, to: request.method, then: continuation)
                }
            }
        } catch {
            send(core.refusal(error), to: nil, then: .close, on: connection)
        }
    }

    /// Leaves a connection alone until its response has been made on another thread.
    private func hold(
        _ connection: Connection, for response: LaterResponse, to method: HTTPMethod, then continuation: Continuation
    ) {
        connection.phase = .answering(method, then: continuation)
        connection.deadline = .max
        poller.change(connection.socket, to: .end)
        let (socket, number) = (connection.socket, connection.number)
        response.whenFinished { [self] in deliver($0, toSocket: socket, number) }
    }

    /// Sends a response that was made on another thread.
    func sendDelivered(_ response: HTTPResponse, on connection: Connection) {
        guard case .answering(let method, let continuation) = connection.phase else { return }
        poller.change(connection.socket, to: .reading)
        send(response, to: method, then: continuation, on: connection)
    }

    private func send(
        _ response: HTTPResponse, to method: HTTPMethod?, then continuation: Continuation,
        on connection: Connection
    ) {
        // The server may have begun to stop since the request arrived.
        let stopDeadline = core.stopDeadline
        let continuation = stopDeadline == nil ? continuation : .close
        writer.write(response, to: method, then: continuation)
        let keepsConnection = continuation != .close
        guard let count = sentCount(of: writer.bytes[...], on: connection) else { return close(connection) }
        guard count < writer.bytes.count else { return responded(on: connection, keepsConnection: keepsConnection) }
        connection.unsent = writer.bytes[count...]
        connection.phase = .sending(keepsConnection: keepsConnection)
        connection.deadline = min(
            ServerCore.moment(after: core.configuration.sendTimeout), stopDeadline ?? .max)
        poller.change(connection.socket, to: .writing)
    }

    private func sendRest(on connection: Connection, keepsConnection: Bool) {
        guard let count = sentCount(of: connection.unsent, on: connection) else { return close(connection) }
        connection.unsent = connection.unsent.dropFirst(count)
        guard connection.unsent.isEmpty else { return }
        connection.unsent = []
        poller.change(connection.socket, to: .reading)
        responded(on: connection, keepsConnection: keepsConnection)
    }

    /// - Returns: how many bytes the system took, nil if the connection has ended.
    private func sentCount(of bytes: ArraySlice<UInt8>, on connection: Connection) -> Int? {
        let count = unsafe bytes.withUnsafeBytes { bytes in
            unsafe Glibc.send(connection.socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        }
        if count < 0 && (errno == EAGAIN || errno == EINTR) { return 0 }
        return count < 0 ? nil : count
    }

    /// A response has been sent.
    private func responded(on connection: Connection, keepsConnection: Bool) {
        guard keepsConnection, !isStopping else { return end(connection) }
        connection.phase = .receiving
        connection.isIdle = connection.reader.isBetweenRequests
        connection.hasUnreadBytes = !connection.isIdle
        if connection.hasUnreadBytes { waiting.append(connection) }
        let timeout: Duration =
            connection.isIdle ? .seconds(core.configuration.idleTimeoutSeconds) : core.configuration.receiveTimeout
        connection.idleSince = ServerCore.now
        connection.deadline = connection.idleSince + timeout.nanoseconds
    }
}
