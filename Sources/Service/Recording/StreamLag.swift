import Changes
import Model

/// How far a daemon is behind what the streams of all daemons have.
struct StreamLag {
    /// What the streams had at a moment, and when that was.
    private struct Goal {
        var streams: [String: StreamedNumbers]
        var atMilliseconds: Int64
    }

    /// How many changes the streams had that were not here, when they were looked at last.
    private(set) var missing: Int64 = 0
    /// The latest moment whose changes all are here, in Unix milliseconds.
    private(set) var completeAtMilliseconds: Int64
    /// What has to come before a later moment is complete: with new changes all the time, some are always missing.
    private var goal: Goal?

    /// - Parameter now: Unix milliseconds.
    init(since now: Int64) { completeAtMilliseconds = now }

    /// Takes down what is here and what the streams have, at a time in Unix milliseconds.
    mutating func note(_ exchange: ChangeExchange, at now: Int64) {
        if let goal, Self.missing(from: goal.streams, in: exchange) == 0 {
            completeAtMilliseconds = goal.atMilliseconds
            self.goal = nil
        }
        missing = Self.missing(from: exchange.streams, in: exchange)
        if missing == 0 {
            completeAtMilliseconds = now
            goal = nil
        } else if goal == nil {
            goal = Goal(streams: exchange.streams, atMilliseconds: now)
        }
    }

    /// How long ago the latest complete moment was, in milliseconds.
    func milliseconds(at now: Int64) -> Int64 { max(0, now - completeAtMilliseconds) }

    private static func missing(from streams: [String: StreamedNumbers], in exchange: ChangeExchange) -> Int64 {
        streams.reduce(0) { $0 + max(0, $1.value.last - exchange.needed(of: $1.key).last) }
    }
}
