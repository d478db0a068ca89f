public import Tape

/// The bodies that recorded answers of status 304 stand for: those that were sent before, with the same tag.
///
/// Keeps the last answer to each request only: what a client has may be older, and is then not known.
public struct KnownBodies: Sendable {
    private struct Known {
        var tag: String
        var body: [UInt8]
    }

    /// How many requests' answers are kept; beyond them, it begins anew.
    private static let limit = 20_000

    private var known: [String: Known] = [:]

    /// Knows nothing.
    public init() {}

    /// An exchange as if the client had had nothing yet: without a condition, and with the whole answer.
    ///
    /// - Returns: nil if the answer is not known.
    public mutating func unconditional(_ exchange: Exchange) -> Exchange? {
        let key = "\(exchange.method) \(exchange.target)"
        var exchange = exchange
        exchange.requestHeaders["If-None-Match"] = nil
        if exchange.status == 200, let tag = exchange.headers["ETag"] {
            if known.count >= Self.limit { known = [:] }
            known[key] = Known(tag: tag, body: exchange.body)
        }
        guard exchange.status == 304 else { return exchange }
        guard let before = known[key], before.tag == exchange.headers["ETag"] else { return nil }
        exchange.status = 200
        exchange.body = before.body
        return exchange
    }
}
