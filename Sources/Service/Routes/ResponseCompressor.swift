import Compression
import HTTP
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
