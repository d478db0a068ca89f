import Synchronization

/// The errors and warnings of a daemon's last hour, counted by the minute.
final class RecentTroubles: Sendable {
    private static let minutes = 60

    private struct State {
        /// How many there were in each minute, by the minute modulo `minutes`.
        var counts = [Int](repeating: 0, count: minutes)
        /// The minute that was counted last, since 1970.
        var minute: Int64 = 0
        var last: (message: String, atMilliseconds: Int64)?

        /// Forgets the minutes that have passed since the last one.
        mutating func advance(to minute: Int64) {
            let passed = min(max(minute - self.minute, 0), Int64(RecentTroubles.minutes))
            for step in 0..<passed {
                counts[Int((minute - step) % Int64(RecentTroubles.minutes))] = 0
            }
            self.minute = max(self.minute, minute)
        }
    }

    private let state = Mutex(State())

    /// Takes one down, at a time in Unix milliseconds.
    func note(_ message: String, at now: Int64) {
        state.withLock { state in
            state.advance(to: now / 60_000)
            state.counts[Int(state.minute % Int64(Self.minutes))] += 1
            state.last = (message, now)
        }
    }

    /// How many there were in the hour before a time in Unix milliseconds, and the last of all.
    func reading(at now: Int64) -> (count: Int, last: (message: String, atMilliseconds: Int64)?) {
        state.withLock { state in
            state.advance(to: now / 60_000)
            return (state.counts.reduce(0, +), state.last)
        }
    }
}
