/// The last statement of a member about being shown groups: a pause of the list, or its end.
///
/// As with pairs, the latest statement counts, to the whole second. Of statements in the same second, the one that
/// arrived later counts.
package struct Pause: Sendable, Equatable {
    /// The possible lengths of a pause that ends by itself, in days.
    package static let days = 1...365
    package static let secondsOfDay = 86_400

    /// The time of the statement, in Unix seconds.
    package var atSeconds: Int64
    /// The end of the pause in Unix seconds, exclusive; nil for a pause for good, 0 after the member has ended it.
    package var endSeconds: Int64?

    package init(atSeconds: Int64, endSeconds: Int64?) {
        (self.atSeconds, self.endSeconds) = (atSeconds, endSeconds)
    }

    /// Creates the pause that an interaction begins or ends, or returns nil for an interaction of another kind.
    ///
    /// - Parameter seconds: the length of the pause; nil for a pause for good.
    package init?(_ kind: Interaction.Kind, atMilliseconds instant: Int64, seconds: Int?) {
        let longest = Self.days.upperBound * Self.secondsOfDay
        switch kind {
        case .pause: self.init(instant, seconds.map { instant / 1000 + Int64(min($0, longest)) })
        case .resume: self.init(instant, 0)
        default: return nil
        }
    }

    private init(_ instant: Int64, _ endSeconds: Int64?) {
        self.init(atSeconds: instant / 1000, endSeconds: endSeconds)
    }

    /// Whether the member is shown no groups at an instant, in Unix milliseconds.
    package func isOn(atMilliseconds instant: Int64) -> Bool { endSeconds.map { instant / 1000 < $0 } ?? true }
}

extension Pause? {
    /// Takes a statement into account that arrives now; a later one may be known.
    package mutating func settle(_ next: Pause) {
        if next.atSeconds >= self?.atSeconds ?? .min { self = next }
    }
}
