/// Whether a pair holds, such as a membership, a favourite, a follow or a dismissal, and since which event.
///
/// This is the one rule for pairs. The latest event counts, to the whole second. Of events in the same second, the one
/// that arrived later counts. A pair of unknown time is older than any event.
package struct PairState: Sendable, Equatable {
    package var holds: Bool
    /// The time of the last event, in Unix seconds; nil if it is unknown.
    package var seconds: Int64?

    package init(holds: Bool, seconds: Int64?) {
        self.holds = holds
        self.seconds = seconds
    }

    /// The state of a pair of which nothing is known.
    package static let unknown = PairState(holds: false, seconds: nil)

    /// The time of the last event in Unix milliseconds, if it is known.
    package var atMilliseconds: Int64? { seconds.map { $0 * 1000 } }

    /// Takes an event into account that arrives now.
    ///
    /// - Parameters:
    ///   - holds: whether the pair holds after the event.
    ///   - seconds: the time of the event, in Unix seconds.
    /// - Returns: whether the event counts; a later one may be known.
    @discardableResult
    package mutating func settle(_ holds: Bool, atSeconds seconds: Int64) -> Bool {
        guard seconds >= self.seconds ?? .min else { return false }
        self = PairState(holds: holds, seconds: seconds)
        return true
    }
}
