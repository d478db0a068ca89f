import SparseMatrix

/// How much of what was left out of a member's groups is found.
struct MemberRecall: Sendable {
    /// The part of the groups that is found.
    private(set) var recall = 0.0
    /// The same with each group weighted by its rarity, relative to the mean weight of what members miss.
    private var rareRecall = 0.0

    /// What settings are chosen by: the mean of both.
    ///
    /// Recall alone would be decided by a few groups that nearly everybody is in. What members join next is as a rule
    /// rarer than what they have joined.
    var balanced: Double { (recall + rareRecall) / 2 }

    init() {}

    init(of hits: [UInt32], heldOut count: Int, _ rarity: GroupRarity) {
        recall = Double(hits.count) / Double(count)
        rareRecall = hits.reduce(0) { $0 + rarity.weights[Int($1)] } / rarity.meanSum
    }

    /// Adds one of so many parts of a mean.
    mutating func add(_ part: MemberRecall, of count: Int) {
        recall += part.recall / Double(count)
        rareRecall += part.rareRecall / Double(count)
    }
}

/// What it weighs to find a group: 1 / √n for a group of n members.
struct GroupRarity: Sendable {
    /// By group.
    fileprivate let weights: [Double]
    /// The mean over members of the weights of all groups that were left out.
    fileprivate let meanSum: Double

    init(_ fold: TuningCommunity.Fold) {
        let matrix = fold.memberships.byGroup
        let weights = (0..<matrix.rowCount).map { 1 / Double(max(1, matrix.size(ofRow: $0))).squareRoot() }
        let sums = fold.members.map { $0.heldOut.reduce(0) { $0 + weights[Int($1)] } }
        self.weights = weights
        meanSum = max(sums.reduce(0, +) / Double(max(1, sums.count)), .leastNormalMagnitude)
    }
}
