package import Basics
import CCurl

/// An HTTP client over libcurl that keeps one connection open and sends one request at a time.
@safe
package final class HTTPClient {
    /// An answer to a request.
    package struct Answer: Sendable {
        package var status: Int
        /// The body, decompressed.
        package var body: [UInt8]
        /// The time from the start of the request to the end of the answer.
        package var microseconds: UInt64
        /// The server's own time for the answer, from `Server-Timing`, or nil without that field.
        package var serverMicroseconds: UInt64?
    }

    /// The timeouts of connecting and of a whole request.
    private static let connectTimeoutMilliseconds = 5_000, timeoutMilliseconds = 30_000
    /// libcurl requires this before the first handle.
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_SSL)) == CURLE_OK

    private let base: String
    private let handle: UnsafeMutableRawPointer

    /// Creates a client, which connects with its first request.
    ///
    /// - Parameter base: scheme, host and port, such as `http://127.0.0.1:8080`, optionally with a path that precedes
    ///   every request's path.
    /// - Throws: `Failure.Code.badUsage` unless the address begins with `http://` or `https://`.
    package init(_ base: String) throws(Failure) {
        guard base.hasPrefix("http://") || base.hasPrefix("https://") else {
            throw Failure(.badUsage, "\"\(base)\" is not the address of a server: give http://HOST:PORT")
        }
        guard Self.isReady, let handle = unsafe curl_easy_init() else {
            throw Failure(.unavailable, "there is no memory")
        }
        self.base = base.hasSuffix("/") ? String(base.dropLast()) : base
        unsafe self.handle = handle
    }

    deinit { unsafe curl_easy_cleanup(handle) }

    /// Sends a request and waits for its answer; redirections are not followed.
    ///
    /// - Parameters:
    ///   - target: the path and query, which are sent unchanged.
    ///   - headers: the header fields; with `Accept-Encoding: gzip`, the server may compress the answer.
    ///   - body: the body; empty for none.
    /// - Throws: `Failure.Code.unavailable` if the server cannot be reached or does not answer in time.
    package func answer(
        to method: String, _ target: String, headers: [String: String] = [:], body: [UInt8] = []
    ) throws(Failure) -> Answer {
        unsafe curl_easy_reset(handle)
        var lines: UnsafeMutablePointer<curl_slist>?
        defer { unsafe curl_slist_free_all(lines) }
        for (name, value) in headers where name != "Accept-Encoding" {
            unsafe lines = curl_slist_append(lines, "\(name): \(value)")
        }
        // Otherwise libcurl announces a long body and waits for the server to ask for it.
        unsafe lines = curl_slist_append(lines, "Expect:")
        unsafe shim_set_pointer(handle, CURLOPT_HTTPHEADER, lines)
        unsafe shim_set_text(handle, CURLOPT_URL, base + target)
        unsafe shim_set_number(handle, CURLOPT_PATH_AS_IS, 1)
        unsafe shim_set_number(handle, CURLOPT_NOSIGNAL, 1)
        unsafe shim_set_number(handle, CURLOPT_CONNECTTIMEOUT_MS, Self.connectTimeoutMilliseconds)
        unsafe shim_set_number(handle, CURLOPT_TIMEOUT_MS, Self.timeoutMilliseconds)
        if let codings = headers["Accept-Encoding"], codings.contains("gzip") {
            unsafe shim_set_text(handle, CURLOPT_ACCEPT_ENCODING, "gzip")
        }
        if method == "HEAD" { unsafe shim_set_number(handle, CURLOPT_NOBODY, 1) }
        unsafe shim_set_text(handle, CURLOPT_CUSTOMREQUEST, method)
        if !body.isEmpty {
            unsafe shim_set_number(handle, CURLOPT_POSTFIELDSIZE, body.count)
            _ = unsafe body.withUnsafeBytes { bytes in
                unsafe shim_set_text(
                    handle, CURLOPT_COPYPOSTFIELDS, bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
            }
        }
        return try performed()
    }

    private func performed() throws(Failure) -> Answer {
        let received = Received()
        unsafe shim_set_writer(handle) { bytes, size, count, context in
            guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
            let received = unsafe Unmanaged<Received>.fromOpaque(context).takeUnretainedValue()
            unsafe received.body.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: size * count))
            return size * count
        }
        let outcome = withExtendedLifetime(received) {
            unsafe shim_set_pointer(handle, CURLOPT_WRITEDATA, Unmanaged.passUnretained(received).toOpaque())
            return unsafe curl_easy_perform(handle)
        }
        guard outcome == CURLE_OK else {
            throw Failure(.unavailable, "\(base): \(unsafe String(cString: curl_easy_strerror(outcome)))")
        }
        var status = 0
        var microseconds: curl_off_t = 0
        unsafe shim_get_number(handle, CURLINFO_RESPONSE_CODE, &status)
        unsafe shim_get_time(handle, CURLINFO_TOTAL_TIME_T, &microseconds)
        return Answer(
            status: status, body: received.body, microseconds: UInt64(max(0, microseconds)),
            serverMicroseconds: serverMicroseconds())
    }

    /// Returns the duration `dur`, in milliseconds, of the header field `Server-Timing`.
    private func serverMicroseconds() -> UInt64? {
        var header: UnsafeMutablePointer<curl_header>?
        guard unsafe curl_easy_header(handle, "Server-Timing", 0, UInt32(CURLH_HEADER), -1, &header) == CURLHE_OK,
            let value = unsafe header?.pointee.value
        else { return nil }
        let text = unsafe String(cString: value)
        let duration = text.split(separator: ";").first { $0.hasPrefix("dur=") }.flatMap { Double($0.dropFirst(4)) }
        return duration.flatMap { $0 >= 0 && $0 < 1e12 ? UInt64(($0 * 1000).rounded()) : nil }
    }

    private final class Received {
        var body: [UInt8] = []
    }
}
