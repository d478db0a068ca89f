import Glibc
import Model
import Similarity
import Synchronization

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
    /// Groups at a time.
    private static let portion = 256

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
    /// Single precision and lists without an order are enough to compare settings, and several times as fast as the
    /// exact search.
    ///
    /// - Parameters:
    ///   - byEntry: the same matrix, entries × groups.
    ///   - keptPart: of a matrix that was thinned out; common entries are so much fewer, and h with them.
    ///   - limit: how many a group keeps at most, one of `limits`.
    init(
        _ matrix: BinaryMatrix, _ byEntry: BinaryMatrix, _ choice: PairChoice, keptPart: Double, limit: Int,
        threads: Int
    ) {
        let finder = PairFinder(matrix, byEntry, choice, keptPart: keptPart, limit: limit)
        let portionCount = (matrix.rowCount + Self.portion - 1) / Self.portion
        let found = Mutex([[KeptPairs]](repeating: [], count: portionCount))
        let next = Atomic(0)
        withThreads(threads) {
            var counters = PairCounters(groupCount: matrix.rowCount)
            while true {
                let number = next.add(1, ordering: .relaxed).oldValue
                guard number < portionCount else { return }
                let groups = number * Self.portion..<min(matrix.rowCount, (number + 1) * Self.portion)
                let pairs = groups.map { finder.pairs(of: $0, &counters) }
                found.withLock { $0[number] = pairs }
            }
        }
        self.init(found.withLock { $0.flatMap(\.self) }, choice.cut, finder, keptPart: keptPart)
    }

    /// Puts the pairs of the groups that keep them into lists of sources.
    private init(_ kept: [KeptPairs], _ cut: ListCut, _ finder: PairFinder, keptPart: Double) {
        self.cut = cut
        let bandCount = Self.limits.count
        // How many pairs each source has in each band, and from then on where the next one goes.
        var next = [Int](repeating: 0, count: kept.count * bandCount)
        Self.forEachPair(kept, cut) { source, _, band, _ in next[source * bandCount + band] += 1 }
        var offsets = [0]
        offsets.reserveCapacity(kept.count + 1)
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
        Self.forEachPair(kept, cut) { source, target, band, key in
            let place = source * bandCount + band
            if cut == .target { positions.append(UInt32(next[place])) }
            targets[next[place]] = target
            logarithms[next[place]] = key
            next[place] += 1
        }
        self.offsets = offsets
        self.ends = ends
        self.targets = targets
        self.logarithms = logarithms
        greatestLogarithms = cut == .target ? kept.map { $0.logarithms.max() } : []
        regressed =
            cut == .target ? RegressedPairs(kept, positions, masses: finder.masses, keptPart: keptPart) : nil
    }

    @inline(__always)
    private static func forEachPair(
        _ kept: [KeptPairs], _ cut: ListCut,
        _ body: (_ source: Int, _ target: UInt32, _ band: Int, _ logarithm: Float) -> Void
    ) {
        for (keeper, pairs) in kept.enumerated() {
            var band = 0
            for position in pairs.groups.indices {
                if position == limits[band] { band += 1 }
                switch cut {
                case .source: body(keeper, pairs.groups[position], band, pairs.logarithms[position])
                case .target: body(Int(pairs.groups[position]), UInt32(keeper), band, pairs.logarithms[position])
                }
            }
        }
    }
}
