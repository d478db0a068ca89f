import Basics
import CHiredis
import Glibc

/// A connection to a Redis server; it has one owner, and is closed when its value ends.
///
/// Commands may be pipelined: `send` several, then `receive` a reply for each, in order. After the error
/// `disconnected`, `timedOut` or `replica`, every later use fails with the same error: create a new connection.
///
/// A connection keeps checking that its server is a primary. It asks the server when it opens. Together with a command,
/// it asks again when the answer is older than a second. A connection to a replica fails, because a replica's data
/// may be old. A host name or a Sentinel may meanwhile lead to another server, and an old connection would not notice
/// that.
@safe
package struct RedisConnection: ~Copyable, @unchecked Sendable {
    // Sendable because it has one owner: it may move between threads, but is never shared.
    private let context: UnsafeMutablePointer<redisContext>
    // No initial value: an `init` that throws must not initialise part of a type with a `deinit`.
    var state: State
    package let address: RedisAddress
    /// The number of replies that have not been received.
    package var outstanding: Int { state.outstanding }
    /// The latest description of the server.
    package var server: RedisServer { state.server }
    /// The number of unsent bytes at which commands are flushed.
    private static let flushByteCount = 256 << 10

    struct State {
        /// The server's address, for messages.
        var peer: String
        /// Whether the server may be a replica.
        var acceptsReplica: Bool
        var failure: RedisError?
        var outstanding = 0
        var server = RedisServer()
        /// The question that the server answers, or `nil` if it answers none.
        var question: RedisServer.Question?
        /// The time of the last question.
        var asked = ContinuousClock.now
    }

    /// Connects, logs in, selects the database and asks the server to describe itself.
    ///
    /// - Parameters:
    ///   - connectTimeout: the longest wait for a connection.
    ///   - replyTimeout: the longest wait for the server to accept or send any bytes.
    ///   - acceptsReplica: whether the server may be a replica. A connection through Sentinels never accepts one.
    package init(
        to address: RedisAddress, connectTimeout: Duration = .seconds(3), replyTimeout: Duration = .seconds(30),
        acceptsReplica: Bool = false
    ) throws(RedisError) {
        self = try Self.connected(
            to: address, timeout: connectTimeout, replyTimeout: replyTimeout, acceptsReplica: acceptsReplica)
    }

    private init(adopting context: UnsafeMutablePointer<redisContext>, _ address: RedisAddress, _ state: State) {
        unsafe self.context = unsafe context
        self.address = address
        self.state = state
        // Otherwise, hiredis frees and reallocates its buffer for each piece of a large reply.
        unsafe context.pointee.reader.pointee.maxbuf = 0
    }

    deinit { unsafe redisFree(context) }

    private static func connected(
        to address: RedisAddress, timeout: Duration, replyTimeout: Duration, acceptsReplica: Bool
    ) throws(RedisError) -> RedisConnection {
        if let sentinels = address.sentinels {
            return try primary(of: sentinels, for: address, timeout: timeout, replyTimeout: replyTimeout)
        }
        let endpoint = RedisAddress.Endpoint(host: address.host, port: address.port)
        return try connected(
            to: address, at: endpoint, timeout: timeout, replyTimeout: replyTimeout, acceptsReplica: acceptsReplica)
    }

    /// Connects to a host and a port, and logs in with an address's login.
    static func connected(
        to address: RedisAddress, at endpoint: RedisAddress.Endpoint, timeout: Duration, replyTimeout: Duration,
        acceptsReplica: Bool = false
    ) throws(RedisError) -> RedisConnection {
        let context = try unsafe connect(to: address, at: endpoint, timeout: timeout, replyTimeout: replyTimeout)
        let peer = address.sentinels == nil ? address.description : endpoint.description
        var connection = unsafe RedisConnection(
            adopting: context, address, State(peer: peer, acceptsReplica: acceptsReplica))
        try connection.logIn()
        try connection.identifyServer()
        return connection
    }

    private mutating func logIn() throws(RedisError) {
        if let password = address.newestPassword {
            var login = RedisCommand("AUTH")
            if let user = address.user { login.append(user) }
            login.append(password)
            _ = try command(login)
        }
        if address.database != 0 { _ = try command("SELECT", String(address.database)) }
    }

    private static func connect(
        to address: RedisAddress, at endpoint: RedisAddress.Endpoint, timeout: Duration, replyTimeout: Duration
    ) throws(RedisError) -> UnsafeMutablePointer<redisContext> {
        let opened =
            if let path = address.socketPath {
                unsafe redisConnectUnixWithTimeout(path, timeval(timeout))
            } else {
                unsafe redisConnectWithTimeout(endpoint.host, CInt(endpoint.port), timeval(timeout))
            }
        guard let context = unsafe opened else {
            throw RedisError(.unreachable, "there is no memory for a connection to \(address)")
        }
        guard unsafe context.pointee.err == 0, unsafe redisSetTimeout(context, timeval(replyTimeout)) == REDIS_OK else {
            let reason = unsafe errorText(context)
            unsafe redisFree(context)
            throw RedisError(.unreachable, "cannot connect to \(address): \(reason)")
        }
        return unsafe context
    }

    /// Sends a command of text and waits for the reply.
    package mutating func command(_ words: String...) throws(RedisError) -> RedisReply {
        var command = RedisCommand()
        for word in words { command.append(word) }
        return try self.command(command)
    }

    /// Sends a command and waits for the reply.
    ///
    /// - Throws: `RedisError`: `refused` if the reply is an error, `replica` if the server became a replica. After
    ///   `replica`, the command may be sent again over a new connection.
    package mutating func command(_ command: RedisCommand) throws(RedisError) -> RedisReply {
        precondition(outstanding == 0, "the replies to earlier commands must be received first")
        let hasAsked = try askAgain()
        try send(command)
        if hasAsked { try takeAnswer() }
        return try receive().value
    }

    /// Sends a command without waiting for the reply; it may stay in memory until `flush` or `receive`.
    ///
    /// The caller must bound the number of outstanding replies, which the server keeps in its memory.
    package mutating func send(_ command: RedisCommand) throws(RedisError) {
        if let failure = state.failure { throw failure }
        precondition(command.wordCount > 0, "a command needs a name")
        let status = unsafe command.bytes.withUnsafeBytes { bytes in
            unsafe withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: command.ends.count) {
                words in
                unsafe withUnsafeTemporaryAllocation(of: Int.self, capacity: command.ends.count) { lengths in
                    // Without bytes there is no base address, and any address will do for an empty word.
                    let base = unsafe bytes.baseAddress ?? UnsafeRawPointer(context)
                    var start = 0
                    for (index, end) in command.ends.enumerated() {
                        unsafe words.initializeElement(
                            at: index, to: (base + start).assumingMemoryBound(to: CChar.self))
                        unsafe lengths.initializeElement(at: index, to: end - start)
                        start = end
                    }
                    return unsafe redisAppendCommandArgv(
                        context, CInt(command.ends.count), words.baseAddress, lengths.baseAddress)
                }
            }
        }
        guard status == REDIS_OK else { throw broken(.disconnected, unsafe Self.errorText(context)) }
        state.outstanding += 1
        if unsafe coterie_redis_pending(context) >= Self.flushByteCount { try flush() }
    }

    /// Passes all sent commands to the system.
    package mutating func flush() throws(RedisError) {
        if let failure = state.failure { throw failure }
        let number = unsafe coterie_redis_flush(context)
        if number == EAGAIN { throw broken(.timedOut, "the server accepted no more bytes in time") }
        guard number == 0 else { throw broken(.disconnected, SystemWords.words(ofError: number)) }
    }

    /// Waits for the next reply.
    ///
    /// - Throws: `RedisError`: `refused` if the reply is an error. After `refused`, the next reply can be received.
    package mutating func receive() throws(RedisError) -> ReceivedReply {
        precondition(outstanding > 0, "no reply is outstanding")
        try flush()
        var object: UnsafeMutableRawPointer?
        errno = 0
        guard unsafe redisGetReply(context, &object) == REDIS_OK, let object = unsafe object else {
            let isLate = unsafe context.pointee.err == REDIS_ERR_IO && (errno == EAGAIN || errno == ETIMEDOUT)
            throw broken(
                isLate ? .timedOut : .disconnected,
                isLate ? "the server did not answer in time" : unsafe Self.errorText(context))
        }
        state.outstanding -= 1
        let reply = unsafe ReceivedReply(adopting: object.assumingMemoryBound(to: redisReply.self))
        if let text = reply.errorText {
            let error = RedisError(reply: text)
            if error.code == .refused("READONLY"), !state.acceptsReplica { throw demoted() }
            throw error
        }
        return reply
    }

    private mutating func broken(_ code: RedisError.Code, _ reason: String) -> RedisError {
        let error = RedisError(code, "the connection to \(address) broke: \(reason)")
        state.failure = error
        return error
    }

    private static func errorText(_ context: UnsafeMutablePointer<redisContext>) -> String {
        unsafe withUnsafePointer(to: &context.pointee.errstr) { text in
            unsafe String(cString: UnsafeRawPointer(text).assumingMemoryBound(to: CChar.self))
        }
    }

    private static func timeval(_ duration: Duration) -> Glibc.timeval {
        let (seconds, attoseconds) = duration.components
        return Glibc.timeval(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
    }
}

