import CHiredis

/// A reply of a server.
public enum RedisReply: Sendable, Equatable {
    /// A string of any bytes, or a status such as `OK`.
    case bytes([UInt8])
    /// A number.
    case integer(Int64)
    /// Several replies.
    case array([RedisReply])
    /// No value: there is no such key or element.
    case null
    /// An error among the elements of an array; an error that is the whole reply is thrown.
    case error(String)

    /// The bytes as text, if they are UTF-8.
    public var text: String? {
        guard case .bytes(let bytes) = self else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}

/// A reply in the memory of hiredis, where big values are read without being copied.
@safe
public struct ReceivedReply: ~Copyable {
    // Owned: it is freed when this value ends.
    private let reply: UnsafeMutablePointer<redisReply>

    init(adopting reply: UnsafeMutablePointer<redisReply>) { unsafe self.reply = unsafe reply }

    deinit { unsafe freeReplyObject(reply) }

    /// A copy of the reply.
    public var value: RedisReply { unsafe Self.copy(reply) }

    /// The number of elements; nil if it is not an array.
    public var elementCount: Int? { unsafe reply.pointee.type == REDIS_REPLY_ARRAY ? reply.pointee.elements : nil }

    /// Calls `body` with the bytes of the reply; nil if it is null.
    ///
    /// - Throws: what `body` throws, or `mismatch` if the reply is not a string.
    public func withBytes<Result, Failure: Error>(
        orThrow mismatch: @autoclosure () -> Failure, _ body: (Span<UInt8>?) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe Self.withBytes(of: reply, mismatch, body)
    }

    /// Calls `body` with the bytes of an element; nil if it is null.
    ///
    /// - Throws: what `body` throws, or `mismatch` if there is no such element or it is not a string.
    public func withBytes<Result, Failure: Error>(
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

    /// The message, if the whole reply is an error.
    var errorText: String? {
        unsafe reply.pointee.type == REDIS_REPLY_ERROR ? String(decoding: Self.text(reply), as: UTF8.self) : nil
    }
}
