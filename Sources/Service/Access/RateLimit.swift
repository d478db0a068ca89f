public import Tokens

/// How often clients may ask; who has no limit here is not limited.
public struct RateLimits: Sendable {
    /// For every bearer of a token, by role.
    public var bearers: [Role: RateLimit]
    /// For every open area, all its callers together: they cannot be told apart behind a gateway.
    public var openArea: RateLimit?

    /// What people and pages need, and some more; servers of the site's own are not limited.
    public static let usual = RateLimits(
        bearers: [.member: RateLimit(perSecond: 20, burst: 40)], openArea: RateLimit(perSecond: 200, burst: 400))

    /// Limits.
    public init(bearers: [Role: RateLimit] = [:], openArea: RateLimit? = nil) {
        self.bearers = bearers
        self.openArea = openArea
    }
}

/// How many requests are answered: a steady rate, and some more in a row after a pause.
public struct RateLimit: Sendable, Equatable {
    /// Nanoseconds from one request to the next at the steady rate.
    let intervalNanoseconds: UInt64
    /// How many may come at once, 1 or more.
    let burst: UInt64

    /// A limit.
    ///
    /// - Parameters:
    ///   - perSecond: requests a second, from 1 to 1,000,000.
    ///   - burst: how many may come at once after a pause, from 1 to 1,000,000.
    public init(perSecond: Int, burst: Int) {
        precondition((1...1_000_000).contains(perSecond), "\(perSecond) a second is no rate")
        precondition((1...1_000_000).contains(burst), "\(burst) in a row is no burst")
        intervalNanoseconds = 1_000_000_000 / UInt64(perSecond)
        self.burst = UInt64(burst)
    }

    /// How much of a limit has been used: a token bucket, kept as the moment at which it will be full again
    /// (the generic cell rate algorithm, ITU-T I.371).
    struct Pace: Sendable {
        private var fullAtNanoseconds: UInt64 = 0

        /// Counts a request if the limit allows it.
        ///
        /// - Parameter now: nanoseconds of the monotonic clock.
        /// - Returns: nil if it is allowed, else how long to wait, in nanoseconds.
        mutating func admit(_ limit: RateLimit, at now: UInt64) -> UInt64? {
            let begin = max(fullAtNanoseconds, now)
            let latest = now + limit.intervalNanoseconds * (limit.burst - 1)
            guard begin <= latest else { return begin - latest }
            fullAtNanoseconds = begin + limit.intervalNanoseconds
            return nil
        }
    }
}
