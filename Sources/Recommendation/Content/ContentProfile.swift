import Glibc

/// What a group's photos are about, more than photos are in general: the weights of its terms, tags or places.
///
/// A term that a share *p* of the group's photos have, and a share *q* of all, weighs *p′ ln(p / q)*: its part of the
/// Kullback-Leibler divergence of the group from the community (S. Cronen-Townsend, Y. Zhou, W. B. Croft, "Predicting Query
/// Performance", SIGIR 2002), with *p′* the share drawn to 0 as if there were κ photos more. Weights are scaled so that the sum of
/// their squares is 1: groups with many terms and groups with few are then comparable.
public struct ContentProfile: Sendable {
    /// How many photos of the community have each term.
    private let totals: [UInt32]
    /// How many photos of the community have any.
    private let photoCount: Int
    /// Fewer photos of a group with a term do not count (inclusive).
    private let minimumPhotos: Int
    /// The terms a group keeps at most: its best.
    private let limit: Int
    /// κ, in photos.
    private static let shrinkage = 5.0

    /// Profiles against a community.
    public init(totals: [UInt32], photoCount: Int, minimumPhotos: Int, limit: Int) {
        self.totals = totals
        self.photoCount = photoCount
        self.minimumPhotos = minimumPhotos
        self.limit = limit
    }

    /// The weights of a group's terms, the greatest first, equal ones in ascending order of the term.
    ///
    /// - Parameters:
    ///   - counts: how many of its photos have a term, each term once, in any order.
    ///   - groupPhotoCount: how many of its photos have any.
    public func weights(
        _ counts: some Sequence<(term: Int, photos: Int)>, of groupPhotoCount: Int
    ) -> [(term: Int, weight: Float)] {
        var weights: [(term: Int, weight: Double)] = []
        for (term, photos) in counts where photos >= minimumPhotos {
            let lift = Double(photos) / Double(groupPhotoCount) * Double(photoCount) / Double(totals[term])
            guard lift > 1 else { continue }
            weights.append((term, Double(photos) / (Double(groupPhotoCount) + Self.shrinkage) * log(lift)))
        }
        weights.sort { $0.weight != $1.weight ? $0.weight > $1.weight : $0.term < $1.term }
        weights.removeLast(max(0, weights.count - limit))
        let length = weights.reduce(0) { $0 + $1.weight * $1.weight }.squareRoot()
        return weights.compactMap { term, weight in
            let scaled = Float(weight / length)
            return scaled > 0 ? (term, scaled) : nil
        }
    }
}
