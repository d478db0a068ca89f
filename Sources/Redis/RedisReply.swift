import CHiredis

/// A reply of a server.
package enum RedisReply: Sendable, Equatable {
    /// A string of any bytes, or a status such as `OK`.
    case bytes([UInt8])
    case integer(Int64)
    /// Several replies.
    case array([RedisReply])
    /// A null: the key or element does not exist.
    case null
    /// An error among the elements of an array; an error that is the whole reply is thrown.
    case error(String)

    /// The bytes as text, or `nil` if the reply is no string or not UTF-8.
    package var text: String? {
        guard case .bytes(let bytes) = self else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}

/// A reply in the memory of hiredis, whose large values are read without copying.
@safe
package struct ReceivedReply: ~Copyable {
    // The pointer is owned, and freed with this value.
    private let reply: UnsafeMutablePointer<redisReply>

    init(adopting reply: UnsafeMutablePointer<redisReply>) { unsafe self.reply = unsafe reply }

    deinit { unsafe freeReplyObject(reply) }

    /// The reply, copied.
    package var value: RedisReply { unsafe Self.copy(reply) }

    /// The number of elements, or `nil` if the reply is no array.
    package var elementCount: Int? { unsafe reply.pointee.type == REDIS_REPLY_ARRAY ? reply.pointee.elements : nil }

    /// Calls `body` with the bytes of the reply, or with `nil` for a null reply.
    ///
    /// - Throws: an error of `body`, or `mismatch` if the reply is not a string.
    package func withBytes<Result, Failure: Error>(
        orThrow mismatch: @autoclosure () -> Failure, _ body: (Span<UInt8>?) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe Self.withBytes(of: reply, mismatch, body)
    }

    /// Calls `body` with the bytes of an element, or with `nil` for a null element.
    ///
    /// - Throws: an error of `body`, or `mismatch` if there is no such element or it is not a string.
    package func withBytes<Result, Failure: Error>(
        ofElement index: Int, orThrow mismatch: @autoclosure () -> Failure,
        _ body: (Span<UInt8>?) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard index >= 0, index < elementCount ?? 0, let element = unsafe reply.pointee.element[index] else {
            throw mismatch()
        }
        return try unsafe Self.withBytes(of: element, mismatch, body)
    }

    private static func withBytes<Result, Failure: Error>(
        of reply: UnsafeMutablePointer<redisReply>, _ mismatch: () -> Failure,
        _ body: (Span<UInt8>?) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        switch unsafe reply.pointee.type {
        case REDIS_REPLY_NIL: return try body(nil)
        case REDIS_REPLY_STRING, REDIS_REPLY_STATUS:
            let bytes = unsafe UnsafeRawBufferPointer(start: reply.pointee.str, count: reply.pointee.len)
            return try unsafe body(bytes.bindMemory(to: UInt8.self).span)
        default: throw mismatch()
        }
    }

    private static func copy(_ reply: UnsafeMutablePointer<redisReply>) -> RedisReply {
        switch unsafe reply.pointee.type {
        case REDIS_REPLY_STRING, REDIS_REPLY_STATUS: unsafe .bytes(Array(text(reply)))
        case REDIS_REPLY_INTEGER: unsafe .integer(reply.pointee.integer)
        case REDIS_REPLY_ERROR: unsafe .error(String(decoding: text(reply), as: UTF8.self))
        case REDIS_REPLY_ARRAY:
            unsafe .array(
                (0..<reply.pointee.elements).map { unsafe reply.pointee.element[$0].map { unsafe copy($0) } ?? .null })
        default: .null
        }
    }

    private static func text(_ reply: UnsafeMutablePointer<redisReply>) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: reply.pointee.str, count: reply.pointee.len)
    }

    /// The error message, if the whole reply is an error.
    var errorText: String? {
        unsafe reply.pointee.type == REDIS_REPLY_ERROR ? String(decoding: Self.text(reply), as: UTF8.self) : nil
    }
}

/// A command and its arguments: words of any bytes.
///
/// One array holds all words, so reusing a command allocates no memory.
package struct RedisCommand: Sendable, Equatable {
    private(set) var bytes: [UInt8] = []
    private(set) var ends: [Int] = []

    /// Creates a command from words; the first word is its name.
    package init(_ words: String...) {
        for word in words { append(word) }
    }

    package var wordCount: Int { ends.count }

    /// The number of bytes in all words.
    package var byteCount: Int { bytes.count }

    package mutating func append(_ word: some StringProtocol) { append(word.utf8) }

    /// Adds a word of any bytes.
    package mutating func append(_ word: some Sequence<UInt8>) {
        bytes.append(contentsOf: word)
        ends.append(bytes.count)
    }

    /// Adds a number, in decimal digits.
    package mutating func append(_ number: Int) { append(String(number)) }

    /// Adds a word; `write` appends it to the bytes of the earlier words.
    package mutating func appendWord<Failure: Error>(_ write: (inout [UInt8]) throws(Failure) -> Void) throws(Failure) {
        try write(&bytes)
        precondition(bytes.count >= ends.last ?? 0, "a word may only be appended")
        ends.append(bytes.count)
    }

    /// Replaces all words, but keeps the memory.
    package mutating func replace(with words: String...) {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        for word in words { append(word) }
    }
}

/// A failure of a Redis server, or of the connection to it.
package struct RedisError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure.
    package enum Code: Sendable, Equatable {
        /// The text is not the address of a server.
        case badAddress
        /// No connection could be opened.
        case unreachable
        /// The server did not answer in time. The connection cannot be used any more.
        case timedOut
        /// The connection broke, and cannot be used any more.
        case disconnected
        /// The server is a replica, or became one. The connection cannot be used any more.
        case replica
        /// The server refused a command. The value is the first word of its message, such as `OOM` or `NOAUTH`.
        case refused(String)
    }

    /// The kind of failure.
    package let code: Code
    /// The failure and its place.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Creates an error from a server's error reply, whose first word is the code if it is in capitals.
    init(reply text: String) {
        let word = text.prefix { $0 != " " }
        // A script's user lacks the same permission as a command's user, but Redis words that error differently.
        guard !text.hasPrefix("ERR The user executing the script can't") else {
            self.init(.refused("NOPERM"), text)
            return
        }
        let isCode = !word.isEmpty && word.allSatisfy { $0.isUppercase || $0.isNumber || $0 == "_" }
        self.init(.refused(isCode ? String(word) : "ERR"), text)
    }

    /// Whether the connection can still be used.
    package var leavesConnectionUsable: Bool {
        switch code {
        case .refused: true
        case .badAddress, .unreachable, .timedOut, .disconnected, .replica: false
        }
    }

    package var description: String { message }
}
