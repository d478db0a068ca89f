import Basics
import CatalogStore
import Changes
import Model
import Synchronization

/// The limits on the recorded interactions of each member.
package struct MemberQuota: Sendable, Equatable {
    /// The daily limit of interactions, inclusive, which is given back evenly over a day; nil for no limit.
    package var interactionsPerDay: Int?
    /// The largest size of all kept interactions, in bytes, inclusive; nil for no limit.
    package var keptBytes: Int?
    /// Other changes in a day, as statements of interests and deletions; 1 or more.
    package var otherChangesPerDay = 1000

    /// The usual quota, which is above the needs of people and pages.
    package static let usual = MemberQuota(interactionsPerDay: 10_000, keptBytes: 16 << 20)

    /// Creates a quota.
    ///
    /// - Parameters:
    ///   - interactionsPerDay: at least `fewestInteractions`, or nil for no limit.
    ///   - keptBytes: 1 or more, or nil for no limit.
    package init(interactionsPerDay: Int? = nil, keptBytes: Int? = nil) {
        self.interactionsPerDay = interactionsPerDay
        self.keptBytes = keptBytes
    }

    /// The smallest daily limit: the interactions of one full batch.
    package static let fewestInteractions = InteractionBatch.sizes.upperBound
}

/// Enforces the quota of every member in this daemon, so that one member's data costs the others nothing.
///
/// The use of a quota is read from the records when it is first needed. From then on it is counted in memory.
final class MemberQuotas: Sendable {
    /// The used part of a member's quota.
    private struct Use {
        /// The moment from which on the daily quota is unused again, in Unix milliseconds.
        ///
        /// Each interaction moves the moment ahead by its share of a day.
        var freeAtMilliseconds: Double
        /// Nil if it is to be looked up, as something was forgotten.
        var keptBytes: Int?
        /// The same as `freeAtMilliseconds` of other changes.
        var othersFreeAtMilliseconds = 0.0
    }

    /// The most members whose use is remembered.
    private static let capacity = 65_536
    private static let dayMilliseconds = 86_400_000.0

    private let quota: MemberQuota
    private let uses = Mutex(RecentTable<BytewiseString, Use>(limit: capacity))

    init(_ quota: MemberQuota) { self.quota = quota }

    /// Checks that interactions of a member may be recorded, without counting them yet.
    ///
    /// - Parameters:
    ///   - now: the time, in Unix milliseconds.
    ///   - lookUp: reads the recorded amount; called if the use is not remembered.
    /// - Returns: a `Problem` of status 429, or nil if the interactions may be recorded.
    func check<Failure: Error>(
        _ interactions: [InteractionRecord], ofUser user: String, at now: Int64,
        orLookUp lookUp: () throws(Failure) -> RecordedAmount
    ) throws(Failure) -> Problem? {
        let key = BytewiseString(user)
        var use = uses.withLock { $0.value(of: key) }
        if use?.keptBytes == nil {
            let amount = try lookUp()
            let freeAt = Double(now) + milliseconds(of: amount.recent)
            // What was forgotten has used its part of the day all the same.
            use = Use(
                freeAtMilliseconds: max(freeAt, use?.freeAtMilliseconds ?? 0), keptBytes: amount.keptBytes,
                othersFreeAtMilliseconds: use?.othersFreeAtMilliseconds ?? 0)
        }
        guard let use, let keptBytes = use.keptBytes else { return nil }
        uses.withLock { $0.insert(use, for: key) }
        let wait =
            Self.start(use.freeAtMilliseconds, at: now) + milliseconds(of: interactions.count) - Double(now)
            - Self.dayMilliseconds
        if wait > 0 { return .tooManyInteractions(quota, waitSeconds: Int(wait / 1000) + 1) }
        if let limit = quota.keptBytes, keptBytes + interactions.keptBytes > limit {
            return .tooManyInteractions(quota, waitSeconds: Int(Self.dayMilliseconds / 1000))
        }
        return nil
    }

    /// Counts interactions that were recorded.
    ///
    /// - Parameter new: the number of interactions that had not been recorded before.
    func count(_ interactions: [InteractionRecord], new: Int, ofUser user: String, at now: Int64) {
        let key = BytewiseString(user)
        uses.withLock { uses in
            guard new > 0, var use = uses.value(of: key) else { return }
            use.freeAtMilliseconds = Self.start(use.freeAtMilliseconds, at: now) + milliseconds(of: new)
            use.keptBytes = use.keptBytes.map { $0 + interactions.keptBytes * new / interactions.count }
            uses.insert(use, for: key)
        }
    }

    /// Counts a change of a member other than an interaction, whether or not it changes anything.
    ///
    /// - Returns: a `Problem` of status 429 if the change may not be made, and does not count; nil if it may.
    func take(ofUser user: String, at now: Int64) -> Problem? {
        let key = BytewiseString(user)
        return uses.withLock { uses in
            var use = uses.value(of: key) ?? Use(freeAtMilliseconds: 0)
            let freeAt =
                Self.start(use.othersFreeAtMilliseconds, at: now)
                + Self.dayMilliseconds / Double(quota.otherChangesPerDay)
            let wait = freeAt - Double(now) - Self.dayMilliseconds
            guard wait <= 0 else { return .tooManyChanges(quota, waitSeconds: Int(wait / 1000) + 1) }
            use.othersFreeAtMilliseconds = freeAt
            uses.insert(use, for: key)
            return nil
        }
    }

