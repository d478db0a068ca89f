import Glibc

/// What a group's photos are about, more than photos are in general: the weights of its terms, tags or places.
///
/// With a share *p* of the group's photos that have a term, and a share *q* of all photos, only terms with *p > q* count.
/// Thin evidence is drawn to nothing: *p′* is the share as if the group had κ photos more, which do not have the term.
public struct ContentProfile: Sendable {
    /// How a term weighs.
    public enum Measure: Sendable {
        /// *p′ ln(p / q)*, the term's part of the Kullback-Leibler divergence of the group from the community
        /// (S. Cronen-Townsend, Y. Zhou, W. B. Croft, "Predicting Query Performance", SIGIR 2002), scaled so that the squares of
        /// all terms of the group sum up to 1. For tags, of which photos have several: a cosine with a photo's tags follows.
        case divergence
        /// *p′ (1 − q / p)*, the share beyond what one would expect. For places, of which a photo has one: a group that is
        /// all about a place has nearly 1, one that has a few photos from everywhere next to nothing anywhere.
        case excess
    }

    /// How many photos of the community have each term.
    private let totals: [UInt32]
    /// How many photos of the community have any.
    private let photoCount: Int
    private let measure: Measure
    /// Fewer photos of a group with a term do not count (inclusive).
    private let minimumPhotos: Int
    /// The terms a group keeps at most: its best.
    private let limit: Int
    /// κ, in photos.
    static let shrinkage = 5.0

    /// Profiles against a community.
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
    ///   - groupPhotoCount: how many of its photos have any.
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
