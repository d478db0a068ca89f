/// Who has had a request that took long in this round of a worker.
///
/// Who sends many requests over many connections must not make others wait for all of them. After one that took long,
/// further requests of the same caller wait until the worker has answered what came from others meanwhile. A caller is
/// known by the credentials of the request; requests without any do not wait.
struct CallerTurns {
    /// What takes longer is long: new lists are, in nanoseconds, and neither answers from a cache nor refusals.
    static let longNanoseconds: UInt64 = 200_000

    private var callers: Set<String> = []

    /// Lets everybody have another long request.
    mutating func beginRound() {
        if !callers.isEmpty { callers.removeAll(keepingCapacity: true) }
    }

    /// Whether a request must wait for the next round.
    func mustWait(_ request: HTTPRequest) -> Bool {
        guard !callers.isEmpty, let caller = Self.caller(of: request) else { return false }
        return callers.contains(caller)
    }

    /// Notes how long a request took.
    mutating func note(_ request: HTTPRequest, nanoseconds: UInt64) {
        guard nanoseconds > Self.longNanoseconds, let caller = Self.caller(of: request) else { return }
        callers.insert(caller)
    }

    private static func caller(of request: HTTPRequest) -> String? { request.headers["Authorization"] }
}
