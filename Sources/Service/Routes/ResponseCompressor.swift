import Compression
import HTTP
import Synchronization

/// Sends answers as gzip to clients that take it, where that is worthwhile.
final class ResponseCompressor: Sendable {
    /// Shorter bodies fit into a packet or two anyway.
    static let minimumByteCount = 1024

    /// A compressor that belongs to whoever has taken it from the pool.
    private struct Idle: @unchecked Sendable {
        let compressor: GzipCompressor
    }

    // Never more than there are requests under way at a time, that is, threads of the server.
    private let idle = Mutex<[Idle]>([])

    /// Compresses the body of an answer to a request, if its client takes that and it gets shorter.
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
        // Fast rather than small: most of the gain comes from the names, which repeat in every row.
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
