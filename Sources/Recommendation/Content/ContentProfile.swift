import Glibc

/// The weights of a group's terms, which are tags or locations, relative to all photos of the community.
///
/// A term is in a share *p* of the group's photos, and in a share *q* of all photos; it counts only if *p > q*. To let
/// little evidence count little, *p′* is the share as if the group had κ more photos without the term.
package struct ContentProfile: Sendable {
    /// The formula of a term's weight.
    package enum Measure: Sendable {
        /// The formula *p′ ln(p / q)*, for tags, of which photos have several.
        ///
        /// The product is the term's part of the Kullback-Leibler divergence of the group from the community (S.
        /// Cronen-Townsend, Y. Zhou, W. B. Croft, "Predicting Query Performance", SIGIR 2002). The squares of all terms
        /// of the group are scaled to sum to 1. The weights then give a cosine with a photo's tags.
        case divergence
        /// The formula *p′ (1 − q / p)*, the share above the expected one; for locations, of which a photo has one.
        ///
        /// A group about one location has nearly 1 there. A group with photos from everywhere has nearly 0 anywhere.
        case excess
    }

    /// The number of the community's photos that have each term.
    private let totals: [UInt32]
    /// The number of the community's photos that have at least one term.
    private let photoCount: Int
    private let measure: Measure
    /// The least number of the group's photos with a term for the term to count (inclusive).
    private let minimumPhotos: Int
    /// The greatest number of terms that a group keeps.
    private let limit: Int
    /// κ, in photos.
    static let shrinkage = 5.0

    package init(totals: [UInt32], photoCount: Int, measure: Measure, minimumPhotos: Int, limit: Int) {
        self.totals = totals
        self.photoCount = photoCount
        self.measure = measure
        self.minimumPhotos = minimumPhotos
        self.limit = limit
    }

    /// Returns the weights of a group's terms, each above 0 and at most 1; the greatest first, equal ones by the term.
    ///
    /// - Parameters:
    ///   - counts: the number of the group's photos that have a term, each term once, in any order.
    ///   - groupPhotoCount: the number of the group's photos that have at least one term.
    package func weights(
        _ counts: [(term: Int, photos: Int)], of groupPhotoCount: Int
    ) -> [(term: Int, weight: Float)] {
        var all: [Double] = []
        var best = BestTerms(limit: limit)
        for (term, photos) in counts {
            let weight = weight(of: photos, among: groupPhotoCount, total: Int(totals[term]))
            guard weight > 0 else { continue }
            if measure == .divergence { all.append(weight) }
            if photos >= minimumPhotos { best.add(term, weight) }
        }
        let length = measure == .divergence ? Self.length(&all) : 1
        return best.terms.compactMap { term, weight in
            let scaled = Float(weight / length)
            guard scaled > 0 else { return nil }
            return (term: term, weight: scaled)
        }
    }

    /// Returns the root of the sum of squares.
    ///
    /// The sum starts with the greatest weight, since a rounded sum depends on the order.
    private static func length(_ weights: inout [Double]) -> Double {
        weights.sort(by: >)
        return weights.reduce(0) { $0 + $1 * $1 }.squareRoot()
    }

    private func weight(of photos: Int, among groupPhotoCount: Int, total: Int) -> Double {
        let lift = Double(photos) / Double(groupPhotoCount) * Double(photoCount) / Double(total)
        guard lift > 1 else { return 0 }
        let share = Double(photos) / (Double(groupPhotoCount) + Self.shrinkage)
        return share * (measure == .divergence ? log(lift) : 1 - 1 / lift)
    }
}

/// The terms with the greatest weights, of equal ones the first.
private struct BestTerms {
    let limit: Int
    /// The terms, the greatest weight first.
    private(set) var terms: [(term: Int, weight: Double)] = []

    mutating func add(_ term: Int, _ weight: Double) {
        if terms.count == limit {
            guard let last = terms.last, precedes((term, weight), last) else { return }
            terms.removeLast()
        }
        var index = terms.count
        while index > 0, precedes((term, weight), terms[index - 1]) { index -= 1 }
        terms.insert((term, weight), at: index)
    }

    private func precedes(_ one: (term: Int, weight: Double), _ other: (term: Int, weight: Double)) -> Bool {
        one.weight != other.weight ? one.weight > other.weight : one.term < other.term
    }
}
