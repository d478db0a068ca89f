import Glibc
import Model
import Similarity

/// What decides which pairs of groups are kept, and how they are ordered; the rest of a formula only scales scores.
struct PairChoice: Hashable {
    let degreeDiscount: Double
    let shrinkage: Double
    /// The exponent of the size of the other group, which does not keep the pair.
    let otherExponent: Double
    let cut: ListCut

    init(_ formula: ModifiedCosine) {
        degreeDiscount = formula.degreeDiscount
        shrinkage = formula.shrinkage
        otherExponent = formula.cut == .source ? formula.neighbourExponent : formula.sourceExponent
        cut = formula.cut
    }
}

/// The best pairs of every group, as lists of their sources: what many formulas and limits have in common.
///
/// Pairs of a source go by bands of ranks: those that a limit keeps are the first of the list. Within a band they have
/// no order.
struct PairLists: Sendable {
    /// The limits that there are bands for.
    static let limits = [25, 50, 100, 200, 500]

    /// Where each source's list begins: groups + 1 offsets.
    let offsets: [Int]
    /// Where each source's pairs end under each limit: source after source, of each one a limit.
    private let ends: [Int]
    let targets: [UInt32]
    /// The natural logarithm of Σ d^-a n^-e c/(c+h), with n and e of the group that does not keep the pair.
    let logarithms: [Float]
    let cut: ListCut
    /// Of each target the greatest logarithm; nil where there is no pair.
    ///
    /// Empty for lists that are cut at the source.
    let greatestLogarithms: [Float?]
    /// What a regression needs; nil for lists that are cut at the source.
    let regressed: RegressedPairs?

    /// The pairs of a source under a limit, as positions.
    func range(ofSource source: Int, limit: Int) -> Range<Int> {
        let band = Self.limits.firstIndex { $0 >= limit } ?? Self.limits.count - 1
        return offsets[source]..<ends[source * Self.limits.count + band]
    }

    /// Finds pairs.
    ///
    /// - Parameters:
    ///   - matrix: groups × entries.
    ///   - keptPart: of a matrix that was thinned out; common entries are so much fewer, and h with them.
    ///   - limit: how many a group keeps at most, one of `limits`.
    init(_ matrix: BinaryMatrix, _ choice: PairChoice, keptPart: Double, limit: Int, threads: Int) {
        let formula = ModifiedCosine(
            degreeDiscount: choice.degreeDiscount, sourceExponent: 0, neighbourExponent: choice.otherExponent,
            shrinkage: choice.shrinkage * keptPart, cut: .source)
        let parameters = SimilarityParameters(
            minimumEntries: 1, minimumCommon: 1, limit: limit, measure: .modified(formula))
        // Pairs of the groups that keep them, best first, which become lists of sources.
        let kept = NeighbourSearch(parameters: parameters, threads: threads).run(on: matrix)
        cut = choice.cut
        let bandCount = Self.limits.count
        let groups = 0..<kept.offsets.count - 1
        // How many pairs each source has in each band, and from then on where the next one goes.
        var next = [Int](repeating: 0, count: groups.count * bandCount)
        Self.forEachPair(kept, cut) { source, _, band, _ in next[source * bandCount + band] += 1 }
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
        var positions: [UInt32] = []
        Self.forEachPair(kept, cut) { source, target, band, score in
            let place = source * bandCount + band
            if choice.cut == .target { positions.append(UInt32(next[place])) }
            targets[next[place]] = target
            logarithms[next[place]] = logf(score)
            next[place] += 1
        }
        self.offsets = offsets
        self.ends = ends
        self.targets = targets
        self.logarithms = logarithms
        switch cut {
        case .source: (greatestLogarithms, regressed) = ([], nil)
        case .target:
            greatestLogarithms = groups.map { group in kept.list(of: group).first.map { logf($0.score) } }
            regressed = RegressedPairs(matrix, kept, formula, positions, keptPart: keptPart, threads: threads)
        }
    }

    @inline(__always)
    private static func forEachPair(
        _ kept: NeighbourTable, _ cut: ListCut,
        _ body: (_ source: Int, _ target: UInt32, _ band: Int, _ score: Float) -> Void
    ) {
        for keeper in 0..<kept.offsets.count - 1 {
            var band = 0
            for (rank, pair) in kept.list(of: keeper).enumerated() {
                if rank == limits[band] { band += 1 }
                switch cut {
                case .source: body(keeper, pair.index, band, pair.score)
                case .target: body(Int(pair.index), UInt32(keeper), band, pair.score)
                }
            }
        }
    }
}
