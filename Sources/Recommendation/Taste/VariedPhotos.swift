import Glibc
import Model

/// The order of photos in a list: best first, but varied over interests and over owners.
package enum VariedPhotos {
    /// The factor of a photo's score for each photo of the same owner before it.
    static let ownerFactor = 0.7
    /// The factor of a photo's score for each photo of the same interest before it.
    static let interestFactor = 0.97

    /// A photo with what it must not repeat too often.
    package struct Candidate: Sendable {
        /// The score, above 0.
        package var score: Double
        /// The owner, or `nil` if it is not known.
        package var owner: String?
        /// The interest that it belongs to, or `nil` if it belongs to none.
        package var interest: Int?

        package init(score: Double, owner: String?, interest: Int?) {
            (self.score, self.owner, self.interest) = (score, owner, interest)
        }
    }

    /// Returns the indexes of the first photos of the list; among equals, earlier ones come first.
    ///
    /// - Complexity: O(limit · candidates).
    package static func order(of candidates: [Candidate], limit: Int) -> [Int] {
        var left = Array(candidates.indices)
        var owners: [BytewiseString: Int] = [:]
        var interests: [Int: Int] = [:]
        let names = candidates.map { $0.owner.map { BytewiseString($0) } }
        var order: [Int] = []
        while order.count < limit, !left.isEmpty {
            var best = (place: 0, value: -Double.infinity)
            for (place, index) in left.enumerated() {
                let owned = names[index].map { owners[$0] ?? 0 } ?? 0
                let similar = candidates[index].interest.map { interests[$0] ?? 0 } ?? 0
                let value =
                    candidates[index].score * pow(ownerFactor, Double(owned)) * pow(interestFactor, Double(similar))
                if value > best.value { best = (place, value) }
            }
            let index = left.remove(at: best.place)
            order.append(index)
            if let name = names[index] { owners[name, default: 0] += 1 }
            if let interest = candidates[index].interest { interests[interest, default: 0] += 1 }
        }
        return order
    }
}
