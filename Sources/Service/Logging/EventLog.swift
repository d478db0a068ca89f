import Answers
import Changes
import Glibc
import HTTP
import Synchronization

/// A log of events, one JSON object a line: `timeMilliseconds`, `level`, `message`, and more for some messages.
///
/// No line contains a token, a key, or the query of a request.
package struct EventLog: Sendable {
    /// The importance of an event.
    package enum Level: String, Sendable {
        /// A normal event.
        case info
        /// An event that is worth a look; the daemon goes on.
        case warning
        /// An event that somebody must react to.
        case error
    }

    private let write: @Sendable (_ line: String) -> Void
    private let now: @Sendable () -> Int64
    /// The count of warnings and errors; nil for no count.
    private var troubles: RecentTroubles?
    /// The queue of the log's lines; nil if the log has no queue.
    private(set) var queue: LogQueue?

    /// Creates a log.
    ///
    /// - Parameters:
    ///   - now: the clock, in Unix milliseconds.
    ///   - write: takes one line without its end; several threads call it at a time.
    package init(now: @escaping @Sendable () -> Int64, write: @escaping @Sendable (_ line: String) -> Void) {
        self.now = now
        self.write = write
    }

    /// The log on standard error.
    ///
    /// Another thread writes its lines, so no answer waits for the reader of standard error.
    package static let standardError = EventLog(LogQueue.standardError)

    private init(_ queue: LogQueue) {
        self.init(now: { SystemClock.nowMilliseconds }) { queue.add($0) }
        self.queue = queue
    }

    /// Waits until the lines for standard error are written, but at most for a second.
    ///
    /// The limit matters if nobody reads standard error.
    package static func finish() {
        LogQueue.standardError.flush(waitingAtMost: .seconds(1))
    }

    package func info(_ message: String) { record(.info, message) }

    package func warning(_ message: String) {
        record(.warning, message)
        troubles?.note(message, at: now())
    }

    package func error(_ message: String) {
        record(.error, message)
        troubles?.note(message, at: now())
    }

    /// Returns a log with the same lines that also counts warnings and errors.
    ///
    /// Refused requests are not counted.
    func counting(in troubles: RecentTroubles) -> EventLog {
        var log = self
        log.troubles = troubles
        return log
    }

    /// Writes a line with additional members.
    func record(_ level: Level, _ message: String, _ members: (inout JSONWriter) -> Void = { _ in }) {
        let line = JSONWriter.object { json in
            json.member("timeMilliseconds", now())
            json.member("level", level.rawValue)
            json.member("message", message)
            members(&json)
        }
        write(String(decoding: line, as: UTF8.self))
    }
}

/// Logs refused requests, and every request if asked to.
final class RequestLog: Sendable {
    /// The longest part of a path that is logged, in bytes, inclusive.
    private static let pathLimitBytes = 512
    /// The limit on lines about refusals.
    ///
    /// Without it, a client whose requests are refused could fill the disk.
    private static let refusalLimit = RateLimit(perSecond: 10, burst: 50)

    private let log: EventLog
    private let recordsEveryRequest: Bool
    /// The digests that stand in place of ids; nil if ids are logged.
    private let digests: PathDigests?
    private let refusals = Mutex((pace: RateLimit.Pace(), omitted: 0))

    init(_ log: EventLog, recordsEveryRequest: Bool, digests: PathDigests? = nil) {
        self.digests = digests
        self.log = log
        self.recordsEveryRequest = recordsEveryRequest
    }

    /// Logs a refused request, within the limit on such lines.
    ///
    /// - Parameters:
    ///   - request: the request; nil if it could not be parsed.
    ///   - now: the monotonic clock, in nanoseconds.
    func refused(_ refusal: Refusal, _ detail: String, _ request: HTTPRequest?, id: String, at now: UInt64) {
        let omitted: Int? = refusals.withLock { state in
            guard state.pace.admit(Self.refusalLimit, at: now) == nil else {
                state.omitted += 1
                return nil
            }
            defer { state.omitted = 0 }
            return state.omitted
        }
        guard let omitted else { return }
        log.record(.warning, "refused") { json in
            json.member("reason", refusal.rawValue)
            json.member("detail", detail)
            json.member("requestId", id)
            if let request { describe(request, in: &json) }
            if omitted > 0 { json.member("refusalsNotLogged", omitted) }
        }
    }

    /// Logs an answered request, if every request is logged.
    func answered(_ request: HTTPRequest, _ response: HTTPResponse, id: String, nanoseconds: UInt64) {
        guard recordsEveryRequest else { return }
        log.record(.info, "request") { json in
            json.member("requestId", id)
            describe(request, in: &json)
            json.member("status", response.status.rawValue)
            json.member("bodyBytes", response.body.count)
            json.member("microseconds", nanoseconds / 1000)
        }
    }

    private func describe(_ request: HTTPRequest, in json: inout JSONWriter) {
        json.member("method", String(decoding: request.method.rawValue.utf8.prefix(32), as: UTF8.self))
        let path = digests?.path(of: request) ?? request.rawPath
        // The query is left out, because it may contain data that must not be kept.
        json.member("path", String(decoding: path.utf8.prefix(Self.pathLimitBytes), as: UTF8.self))
    }
}

/// Paths with digests in place of ids, so that a log does not tell who asked for what.
struct PathDigests: Sendable {
    /// The key of the digests, which nobody knows, and which ends with the process.
    private static let key = Ledger.makeKey()
    /// The words after which a member's id comes, whatever it is.
    private static let wordsOfMembers: Set = ["users", "members"]

    private let words: Set<String>

    init(_ endpoints: [Endpoint]) {
        words = Set(endpoints.flatMap { $0.pattern.split(separator: "/").map(String.init) })
    }

    /// Returns the path of a request, with a digest for each segment that is not one of the words.
    func path(of request: HTTPRequest) -> String {
        var before = ""
        return request.segments.map { segment in
            defer { before = segment }
            guard Self.wordsOfMembers.contains(before) || !words.contains(segment) else { return "/" + segment }
            return "/" + Self.digest(of: segment)
        }.joined()
    }

    /// Returns what stands for an id in the log.
    static func digest(of id: String) -> String { "~" + Ledger(key: key).digest(of: id).text.prefix(16) }
}

/// The system's clocks.
enum SystemClock {
    /// The time, in Unix milliseconds.
    static var nowMilliseconds: Int64 {
        let time = read(CLOCK_REALTIME)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// The nanoseconds since an unspecified moment in the past; they never decrease.
    static var uptimeNanoseconds: UInt64 {
        let time = read(CLOCK_MONOTONIC)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return time
    }
}
