import Glibc

/// What a group's photos are about, compared with all photos: the weights of its terms, which are tags or locations.
///
/// With a share *p* of the group's photos that have a term, and a share *q* of all photos, only terms with *p > q*
/// count. Little evidence counts little: *p′* is the share as if the group had κ more photos without the term.
public struct ContentProfile: Sendable {
    /// How a term weighs.
    public enum Measure: Sendable {
        /// *p′ ln(p / q)*, the term's part of the Kullback-Leibler divergence of the group from the community (S.
        /// Cronen-Townsend, Y. Zhou, W. B. Croft, "Predicting Query Performance", SIGIR 2002), scaled so that the
        /// squares of all terms of the group sum to 1. For tags, of which photos have several: it gives a cosine with a
        /// photo's tags.
        case divergence
        /// *p′ (1 − q / p)*, the share above the expected one. For locations, of which a photo has one: a group about
        /// one location has nearly 1 there, a group with photos from everywhere has nearly 0 anywhere.
        case excess
    }

    /// How many photos of the community have each term.
    private let totals: [UInt32]
    /// How many photos of the community have at least one term.
    private let photoCount: Int
    private let measure: Measure
    /// The least photos of a group with a term for the term to count (inclusive).
    private let minimumPhotos: Int
    /// The most terms that a group keeps.
    private let limit: Int
    /// κ, in photos.
    static let shrinkage = 5.0

    /// Profiles relative to a community.
    public init(totals: [UInt32], photoCount: Int, measure: Measure, minimumPhotos: Int, limit: Int) {
        self.totals = totals
        self.photoCount = photoCount
        self.measure = measure
        self.minimumPhotos = minimumPhotos
        self.limit = limit
    }

    /// The weights of a group's terms, each above 0 and at most 1; the greatest first, equal ones by the term.
    ///
    /// - Parameters:
    ///   - counts: how many of its photos have a term, each term once, in any order.
    ///   - groupPhotoCount: how many of its photos have at least one term.
    public func weights(
        _ counts: some Sequence<(term: Int, photos: Int)>, of groupPhotoCount: Int
    ) -> [(term: Int, weight: Float)] {
        var weights: [(term: Int, photos: Int, weight: Double)] = []
        for (term, photos) in counts {
            let weight = weight(of: photos, among: groupPhotoCount, total: Int(totals[term]))
            if weight > 0 { weights.append((term, photos, weight)) }
        }
        weights.sort { $0.weight != $1.weight ? $0.weight > $1.weight : $0.term < $1.term }
        let length =
            measure == .divergence ? weights.reduce(0) { $0 + $1.weight * $1.weight }.squareRoot() : 1
        return weights.lazy.filter { $0.photos >= minimumPhotos && Float($0.weight / length) > 0 }.prefix(limit)
            .map { ($0.term, Float($0.weight / length)) }
    }

    private func weight(of photos: Int, among groupPhotoCount: Int, total: Int) -> Double {
        let lift = Double(photos) / Double(groupPhotoCount) * Double(photoCount) / Double(total)
        guard lift > 1 else { return 0 }
        let share = Double(photos) / (Double(groupPhotoCount) + Self.shrinkage)
        return share * (measure == .divergence ? log(lift) : 1 - 1 / lift)
    }
}
