import Model
import Similarity

/// The similarity of a list's groups to one another: the mean plain cosine over unordered pairs.
///
/// Source: Ziegler, McNee, Konstan and Lausen, "Improving recommendation lists through topic diversification", 2005.
enum IntraListSimilarity {
    /// Returns the mean over the pairs in the model's lists, in either direction; all other pairs count as 0.
    static func stored(
        _ groups: [UInt32], in model: VisibleModel, _ relations: RelationTable = .standard
    ) -> Double {
        guard groups.count > 1 else { return 0 }
        let positions = Dictionary(uniqueKeysWithValues: zip(groups, groups.indices))
        var cosines: [Int: Double] = [:]
        for (position, group) in groups.enumerated() {
            for relation in model.relations where relations.isTabled(relation) {
                for neighbour in model.neighbours(of: Int(group), by: relation) {
                    guard let other = positions[neighbour.index] else { continue }
                    let pair = min(position, other) * groups.count + max(position, other)
                    cosines[pair] = max(cosines[pair] ?? 0, model.cosine(of: neighbour, to: Int(group), by: relation))
                }
            }
        }
        // The order of the sum is fixed, so that the same list has the same value.
        return cosines.sorted { $0.key < $1.key }.reduce(0) { $0 + $1.value } / pairCount(groups.count)
    }

    /// Returns the mean over all pairs, computed from the matrix groups × users.
    static func exact(_ groups: [UInt32], _ cosines: inout PairCosines) -> Double {
        mean(of: groups) { cosines[$0, $1] }
    }

    /// Returns the part of the pairs that are near-duplicates: a cosine of .8 or more, and five common members or more.
    ///
    /// - Parameter matrix: the matrix of the cosines, groups × users.
    static func duplicates(_ groups: [UInt32], _ cosines: inout PairCosines, _ matrix: BinaryMatrix) -> Double {
        mean(of: groups) { first, second in
            let cosine = cosines[first, second]
            guard cosine >= 0.8 else { return 0 }
            let sizes = Double(matrix.size(ofRow: Int(first))) * Double(matrix.size(ofRow: Int(second)))
            return (cosine * sizes.squareRoot()).rounded() >= 5 ? 1 : 0
        }
    }

    private static func mean(of groups: [UInt32], _ value: (UInt32, UInt32) -> Double) -> Double {
        guard groups.count > 1 else { return 0 }
        var sum = 0.0
        for (position, first) in groups.enumerated() {
            for second in groups[(position + 1)...] { sum += value(first, second) }
        }
        return sum / pairCount(groups.count)
    }

    private static func pairCount(_ count: Int) -> Double { Double(count * (count - 1) / 2) }
}

/// The plain cosines of pairs of groups, cached because lists have many pairs in common.
struct PairCosines: Sendable {
    private static let limit = 4_000_000
    private let matrix: BinaryMatrix
    private var known: [UInt64: Float] = [:]

    /// Creates an empty cache.
    ///
    /// - Parameter matrix: the memberships, groups × users.
    init(_ matrix: BinaryMatrix) { self.matrix = matrix }

    subscript(first: UInt32, second: UInt32) -> Double {
        mutating get {
            let pair = UInt64(min(first, second)) << 32 | UInt64(max(first, second))
            if let cosine = known[pair] { return Double(cosine) }
            let common = Self.commonCount(matrix.row(Int(first)), matrix.row(Int(second)))
            let sizes = Double(matrix.size(ofRow: Int(first))) * Double(matrix.size(ofRow: Int(second)))
            let cosine = common > 0 ? Double(common) / sizes.squareRoot() : 0
            if known.count >= Self.limit { known.removeAll(keepingCapacity: true) }
            known[pair] = Float(cosine)
            return Double(Float(cosine))
        }
    }

    private static func commonCount(_ first: ArraySlice<UInt32>, _ second: ArraySlice<UInt32>) -> Int {
        var (left, right, count) = (first.startIndex, second.startIndex, 0)
        while left < first.endIndex, right < second.endIndex {
            if first[left] == second[right] { count += 1 }
            let step = (first[left] <= second[right], second[right] <= first[left])
            if step.0 { left += 1 }
            if step.1 { right += 1 }
        }
        return count
    }
}
