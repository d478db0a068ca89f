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
