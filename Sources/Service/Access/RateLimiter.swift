import Synchronization
import Tokens

/// Holds every caller to a rate, in this daemon: others on the same store count for themselves.
///
/// Who has not asked for long is forgotten, and may then ask as after any other pause.
final class RateLimiter: Sendable {
    /// How many callers are remembered.
    static let capacity = 65_536

    /// Who is counted together.
    private enum Caller: Hashable {
        /// The bytes of a subject: to Swift, texts are equal already if they look the same.
        case bearer(Role, subject: [UInt8])
        /// All who ask in an open area.
        case anybody(Area)
    }

    private let limits: RateLimits
    private let paces: Mutex<RecentTable<Caller, RateLimit.Pace>>

    init(_ limits: RateLimits, capacity: Int = RateLimiter.capacity) {
        self.limits = limits
        paces = Mutex(RecentTable(limit: capacity))
    }

    /// Counts a request of a bearer if their limit allows it.
    ///
    /// - Parameter now: nanoseconds of the monotonic clock.
    /// - Returns: nil if it is allowed, else how long to wait, in nanoseconds.
    func admit(_ claims: TokenClaims, at now: UInt64) -> UInt64? {
        limits.bearers[claims.role].flatMap { limit in
            admit(.bearer(claims.role, subject: Array(claims.subject.utf8)), limit, at: now)
        }
    }

    /// The same for a request of anybody in an open area.
    func admitAnybody(to area: Area, at now: UInt64) -> UInt64? {
        limits.openArea.flatMap { admit(.anybody(area), $0, at: now) }
    }

    private func admit(_ caller: Caller, _ limit: RateLimit, at now: UInt64) -> UInt64? {
        paces.withLock { paces in
            var pace = paces.value(of: caller) ?? RateLimit.Pace()
            let wait = pace.admit(limit, at: now)
            paces.insert(pace, for: caller)
            return wait
        }
    }
}
