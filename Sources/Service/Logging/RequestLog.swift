import Answers
import HTTP
import Synchronization

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
