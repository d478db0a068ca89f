import Glibc
import Model
import Similarity

/// The parameters that decide which pairs of groups are kept, and in what order; the others only scale scores.
struct PairChoice: Hashable {
    let degreeDiscount: Double
    let shrinkage: Double
    /// The exponent of the size of the group that does not keep the pair.
    let otherExponent: Double
    let cut: ListLimitSide
    let limitExponent: Double

    init(_ formula: ModifiedCosine) {
        degreeDiscount = formula.degreeDiscount
        shrinkage = formula.shrinkage
        otherExponent = formula.cut == .source ? formula.neighbourExponent : formula.sourceExponent
        cut = formula.cut
        limitExponent = formula.limitExponent
    }
}

/// The best pairs of all groups, as one list for each source; many formulas and limits share them.
///
/// The pairs of a source are sorted by bands of ranks. A limit keeps the first part of the list. Pairs within a band
/// have no order.
struct PairLists: Sendable {
    /// The limits that have a band of their own.
    static let limits = [25, 50, 100, 200, 500]

    /// The start of each source's list, as groups + 1 offsets.
    let offsets: [Int]
    /// The end of each source's pairs under each limit: source by source, one number for each limit.
    private let ends: [Int]
    let targets: [UInt32]
    /// The natural logarithm of Σ d^-a n^-e c/(c+h), with n and e of the group that does not keep the pair.
    let logarithms: [Float]
    let cut: ListLimitSide

    /// Returns the positions of the pairs of a source under a limit.
    func range(ofSource source: Int, limit: Int) -> Range<Int> {
        offsets[source]..<ends[source * Self.limits.count + Self.band(ofLimit: limit)]
    }

    private static func band(ofLimit limit: Int) -> Int { limits.firstIndex { $0 >= limit } ?? limits.count - 1 }

    /// Finds the pairs of a matrix.
    ///
    /// - Parameters:
    ///   - matrix: Groups × entries.
    ///   - keptPart: The part of the entries that is left if the matrix was thinned out. Common entries are fewer by
    ///     this factor, and h is multiplied by it.
    ///   - limit: The most pairs that a group keeps, one of `limits`.
    init(_ matrix: BinaryMatrix, _ choice: PairChoice, keptPart: Double, limit: Int, threads: Int) {
        let formula = ModifiedCosine(
            degreeDiscount: choice.degreeDiscount, sourceExponent: 0, neighbourExponent: choice.otherExponent,
            shrinkage: choice.shrinkage * keptPart, cut: .source, limitExponent: choice.limitExponent)
        var parameters = SimilarityParameters(
            minimumEntries: 1, minimumCommon: 1, limit: limit, measure: .modified(formula))
        // The pairs of the groups that keep them, best first; they are regrouped by source below.
        let kept = NeighbourSearch(parameters: parameters, threads: threads).run(on: matrix)
        let sizes = (0..<matrix.rowCount).map { UInt32(matrix.size(ofRow: $0)) }
        let bands = Self.limits.map { limit in
            parameters.limit = limit
            return PairLimits(parameters, sizes: sizes)
        }
        let groupLimits = sizes.map { size in bands.map { $0.limit(ofSize: Int(size)) } }
        cut = choice.cut
        let bandCount = Self.limits.count
        let groups = 0..<kept.offsets.count - 1
        // First the number of pairs of each source in each band, later the position of the next one.
        var next = [Int](repeating: 0, count: groups.count * bandCount)
        Self.forEachPair(kept, groupLimits, cut) { source, _, band, _ in next[source * bandCount + band] += 1 }
        var offsets = [0]
        offsets.reserveCapacity(groups.count + 1)
        var ends = next
        var position = 0
        for place in next.indices {
            let count = next[place]
            next[place] = position
            position += count
            ends[place] = position
            if place % bandCount == bandCount - 1 { offsets.append(position) }
        }
        var targets = [UInt32](repeating: 0, count: position)
        var logarithms = [Float](repeating: 0, count: position)
        Self.forEachPair(kept, groupLimits, cut) { source, target, band, score in
            let place = source * bandCount + band
            targets[next[place]] = target
            logarithms[next[place]] = logf(score)
            next[place] += 1
        }
        self.offsets = offsets
        self.ends = ends
        self.targets = targets
        self.logarithms = logarithms
    }

    @inline(__always)
    private static func forEachPair(
        _ kept: NeighbourTable, _ limits: [[Int]], _ cut: ListLimitSide,
        _ body: (_ source: Int, _ target: UInt32, _ band: Int, _ score: Float) -> Void
    ) {
        for keeper in 0..<kept.offsets.count - 1 {
            var band = 0
            for (rank, pair) in kept.list(of: keeper).enumerated() {
                while rank == limits[keeper][band] { band += 1 }
                switch cut {
                case .source: body(keeper, pair.index, band, pair.score)
                case .target: body(Int(pair.index), UInt32(keeper), band, pair.score)
                }
            }
        }
    }
}
