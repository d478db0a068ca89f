/// A reader that turns the bytes of a connection into requests, wherever the bytes are divided into pieces.
///
/// After `next` has thrown, the reader must not be used: the start of the next request is unknown.
struct RequestReader {
    enum Step {
        /// More bytes are needed.
        case incomplete
        /// The client waits for `100 Continue` before it sends the body; more bytes are needed.
        case expectsContinue
        case complete(HTTPRequest, then: Continuation)
    }

    /// The part of a request that is read next.
    private enum Part: Equatable {
        case requestLine
        case headerField
        /// The given number of bytes of a body that is not in chunks.
        case content(Int)
        case chunkSize
        /// The given number of bytes of a chunk.
        case chunk(Int)
        /// The line end after a chunk.
        case chunkEnd
        case trailerField
    }

    /// The longest line with the size of a chunk and its extensions, in bytes.
    private static let chunkLineLimitBytes = 256

    /// The most memory that is kept for the next request of a connection, in bytes.
    private static let keptCapacityBytes = 16 * 1024

    private let headerLimitBytes: Int
    private let bodyLimitBytes: Int
    private var bytes: [UInt8] = []
    /// The index in `bytes` of the first byte that has not been read.
    private var start = 0
    /// The index from which to search for a line feed; there is none between `start` and this index.
    private var searchStart = 0

    private var part = Part.requestLine
    /// The number of bytes that the lines of the current part may still have.
    private var lineBudgetBytes: Int
    private var hasSkippedEmptyLine = false
    private var requestLine: RequestLine?
    /// Whether the last request, also one that is refused, is for a header without a body.
    private(set) var isHead = false
    private var headers = HTTPHeaders()
    private var continuation = Continuation.close
    private var body: [UInt8] = []

    init(headerLimitBytes: Int, bodyLimitBytes: Int) {
        self.headerLimitBytes = headerLimitBytes
        self.bodyLimitBytes = bodyLimitBytes
        lineBudgetBytes = headerLimitBytes
    }

    /// Whether all bytes have been read and no request has begun.
    var isBetweenRequests: Bool { part == .requestLine && start == bytes.count }

    /// Adds bytes that have been received.
    mutating func append(_ piece: ArraySlice<UInt8>) {
        bytes.removeFirst(start)
        searchStart -= start
        start = 0
        bytes.append(contentsOf: piece)
    }

    /// Reads up to the end of one request.
    ///
    /// - Throws: `HTTPError` for a request that must be refused.
    mutating func next() throws(HTTPError) -> Step {
        while true {
            switch part {
            case .requestLine:
                isHead = bytes[start...].starts(with: "HEAD ".utf8)
                guard let line = try nextLine() else { return .incomplete }
                // Some clients send an empty line after a body. One is skipped (RFC 9112, section 2.2).
                if line.isEmpty && !hasSkippedEmptyLine {
                    hasSkippedEmptyLine = true
                } else {
                    requestLine = try RequestLine(bytes[line])
                    part = .headerField
                }
            case .headerField:
                guard let line = try nextLine() else { return .incomplete }
                guard line.isEmpty else {
                    headers.append(try MessageSyntax.headerField(bytes[line]))
                    continue
                }
                if let step = try endHeaders() { return step }
            case .content(let count):
                guard take(count) else { return .incomplete }
                return complete()
            case .chunkSize:
                guard let line = try nextLine() else { return .incomplete }
                try beginChunk(try MessageSyntax.chunkSize(bytes[line]))
            case .chunk(let count):
                guard take(count) else { return .incomplete }
                begin(.chunkEnd, lineBudgetBytes: 2)
            case .chunkEnd:
                guard try nextLine() != nil else { return .incomplete }
                begin(.chunkSize, lineBudgetBytes: Self.chunkLineLimitBytes)
            case .trailerField:
                guard let line = try nextLine() else { return .incomplete }
                guard !line.isEmpty else { return complete() }
                // Trailer fields are checked and dropped, because nothing uses them.
                _ = try MessageSyntax.headerField(bytes[line])
            }
        }
    }

    private mutating func begin(_ next: Part, lineBudgetBytes budget: Int) {
        part = next
        lineBudgetBytes = budget
    }

    /// Decides how to read on after the last header field.
    ///
    /// - Returns: a step if reading stops here, otherwise nil.
    private mutating func endHeaders() throws(HTTPError) -> Step? {
        let framing = try MessageFraming(
            headers, isVersion10: requestLine?.isVersion10 ?? false, bodyLimitBytes: bodyLimitBytes)
        continuation = framing.continuation
        switch framing.body {
        case .none: return complete()
        case .length(let count): part = .content(count)
        case .chunked: begin(.chunkSize, lineBudgetBytes: Self.chunkLineLimitBytes)
        }
        return framing.expectsContinue && start == bytes.count ? .expectsContinue : nil
    }

    private mutating func beginChunk(_ count: Int) throws(HTTPError) {
        guard count <= bodyLimitBytes - body.count else { throw .bodyTooLarge(limitBytes: bodyLimitBytes) }
        if count > 0 {
            part = .chunk(count)
        } else {
            begin(.trailerField, lineBudgetBytes: headerLimitBytes)
        }
    }

    /// Reads a line.
    ///
    /// - Returns: the range of the line without its line end (CR and LF), or nil if it is not complete.
    private mutating func nextLine() throws(HTTPError) -> Range<Int>? {
        guard let lineFeed = bytes[searchStart...].firstIndex(of: UInt8(ascii: "\n")) else {
            searchStart = bytes.count
            guard searchStart - start < lineBudgetBytes else { throw tooLong }
            return nil
        }
        guard lineFeed > start, bytes[lineFeed - 1] == UInt8(ascii: "\r") else {
            throw HTTPError(.badRequest, "a line ends with LF alone: it must end with CR and LF")
        }
        let line = start..<(lineFeed - 1)
        lineBudgetBytes -= lineFeed + 1 - start
        guard lineBudgetBytes >= 0 else { throw tooLong }
        (start, searchStart) = (lineFeed + 1, lineFeed + 1)
        return line
    }

    private var tooLong: HTTPError {
        switch part {
        case .requestLine:
            HTTPError(.uriTooLong, "the request line is longer than \(headerLimitBytes) bytes")
        case .headerField, .trailerField:
            HTTPError(.requestHeaderFieldsTooLarge, "the header fields are longer than \(headerLimitBytes) bytes")
        case .content, .chunkSize, .chunk, .chunkEnd:
            HTTPError(.badRequest, "a chunk of the body is longer than its size, or has long extensions")
        }
    }

    /// Moves at most `count` bytes to the body.
    ///
    /// - Returns: whether the part is complete.
    private mutating func take(_ count: Int) -> Bool {
        let end = min(bytes.count, start + count)
        body.append(contentsOf: bytes[start..<end])
        let missing = count - (end - start)
        (start, searchStart) = (end, end)
        part = part == .content(count) ? .content(missing) : .chunk(missing)
        return missing == 0
    }

    private mutating func complete() -> Step {
        guard let line = requestLine else { preconditionFailure("a request is complete without its first line") }
        let request = HTTPRequest(method: line.method, target: line.target, headers: headers, body: body)
        begin(.requestLine, lineBudgetBytes: headerLimitBytes)
        (requestLine, headers, body, hasSkippedEmptyLine) = (nil, HTTPHeaders(), [], false)
        if start == bytes.count && bytes.capacity > Self.keptCapacityBytes {
            (bytes, start, searchStart) = ([], 0, 0)
        }
        return .complete(request, then: continuation)
    }
}
