import CMicroHTTPD

/// What the library calls, as C functions: they turn its pointers into values and hand these to the `ServerCore`.
enum ServerCallbacks {
    static func settings(core: ServerCore, socket: Int32, flags: UInt32) -> shim_server_settings {
        let configuration = core.configuration
        return unsafe shim_server_settings(
            flags: flags, listening_socket: socket,
            pool_size: configuration.threadCount == 1 ? 0 : UInt32(configuration.threadCount),
            connection_limit: UInt32(configuration.connectionLimit + configuration.surplusConnectionLimit),
            connection_limit_per_address: UInt32(configuration.connectionLimitPerAddress),
            idle_timeout_seconds: UInt32(configuration.idleTimeoutSeconds),
            connection_memory_limit_bytes: configuration.headerLimitBytes,
            context: Unmanaged.passUnretained(core).toOpaque(), connection_changed: connectionChanged,
            request_began: requestBegan, request_arrived: requestArrived, request_ended: requestEnded)
    }

    /// A connection opens or closes; its context keeps the `Connection` alive in between.
    private static let connectionChanged: MHD_NotifyConnectionCallback = { context, connection, slot, change in
        guard let context = unsafe context, let slot = unsafe slot else { return }
        let core = unsafe Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
        if change == .CONNECTION_NOTIFY_STARTED {
            let opened = unsafe core.opened(socket: shim_connection_socket(connection))
            unsafe slot.pointee = Unmanaged.passRetained(opened).toOpaque()
        } else if let pointer = unsafe slot.pointee {
            core.connections.remove(unsafe Unmanaged<Connection>.fromOpaque(pointer).takeRetainedValue())
            unsafe slot.pointee = nil
        }
    }

    /// The first line of a request; what is returned becomes the request's own context.
    private static let requestBegan:
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) -> UnsafeMutableRawPointer? = {
            context, target, connection in
            guard let context = unsafe context, let target = unsafe target,
                let pointer = unsafe shim_connection_context(connection)
            else { return nil }
            let core = unsafe Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
            let state = unsafe Unmanaged<Connection>.fromOpaque(pointer).takeUnretainedValue()
            let bytes = unsafe UnsafeRawBufferPointer(start: target, count: strlen(target))
            unsafe core.began(state, target: Array(bytes), address: UInt(bitPattern: target))
            return unsafe pointer
        }

    /// Called once with the header fields, once for each piece of the body, and once at the end.
    private static let requestArrived: MHD_AccessHandlerCallback = {
        context, connection, _, method, version, piece, pieceLength, slot in
        guard let context = unsafe context, let pointer = unsafe slot?.pointee, let method = unsafe method,
            let version = unsafe version, let pieceLength = unsafe pieceLength
        else { return .NO }
        let core = unsafe Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
        let state = unsafe Unmanaged<Connection>.fromOpaque(pointer).takeUnretainedValue()
        switch state.phase {
        case .begun:
            guard let refusal = unsafe core.received(headers(of: connection), on: state) else { return .YES }
            return unsafe queue(refusal, on: connection)
        case .receiving where unsafe pieceLength.pointee > 0:
            let bytes = unsafe UnsafeRawBufferPointer(start: piece, count: pieceLength.pointee)
            unsafe state.append(bytes, limitBytes: core.configuration.bodyLimitBytes)
            unsafe pieceLength.pointee = 0
            return .YES
        case .receiving:
            let response = unsafe core.answer(
                method: HTTPMethod(rawValue: String(cString: method)),
                isCutShort: isCutShort(state, version: UInt(bitPattern: version)), on: state)
            return unsafe queue(response, on: connection)
        case .idle, .answered: return .NO
        }
    }

    private static let requestEnded: MHD_RequestCompletedCallback = { context, _, slot, _ in
        guard let context = unsafe context, let pointer = unsafe slot?.pointee else { return }
        let core = unsafe Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
        core.ended(unsafe Unmanaged<Connection>.fromOpaque(pointer).takeUnretainedValue())
    }

    /// Whether a raw NUL ended the target early: the protocol's version, which follows it in the library's
    /// buffer, is then further away than the target is long.
    private static func isCutShort(_ state: Connection, version: UInt) -> Bool {
        let end = state.targetAddress + UInt(state.target.count) + 1
        // Anything further away than a request line can be long is not the same buffer, and says nothing.
        return version > end && version - end < 1 << 20
    }

    private static func headers(of connection: OpaquePointer?) -> HTTPHeaders {
        var headers = HTTPHeaders()
        headers.reserveCapacity(8)
        unsafe withUnsafeMutablePointer(to: &headers) { pointer in
            _ = unsafe MHD_get_connection_values_n(
                connection, .HEADER_KIND,
                { context, _, name, nameLength, value, valueLength in
                    let headers = unsafe context?.assumingMemoryBound(to: HTTPHeaders.self)
                    let name = unsafe UnsafeRawBufferPointer(start: name, count: nameLength)
                    let value = unsafe UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : valueLength)
                    unsafe headers?.pointee.append(
                        name: String(decoding: name, as: UTF8.self), value: String(decoding: value, as: UTF8.self))
                    return .YES
                }, pointer)
        }
        return headers
    }

    private static func queue(_ response: HTTPResponse, on connection: OpaquePointer?) -> MHD_Result {
        guard let message = unsafe message(of: response) else {
            // A header field that the library refuses, as one with a line break in it: the handler's mistake.
            let failure = HTTPResponse(status: .internalServerError, text: "the response could not be written")
            guard let message = unsafe message(of: failure) else { return .NO }
            return unsafe send(message, status: failure.status, on: connection)
        }
        return unsafe send(message, status: response.status, on: connection)
    }

    private static func send(
        _ message: OpaquePointer, status: HTTPStatus, on connection: OpaquePointer?
    ) -> MHD_Result {
        defer { unsafe MHD_destroy_response(message) }
        return unsafe MHD_queue_response(connection, UInt32(status.rawValue), message)
    }

    private static func message(of response: HTTPResponse) -> OpaquePointer? {
        // The library only reads the bytes, and copies them before this returns.
        let message = unsafe response.body.withUnsafeBytes { bytes in
            unsafe MHD_create_response_from_buffer(
                bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
        }
        guard let message = unsafe message else { return nil }
        for field in response.headers.fields
        where unsafe MHD_add_response_header(message, field.name, field.value) != .YES {
            unsafe MHD_destroy_response(message)
            return nil
        }
        return unsafe message
    }
}
