import Glibc

/// A client's connection and how far its current request has come.
///
/// Only its worker's thread uses it.
final class Connection {
    enum Phase {
        /// A request is awaited, or has arrived in part.
        case receiving
        /// The response to a request of a method is made on another thread; nothing is read meanwhile.
        case answering(HTTPMethod, then: Continuation)
        /// Part of a response is waiting until the client accepts more.
        case sending(keepsConnection: Bool)
        /// The last response has been sent, and no byte that comes now is read as a request.
        ///
        /// If the socket were closed at once, bytes on their way here would make the system reset the connection,
        /// and the client might never see the response (RFC 9112, section 9.6).
        case ending
    }

    let socket: Int32
    /// Tells it from other connections of its worker that had the same socket before.
    let number: UInt64
    /// The address of the client, if connections are counted by address.
    let address: [UInt8]?
    /// Whether too many connections were open when it was opened, and none of them was idle.
    let isSurplus: Bool
    var phase = Phase.receiving
    var reader: RequestReader
    /// The part of the response that has not been sent.
    var unsent: ArraySlice<UInt8> = []
    /// When the connection is closed unless something happens first, in nanoseconds of the monotonic clock.
    var deadline: UInt64
    /// Whether no byte of a request has come since the last response.
    var isIdle = false
    /// When it was opened, or its last response was sent, in nanoseconds of the monotonic clock.
    var idleSince: UInt64
    /// Whether bytes beyond the last request have been received, and may be the next request.
    var hasUnreadBytes = false

    init(
        socket: Int32, number: UInt64, address: [UInt8]?, isSurplus: Bool, reader: RequestReader, deadline: UInt64
    ) {
        self.socket = socket
        self.number = number
        self.address = address
        self.isSurplus = isSurplus
        self.reader = reader
        self.deadline = deadline
        idleSince = ServerCore.now
    }

    /// Whether no byte of the next request has been read.
    var awaitsRequest: Bool {
        guard case .receiving = phase else { return false }
        return !hasUnreadBytes && reader.isBetweenRequests
    }

    /// Whether bytes have come that were not received yet.
    var hasUnreceivedBytes: Bool {
        var byte: UInt8 = 0
        return unsafe recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
    }
}
