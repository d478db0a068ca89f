import Answers
import Glibc
import HTTP
import Synchronization

/// What happens, a JSON object a line: `timeMilliseconds`, `level`, `message`, and more by the message.
///
/// No line has a token, a key, or the query of a request in it.
public struct EventLog: Sendable {
    /// How much an event matters.
    public enum Level: String, Sendable {
        /// As it should be.
        case info
        /// Worth a look; the daemon goes on.
        case warning
        /// Somebody has to do something.
        case error
    }

    private let write: @Sendable (_ line: String) -> Void
    private let now: @Sendable () -> Int64
    /// Where warnings and errors are counted; nil for nowhere.
    private var troubles: RecentTroubles?
    /// The queue of its lines, if they wait to be written.
    private(set) var queue: LogQueue?

    /// A log.
    ///
    /// - Parameters:
    ///   - now: the time, in Unix milliseconds.
    ///   - write: takes one line without its end; called from several threads at a time.
    public init(now: @escaping @Sendable () -> Int64, write: @escaping @Sendable (_ line: String) -> Void) {
        self.now = now
        self.write = write
    }

    /// Standard error.
    ///
    /// Its lines are written by another thread, so no answer waits for whoever reads them.
    public static let standardError = EventLog(LogQueue.standardError)

    private init(_ queue: LogQueue) {
        self.init(now: { SystemClock.nowMilliseconds }) { queue.add($0) }
        self.queue = queue
    }

    /// Waits until the lines for standard error are written, but not longer than a time: nobody may be reading them.
    public static func finish(waitingAtMost patience: Duration = .seconds(1)) {
        LogQueue.standardError.flush(waitingAtMost: patience)
    }

    /// Takes down what is as it should be.
    public func info(_ message: String) { record(.info, message) }

    /// Takes down what is worth a look.
    public func warning(_ message: String) {
        record(.warning, message)
        troubles?.note(message, at: now())
    }

    /// Takes down what somebody has to see to.
    public func error(_ message: String) {
        record(.error, message)
        troubles?.note(message, at: now())
    }

    /// The same log, whose warnings and errors are counted, too; refused requests are none of them.
    func counting(in troubles: RecentTroubles) -> EventLog {
        var log = self
        log.troubles = troubles
        return log
    }

    /// Writes a line with members of its own.
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

/// Takes down refusals, and every request if it is asked to.
final class RequestLog: Sendable {
    /// The longest piece of a path that is written, in bytes.
    private static let pathLimitBytes = 512
    /// Lines about refusals in a row and a second: whoever is refused must not fill the disk.
    private static let refusalLimit = RateLimit(perSecond: 10, burst: 50)

    private let log: EventLog
    private let recordsEveryRequest: Bool
    private let refusals = Mutex((pace: RateLimit.Pace(), omitted: 0))

    init(_ log: EventLog, recordsEveryRequest: Bool) {
        self.log = log
        self.recordsEveryRequest = recordsEveryRequest
    }

    /// A request was turned away.
    ///
    /// - Parameters:
    ///   - request: nil if it could not be understood.
    ///   - now: nanoseconds of the monotonic clock.
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
            if let request { Self.describe(request, in: &json) }
            if omitted > 0 { json.member("refusalsNotLogged", omitted) }
        }
    }

    /// A request was answered.
    func answered(_ request: HTTPRequest, _ response: HTTPResponse, id: String, nanoseconds: UInt64) {
        guard recordsEveryRequest else { return }
        log.record(.info, "request") { json in
            json.member("requestId", id)
            Self.describe(request, in: &json)
            json.member("status", response.status.rawValue)
            json.member("bodyBytes", response.body.count)
            json.member("microseconds", nanoseconds / 1000)
        }
    }

    private static func describe(_ request: HTTPRequest, in json: inout JSONWriter) {
        json.member("method", String(decoding: request.method.rawValue.utf8.prefix(32), as: UTF8.self))
        // Without the query: what clients put there is not always meant to be kept.
        json.member("path", String(decoding: request.rawPath.utf8.prefix(pathLimitBytes), as: UTF8.self))
    }
}

/// The system's clocks.
enum SystemClock {
    /// Unix milliseconds.
    static var nowMilliseconds: Int64 {
        let time = read(CLOCK_REALTIME)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Nanoseconds since some moment in the past; never goes back.
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