extension RedisConnection {
    /// Sends one of many commands without waiting for its reply.
    ///
    /// When `window` replies are outstanding, half of them are received first. So the memory of either side is bounded,
    /// and the server works on one half while the other is read. Call `finishPipeline` at the end. After an error,
    /// replies may still be outstanding: drop the connection.
    ///
    /// - Parameters:
    ///   - window: the greatest number of outstanding replies, 1 or more.
    ///   - adapt: a function that converts an error of the connection to the caller's type.
    ///   - take: a function that receives the replies, in the order of the commands.
    package mutating func pipeline<Failure: Error>(
        _ command: RedisCommand, window: Int, adapt: (RedisError) -> Failure,
        _ take: (borrowing ReceivedReply) throws(Failure) -> Void
    ) throws(Failure) {
        if outstanding >= window { try finishPipeline(leaving: window / 2, adapt: adapt, take) }
        do throws(RedisError) {
            try send(command)
        } catch {
            throw adapt(error)
        }
    }

    /// Receives the outstanding replies, except the last `count`.
    package mutating func finishPipeline<Failure: Error>(
        leaving count: Int = 0, adapt: (RedisError) -> Failure,
        _ take: (borrowing ReceivedReply) throws(Failure) -> Void
    ) throws(Failure) {
        while outstanding > count { try take(adapting(adapt)) }
    }

    private mutating func adapting<Failure: Error>(_ adapt: (RedisError) -> Failure) throws(Failure) -> ReceivedReply {
        do throws(RedisError) {
            return try receive()
        } catch {
            throw adapt(error)
        }
    }
}