    /// Forgets the size of a member's interactions, which is then read again, because interactions were deleted.
    func forget(_ user: String) {
        let key = BytewiseString(user)
        uses.withLock { uses in
            guard var use = uses.value(of: key) else { return }
            use.keptBytes = nil
            uses.insert(use, for: key)
        }
    }

    /// Returns the moment from which a further use counts: the end of the earlier uses, or now if that is later.
    ///
    /// Uses reach a day ahead. An end far beyond that was noted by a clock that was ahead, and must not block a member.
    private static func start(_ freeAt: Double, at now: Int64) -> Double {
        let now = Double(now)
        return freeAt - now > 1.25 * dayMilliseconds ? now : max(freeAt, now)
    }

    /// Returns the share of a day that interactions use up, in milliseconds; 0 without a daily limit.
    private func milliseconds(of interactions: Int) -> Double {
        quota.interactionsPerDay.map { Double(interactions) * Self.dayMilliseconds / Double($0) } ?? 0
    }
}

extension [InteractionRecord] {
    /// The approximate size of the interactions as they are kept, in bytes.
    fileprivate var keptBytes: Int {
        reduce(0) { $0 + $1.keptByteCount }
    }
}

/// The limits on the request rate of clients; a client without a limit here is not limited.
package struct RateLimits: Sendable {
    /// The limit of each bearer of a token, by the bearer's role.
    package var bearers: [Role: RateLimit]
    /// The limit of each open area, shared by all its callers.
    ///
    /// Behind a gateway the callers cannot be told apart.
    package var openArea: RateLimit?

    /// The usual limits, above the needs of people and pages; services and admins are not limited.
    package static let usual = RateLimits(
        bearers: [.member: RateLimit(perSecond: 20, burst: 40)], openArea: RateLimit(perSecond: 200, burst: 400))

    package init(bearers: [Role: RateLimit] = [:], openArea: RateLimit? = nil) {
        self.bearers = bearers
        self.openArea = openArea
    }
}

/// A limit on the request rate: a steady rate, and a burst after a pause.
package struct RateLimit: Sendable, Equatable {
    /// The time between two requests at the steady rate, in nanoseconds.
    let intervalNanoseconds: UInt64
    /// The number of requests that may come at once, 1 or more.
    let burst: UInt64

    /// Creates a limit.
    ///
    /// - Parameters:
    ///   - perSecond: the requests a second, from 1 to 1,000,000.
    ///   - burst: the number of requests that may come at once after a pause, from 1 to 1,000,000.
    package init(perSecond: Int, burst: Int) {
        precondition((1...1_000_000).contains(perSecond), "\(perSecond) a second is no rate")
        precondition((1...1_000_000).contains(burst), "\(burst) in a row is no burst")
        intervalNanoseconds = 1_000_000_000 / UInt64(perSecond)
        self.burst = UInt64(burst)
    }

    /// The used part of a limit: a token bucket (the generic cell rate algorithm, ITU-T I.371).
    ///
    /// The bucket is stored as the moment at which it will be full again.
    struct Pace: Sendable {
        private var fullAtNanoseconds: UInt64 = 0

        /// Counts a request if the limit allows it.
        ///
        /// - Parameter now: the monotonic clock, in nanoseconds.
        /// - Returns: the time to wait, in nanoseconds, or nil if the request is allowed.
        mutating func admit(_ limit: RateLimit, at now: UInt64) -> UInt64? {
            let begin = max(fullAtNanoseconds, now)
            let latest = now + limit.intervalNanoseconds * (limit.burst - 1)
            guard begin <= latest else { return begin - latest }
            fullAtNanoseconds = begin + limit.intervalNanoseconds
            return nil
        }
    }
}

/// Limits the request rate of every caller in this daemon; daemons that share a store count separately.
///
/// Callers that have long been idle are forgotten, and then have a full burst again.
final class RateLimiter: Sendable {
    /// The most callers that are remembered, inclusive.
    static let capacity = 65_536

    /// The key by which requests are counted together.
    private enum Caller: Hashable {
        /// The bearers with this role and subject; subjects are compared by bytes, which `String` does not do.
        case bearer(Role, subject: [UInt8])
        case anybody(Area)
    }

    private let limits: RateLimits
    private let paces: Mutex<RecentTable<Caller, RateLimit.Pace>>

    init(_ limits: RateLimits) {
        self.limits = limits
        paces = Mutex(RecentTable(limit: Self.capacity))
    }

    /// Counts a request of a bearer if the bearer's limit allows it.
    ///
    /// - Parameter now: the monotonic clock, in nanoseconds.
    /// - Returns: the time to wait, in nanoseconds, or nil if the request is allowed.
    func admit(_ claims: TokenClaims, at now: UInt64) -> UInt64? {
        limits.bearers[claims.role].flatMap { limit in
            admit(.bearer(claims.role, subject: Array(claims.subject.utf8)), limit, at: now)
        }
    }

    /// Counts a request in an open area if the area's limit allows it.
    ///
    /// - Parameter now: the monotonic clock, in nanoseconds.
    /// - Returns: the time to wait, in nanoseconds, or nil if the request is allowed.
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
