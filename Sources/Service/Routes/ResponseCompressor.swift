import Files
import Dispatch
import HTTP
import ModelStore
import Synchronization

/// Compresses answers with gzip for clients that accept it.
final class ResponseCompressor: Sendable {
    /// Shorter bodies are not compressed: they fit into a packet or two anyway.
    static let minimumByteCount = 1024

    /// A compressor in the pool; used by one thread at a time.
    private struct Idle: @unchecked Sendable {
        let compressor: GzipCompressor
    }

    // At most one for each thread that makes answers.
    private let idle = Mutex<[Idle]>([])

    /// Compresses the body of an answer, if the client accepts that and it gets shorter.
    func compress(_ response: inout HTTPResponse, for request: HTTPRequest) {
        guard response.body.count >= Self.minimumByteCount else { return }
        response.headers.append(name: "Vary", value: "Accept-Encoding")
        guard Self.takesGzip(request), let taken = take() else { return }
        defer { idle.withLock { $0.append(taken) } }
        guard let compressed = taken.compressor.compressed(response.body) else { return }
        response.body = compressed
        response.headers.append(name: "Content-Encoding", value: "gzip")
    }

    private func take() -> Idle? {
        if let taken = idle.withLock({ $0.popLast() }) { return taken }
        // The fastest level: most of the gain comes from the field names, which repeat in every row.
        return GzipCompressor(level: 1).map(Idle.init)
    }

    /// Whether the client of a request takes gzip.
    static func takesGzip(_ request: HTTPRequest) -> Bool {
        request.headers["Accept-Encoding"].map(takesGzip) ?? false
    }

    /// Whether a header field `Accept-Encoding` names gzip, or anything, with a weight that is not zero.
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

/// Holds refusals to who asks too often back a little: asking as fast as answers come would otherwise keep the server
/// busy with refusals.
final class HeldRefusals: Sendable {
    /// How many are held back at a time, each with a connection; further ones are sent at once, so that who opens many
    /// connections does not leave others without one.
    static let limit = 64
    private static let delay = DispatchTimeInterval.milliseconds(100)

    private let count = Atomic(0)
    private let queue = DispatchQueue(label: "refusals")

    /// A response as it is sent.
    func reply(_ response: HTTPResponse) -> HTTPReply {
        guard response.status == .tooManyRequests else { return .now(response) }
        let later = LaterResponse()
        return hold(later, response) ? .later(later) : .now(response)
    }

    /// Finishes a response, at once or later.
    func finish(_ later: LaterResponse, _ response: HTTPResponse) {
        if response.status != .tooManyRequests || !hold(later, response) { later.finish(response) }
    }

    /// - Returns: false if too many are held back.
    private func hold(_ later: LaterResponse, _ response: HTTPResponse) -> Bool {
        guard count.add(1, ordering: .relaxed).newValue <= Self.limit else {
            count.subtract(1, ordering: .relaxed)
            return false
        }
        queue.asyncAfter(deadline: .now() + Self.delay) { [self] in
            count.subtract(1, ordering: .relaxed)
            later.finish(response)
        }
        return true
    }
}

/// Entity tags (RFC 9110, section 8.8.3): a client that has an answer already need not be sent it again.
///
/// The tags are weak: the plain and the compressed form of an answer have the same one.
enum EntityTag {
    private static let fieldName = "ETag"

    /// Adds the tag of an answer, before its body is compressed.
    static func add(to response: inout HTTPResponse) {
        response.headers.append(name: fieldName, value: "W/\"\(Checksum.text(of: response.body))\"")
    }

    /// Takes the body from an answer that the client has already, which thereby gets status 304.
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

    /// Whether a header field `If-None-Match` names a tag, by the weak comparison, or any.
    private static func names(_ tag: String, _ field: String) -> Bool {
        let opaque = tag.dropFirst(2)
        return field.split(separator: ",").contains { element in
            let element = element.trimmingSpaces
            return element == "*" || (element.hasPrefix("W/") ? element.dropFirst(2) : element) == opaque
        }
    }
}
