import Dispatch
import HTTP
import Synchronization

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
