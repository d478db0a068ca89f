import Basics
import Dispatch
import HTTP
import Synchronization

/// Compresses answers with gzip for clients that accept it.
final class ResponseCompressor: Sendable {
    /// The length of the shortest body that is compressed, in bytes; a shorter one fits into a packet or two anyway.
    static let minimumByteCount = 1024

    /// An unused compressor in the pool.
    private struct Idle {
        let level: Int
        let compressor: GzipCompressor
    }

    // The pool grows to at most one compressor of a level for each thread that makes answers.
    private let idle = Locked<[Idle]>([])

    /// Compresses the body of a response, if the client accepts gzip and the body gets shorter.
    func compress(_ response: inout HTTPResponse, for request: HTTPRequest) {
        guard response.body.count >= Self.minimumByteCount else { return }
        response.headers.append(name: "Vary", value: "Accept-Encoding")
        guard Self.takesGzip(request), let taken = take(Self.level(of: response)) else { return }
        defer { idle.withLock { $0.append(taken) } }
        guard let compressed = taken.compressor.compressed(response.body) else { return }
        response.body = compressed
        response.headers.append(name: "Content-Encoding", value: "gzip")
    }

    /// Returns the level of compression: the fastest one for rows, whose field names repeat.
    ///
    /// A browser fetches a script once, and waits for it.
    private static func level(of response: HTTPResponse) -> Int {
        response.headers["Content-Type"]?.hasPrefix("text/javascript") == true ? 6 : 1
    }

    private func take(_ level: Int) -> Idle? {
        let known = idle.withLock { idle in
            idle.lastIndex { $0.level == level }.map { idle.remove(at: $0) }
        }
        return known ?? GzipCompressor(level: level).map { Idle(level: level, compressor: $0) }
    }

    /// Whether the client of a request accepts gzip.
    static func takesGzip(_ request: HTTPRequest) -> Bool {
        request.headers["Accept-Encoding"].map(takesGzip) ?? false
    }

    /// Whether a header field `Accept-Encoding` accepts gzip, by name or by `*`, with a weight above zero.
    static func takesGzip(_ field: String) -> Bool {
        var takesAnything = false
        for element in field.split(separator: ",") {
            let parts = element.split(separator: ";").map { $0.trimmingSpaces.lowercased() }
            guard let coding = parts.first else { continue }
            let isTaken = !parts.dropFirst().contains { $0.hasPrefix("q=") && Double($0.dropFirst(2)) ?? 0 == 0 }
            if coding == "gzip" || coding == "x-gzip" { return isTaken }
            if coding == "*" { takesAnything = isTaken }
        }
        return takesAnything
    }
}

/// Delays 429 responses a little.
///
/// A client that asks as fast as answers come would otherwise keep the server busy with refusals.
final class RefusalDelay: Sendable {
    /// The most responses that are delayed at a time, inclusive.
    ///
    /// Each of them occupies a connection. Further responses are sent at once, so that other clients can still connect.
    static let limit = 64

    private let count = Atomic(0)
    private let afterDelay: @Sendable (_ send: @escaping @Sendable () -> Void) -> Void

    /// - Parameter afterDelay: calls a function later; a tenth of a second later by default.
    init(afterDelay: (@Sendable (_ send: @escaping @Sendable () -> Void) -> Void)? = nil) {
        let queue = DispatchQueue(label: "refusals")
        self.afterDelay = afterDelay ?? { queue.asyncAfter(deadline: .now() + .milliseconds(100), execute: $0) }
    }

    /// Returns the reply that sends a response, at once or delayed.
    func reply(_ response: HTTPResponse) -> HTTPReply {
        guard response.status == .tooManyRequests else { return .now(response) }
        let later = LaterResponse()
        return hold(later, response) ? .later(later) : .now(response)
    }

    /// Finishes a response, at once or delayed.
    func finish(_ later: LaterResponse, _ response: HTTPResponse) {
        if response.status != .tooManyRequests || !hold(later, response) { later.finish(response) }
    }

    /// Delays a response.
    ///
    /// - Returns: false if too many responses are delayed already.
    private func hold(_ later: LaterResponse, _ response: HTTPResponse) -> Bool {
        guard count.add(1, ordering: .relaxed).newValue <= Self.limit else {
            count.subtract(1, ordering: .relaxed)
            return false
        }
        afterDelay { [self] in
            count.subtract(1, ordering: .relaxed)
            later.finish(response)
        }
        return true
    }
}

/// Entity tags (RFC 9110, section 8.8.3): a client that already has an answer does not get its body again.
///
/// The tags are weak, because the plain and the compressed form of an answer share one tag.
enum EntityTag {
    private static let fieldName = "ETag"

    /// Adds the tag of an answer; to be called before the body is compressed.
    static func add(to response: inout HTTPResponse) {
        response.headers.append(name: fieldName, value: "W/\"\(Checksum.text(of: response.body))\"")
    }

    /// Replaces an answer that the client already has by one of status 304 without a body.
    static func omitKnownBody(of response: inout HTTPResponse, for request: HTTPRequest) {
        guard response.status == .ok, request.method == .get || request.method == .head,
            let known = request.headers["If-None-Match"], let tag = response.headers[fieldName],
            names(tag, known)
        else { return }
        var kept = HTTPHeaders()
        for name in [fieldName, "Cache-Control", "Vary"] {
            if let value = response.headers[name] { kept.append(name: name, value: value) }
        }
        response = HTTPResponse(status: .notModified, headers: kept)
    }

    /// Whether a header field `If-None-Match` is one tag as this program makes them.
    static func isOurs(_ field: String) -> Bool {
        field.wholeMatch(of: /W\/"[0-9a-f]{8,64}"/) != nil
    }

    /// Whether a header field `If-None-Match` contains `*` or a tag that is equal by weak comparison.
    private static func names(_ tag: String, _ field: String) -> Bool {
        let opaque = tag.dropFirst(2)
        return field.split(separator: ",").contains { element in
            let element = element.trimmingSpaces
            return element == "*" || (element.hasPrefix("W/") ? element.dropFirst(2) : element) == opaque
        }
    }
}
