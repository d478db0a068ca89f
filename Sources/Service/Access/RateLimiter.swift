import Synchronization
import Tokens

/// Holds every bearer of a token to a rate, in this daemon: others on the same store count for themselves.
///
/// Who has not asked for long is forgotten, and may then ask as after any other pause.
final class RateLimiter: Sendable {
    /// How many bearers are remembered.
    static let capacity = 65_536

    private struct Bearer: Hashable {
        let role: Role
        /// The bytes: to Swift, texts are equal already if they look the same.
        let subject: [UInt8]
    }

    private let limits: [Role: RateLimit]
    private let paces: Mutex<RecentTable<Bearer, RateLimit.Pace>>

    /// Limits by role; a role without one is not limited.
    init(_ limits: [Role: RateLimit], capacity: Int = RateLimiter.capacity) {
        self.limits = limits
        paces = Mutex(RecentTable(limit: capacity))
    }

    /// Counts a request of a bearer if their limit allows it.
    ///
    /// - Parameter now: nanoseconds of the monotonic clock.
    /// - Returns: nil if it is allowed, else how long to wait, in nanoseconds.
    func admit(_ claims: TokenClaims, at now: UInt64) -> UInt64? {
        guard let limit = limits[claims.role] else { return nil }
        let bearer = Bearer(role: claims.role, subject: Array(claims.subject.utf8))
        return paces.withLock { paces in
            var pace = paces.value(of: bearer) ?? RateLimit.Pace()
            let wait = pace.admit(limit, at: now)
            paces.insert(pace, for: bearer)
            return wait
        }
    }
}
