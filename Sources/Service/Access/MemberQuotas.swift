import CatalogStore
import Model
import Synchronization

/// How much each member may have recorded.
public struct MemberQuota: Sendable, Equatable {
    /// Interactions in a day; nil for no limit.
    public var interactionsPerDay: Int?
    /// Bytes of interactions that are kept; nil for no limit.
    public var keptBytes: Int?

    /// What people and pages need, and some more.
    public static let usual = MemberQuota(interactionsPerDay: 10_000, keptBytes: 16 << 20)

    /// A quota.
    ///
    /// - Parameters:
    ///   - interactionsPerDay: one batch at least, `InteractionBatch.sizes`.
    ///   - keptBytes: 1 or more.
    public init(interactionsPerDay: Int? = nil, keptBytes: Int? = nil) {
        self.interactionsPerDay = interactionsPerDay
        self.keptBytes = keptBytes
    }

    /// The fewest interactions a day that may be allowed: those of a batch.
    public static let fewestInteractions = InteractionBatch.sizes.upperBound
}

/// Holds every member to a quota, in this daemon, so that what one sends costs the others nothing.
///
/// What a member has used is read from what is recorded when it is first needed, and counted in memory from then on.
final class MemberQuotas: Sendable {
    /// What a member has used.
    private struct Use {
        /// When nothing of a day's interactions will be used any more, in Unix milliseconds: each interaction takes its
        /// part of a day to be given back.
        var freeAtMilliseconds: Double
        var keptBytes: Int
    }

    /// How many members are remembered.
    private static let capacity = 65_536
    private static let dayMilliseconds = 86_400_000.0

    private let quota: MemberQuota
    private let uses = Mutex(RecentTable<BytewiseString, Use>(limit: capacity))

    init(_ quota: MemberQuota) { self.quota = quota }

    /// Whether a member may have interactions recorded, which do not count yet.
    ///
    /// - Parameters:
    ///   - now: Unix milliseconds.
    ///   - lookUp: what is recorded of the member; asked if that is not known.
    /// - Returns: a `Problem` of status 429; nil if they may be recorded.
    func check<Failure: Error>(
        _ interactions: [InteractionRecord], ofUser user: String, at now: Int64,
        orLookUp lookUp: () throws(Failure) -> RecordedAmount
    ) throws(Failure) -> Problem? {
        let key = BytewiseString(user)
        var use = uses.withLock { $0.value(of: key) }
        if use == nil {
            let amount = try lookUp()
            use = Use(freeAtMilliseconds: Double(now) + milliseconds(of: amount.recent), keptBytes: amount.keptBytes)
        }
        guard let use else { return nil }
        uses.withLock { $0.insert(use, for: key) }
        let wait =
            max(use.freeAtMilliseconds, Double(now)) + milliseconds(of: interactions.count) - Double(now)
            - Self.dayMilliseconds
        if wait > 0 { return .tooManyInteractions(quota, waitSeconds: Int(wait / 1000) + 1) }
        if let limit = quota.keptBytes, use.keptBytes + interactions.keptBytes > limit {
            return .tooManyInteractions(quota, waitSeconds: Int(Self.dayMilliseconds / 1000))
        }
        return nil
    }

    /// Counts interactions that were recorded.
    ///
    /// - Parameter new: how many of them were not known before.
    func count(_ interactions: [InteractionRecord], new: Int, ofUser user: String, at now: Int64) {
        let key = BytewiseString(user)
        uses.withLock { uses in
            guard new > 0, var use = uses.value(of: key) else { return }
            use.freeAtMilliseconds = max(use.freeAtMilliseconds, Double(now)) + milliseconds(of: new)
            use.keptBytes += interactions.keptBytes * new / interactions.count
            uses.insert(use, for: key)
        }
    }

    /// What a member has used is looked up again, as some of it was forgotten.
    func forget(_ user: String) { uses.withLock { $0.removeValue(of: BytewiseString(user)) } }

    /// The part of a day that interactions take.
    private func milliseconds(of interactions: Int) -> Double {
        quota.interactionsPerDay.map { Double(interactions) * Self.dayMilliseconds / Double($0) } ?? 0
    }
}

extension [InteractionRecord] {
    /// What they take where they are kept, in bytes, about.
    fileprivate var keptBytes: Int {
        reduce(0) { sum, interaction in
            sum + RecordedAmount.bytesOfInteraction + interaction.id.utf8.count
                + (interaction.recommendationID?.utf8.count ?? 0) + (interaction.variant?.utf8.count ?? 0)
        }
    }
}

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
