import Glibc

/// How well the beginning of a list finds the groups that were held out.
///
/// A group that was held out and that the training set does not know counts as one that was missed.
public struct Accuracy: Sendable, Equatable {
    /// Hits divided by the number of held-out groups.
    public var recall = 0.0
    /// Hits discounted by log₂(rank + 1), divided by the best possible sum (NDCG; Järvelin and Kekäläinen 2002).
    public var gain = 0.0
    /// Hits divided by the length.
    public var precision = 0.0
    /// 1 if there is a hit, else 0.
    public var hitRate = 0.0
    /// 1 divided by the rank of the first hit; 0 without a hit.
    public var reciprocalRank = 0.0

    /// Nothing found.
    public init() {}

    /// The accuracy of the first groups of a list.
    ///
    /// - Parameters:
    ///   - length: how many groups count, 1 or more; a shorter list is not better for that.
    ///   - heldOut: the groups that a list can contain.
    ///   - heldOutCount: how many were held out in all, at least 1.
    public init(of list: some Sequence<UInt32>, length: Int, heldOut: [UInt32], heldOutCount: Int) {
        let wanted = Set(heldOut)
        var (hits, sum) = (0, 0.0)
        for (index, group) in list.prefix(length).enumerated() where wanted.contains(group) {
            if hits == 0 { reciprocalRank = 1 / Double(index + 1) }
            hits += 1
            sum += 1 / log2(Double(index + 2))
        }
        let ideal = (0..<min(length, heldOutCount)).reduce(0) { $0 + 1 / log2(Double($1 + 2)) }
        recall = Double(hits) / Double(heldOutCount)
        gain = sum / ideal
        precision = Double(hits) / Double(length)
        hitRate = hits > 0 ? 1 : 0
    }

    /// The measures, in the order of their names in reports.
    public static let measures: [(name: String, value: any KeyPath<Accuracy, Double> & Sendable)] = [
        ("recall", \.recall), ("ndcg", \.gain), ("precision", \.precision), ("hitRate", \.hitRate),
        ("mrr", \.reciprocalRank),
    ]
}
