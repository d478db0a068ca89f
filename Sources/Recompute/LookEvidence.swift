import Basics
import CatalogStore
import Glibc
import Model
import Recommendation

/// Finds the weights of looks beside the other evidence in lists for a photo.
///
/// Good weights rank high a group that is left out of what is known about a photo. There are two kinds of cases:
/// a photo that is in other pools, and a photo that is in no pool. Each kind has a weight of its own. The choices go
/// from looks that do not count to looks that alone count. So both kinds of evidence together are about as good as the
/// better one.
struct LookEvidence {
    /// The weights to try.
    static let choices: [Double] = [0, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 1000, 1e6]
    /// The number of photos of each kind that are looked at.
    private static let photoLimit = 400
    /// The least number of cases; with fewer the choice would be chance.
    private static let leastCases = 50
    /// The least number of photos in the group that is left out: a smaller group would be known by this photo alone.
    private static let leastPool = 5
    /// The number of ranks that count.
    private static let length = 10

    private let model: ModelVersion
    private let search: LookSearch
    private let relations: RelationTable
    private let recommender: PhotoRecommender

    init(
        model: ModelVersion, search: LookSearch, relations: RelationTable, weights: PhotoWeights, instant: Int64
    ) {
        self.model = model
        self.search = search
        self.relations = relations
        let visible = VisibleModel(model)
        recommender = PhotoRecommender(
            model: visible, popular: PopularPools(visible, relations), relations: relations, weights: weights,
            at: instant)
    }

    /// Returns good weights, each `nil` if there is too little to learn from.
    ///
    /// - Parameter progress: receives the number of photos that were looked at, and of all.
    func weights<Failure: Error>(
        of count: Int, _ photo: (Int) throws(Failure) -> (PhotoRecord, [Float])?, progress: (Int, Int) -> Void
    ) throws(Failure) -> (inPools: Double?, inNoPool: Double?) {
        var (inPools, inNoPool) = (GainSums(), GainSums())
        let looked = min(count, 2 * Self.photoLimit)
        for number in 0..<looked {
            progress(number, looked)
            guard let (record, vector) = try photo(number * count / looked) else { continue }
            var context = PhotoContext(record, in: VisibleModel(model))
            let large = context.groups.filter { photoCount($0) >= Self.leastPool }
            guard !large.isEmpty else { continue }
            let leftOut = large[number % large.count]
            // The photos that share the pool with it would give the group away.
            context.companions = [:]
            context.lookalikes = search.lookalikes(
                of: vector, limit: Lookalike.voters, copies: Lookalike.copies, without: [record.id])
            let own = context.groups
            if own.count > 1, inPools.count < Self.photoLimit {
                context.groups = own.filter { $0 != leftOut }
                inPools.add(gains(context, leftOut, without: own))
            }
            if inNoPool.count < Self.photoLimit {
                context.groups = []
                inNoPool.add(gains(context, leftOut, without: own))
            }
        }
        return (inPools.best(Self.choices, least: Self.leastCases), inNoPool.best(Self.choices, least: Self.leastCases))
    }

    private func photoCount(_ group: UInt32) -> UInt32 {
        relations[.pool].map { model.size(of: Int(group), in: $0.relation) } ?? 0
    }

    /// Returns the gain of each choice: of the rank of the group that is left out, among those that the photo is not
    /// in.
    private func gains(_ photo: PhotoContext, _ leftOut: UInt32, without own: [UInt32]) -> [Double] {
        let others = recommender.suggestions(for: photo, limit: .max, by: .pools)
        let looks = recommender.suggestions(for: photo, limit: .max, by: .look)
        var scores: [UInt32: (other: Double, look: Double)] = [:]
        for found in others { scores[found.group] = (found.group == leftOut ? corrected(found) : found.score, 0) }
        for found in looks { scores[found.group, default: (0, 0)].look = found.score }
        guard let wanted = scores[leftOut] else { return [Double](repeating: 0, count: Self.choices.count) }
        for group in own { scores[group] = nil }
        return Self.choices.map { weight in
            let least = wanted.other + weight * wanted.look
            guard least > 0 else { return 0 }
            let before = scores.count { group, score in
                let sum = score.other + weight * score.look
                return sum > least || sum == least && group < leftOut
            }
            return before < Self.length ? 1 / log2(Double(before + 2)) : 0
        }
    }

    /// Returns the score of the group that is left out as if its neighbours had been computed without the photo.
    ///
    /// The photo is one of the common photos of its groups.
    private func corrected(_ found: PhotoSuggestion) -> Double {
        let size = Double(photoCount(found.group))
        return found.reasons.reduce(0) { sum, reason in
            guard case .similarGroup(_, let relation, let common) = reason.evidence, relations[relation]?.role == .pool
            else { return sum + reason.contribution }
            let part = Double(common) - 1
            return sum + reason.contribution * part / Double(common) * (size / (size - 1)).squareRoot()
        }
    }
}

/// The sums of the gains of several choices over some cases.
private struct GainSums {
    private var sums: [Double] = []
    private(set) var count = 0

    mutating func add(_ gains: [Double]) {
        count += 1
        sums = sums.isEmpty ? gains : zip(sums, gains).map { $0 + $1 }
    }

    /// Returns the middle one of the choices that are about as good as the best; `nil` if there were too few cases.
    ///
    /// The best of nearly equal choices would be chance, and it may lie on the edge to bad ones.
    func best(_ choices: [Double], least: Int) -> Double? {
        guard count >= least, let greatest = sums.max(), greatest > 0 else { return nil }
        let good = sums.indices.filter { sums[$0] >= 0.99 * greatest }
        return choices[good[good.count / 2]]
    }
}
