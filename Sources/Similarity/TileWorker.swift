import CSimilarity
import Model

/// One thread's search, with its bounds and buffers; it processes one tile of source rows after another.
@safe
final class TileWorker {
    let plan: SearchPlan
    private var job: coterie_comparison
    /// The smallest threshold of each 64 ranks, at the start of the tile.
    private let leastThresholds: Storage<Float>
    /// The same for each block.
    private var blockThresholds: [Float]
    /// The memory that `job` points to.
    private let buffers: [AnyObject]

    /// The weights and counts of pairs up to which one sum of 64 bits holds both.
    private static let (countBits, weightBits) = (18, 46)

    init(_ plan: SearchPlan) {
        self.plan = plan
        let largest = (plan.prepared.blocks.map(\.bitmapStride).max() ?? 0) * 64
        // The first rank has the most columns.
        let columns = plan.prepared.rankCount > 0 ? Int(plan.prepared.ranked.sizes[0]) : 0
        leastThresholds = Storage(zeroed: plan.prepared.rankCount / 64 + 2 * groupSize / 64)
        blockThresholds = [Float](repeating: 0, count: plan.prepared.blocks.count)
        let lists = unsafe Storage<coterie_list>(uninitialized: columns)
        let maps = unsafe Storage<UnsafePointer<UInt8>>(uninitialized: columns)
        let mapWeights = Storage<UInt32>(uninitialized: columns)
        let classes = Storage<coterie_class>(uninitialized: columns)
        let padded = unsafe Storage<UnsafePointer<UInt8>>(uninitialized: 2 * columns + 8)
        let planeWeights = Storage<Float>(uninitialized: columns)
        let planeBounds = Storage<UInt16>(uninitialized: columns)
        let empty = Storage<UInt8>(zeroed: largest / 8)
        let bounds = Storage<UInt16>(zeroed: largest)
        let scales = Storage<Float>(uninitialized: largest / groupSize)
        let hits = Storage<coterie_hit>(uninitialized: largest)
        let sums = Storage<UInt64>(uninitialized: largest + 32)
        let slots = Storage<UInt16>(zeroed: largest)
        unsafe job = coterie_comparison(
            lists: lists.base, list_count: 0, map_count: 0, maps: maps.base, map_weights: mapWeights.base,
            classes: classes.base, padded: padded.base, plane_weights: planeWeights.base,
            plane_bounds: planeBounds.base, class_count: 0, plane_count: 0, empty: empty.base, target_count: 0,
            both: 0, counts: 0, bounds: bounds.base, scales: scales.base, own: 0, other: 0, minimum: 0, shift: 0,
            inverses: plan.formula.inverses.base, least_inverses: plan.formula.leastInverses.base,
            thresholds: plan.best.thresholds.base, least_thresholds: leastThresholds.base,
            size_factors: plan.formula.sizeFactors.base, hits: hits.base, sums: sums.base, slots: slots.base)
        unsafe buffers = [
            lists, maps, mapWeights, classes, padded, planeWeights, planeBounds, empty, bounds, scales, hits, sums,
            slots,
        ]
    }

    /// Compares the tile's ranks with all blocks.
    ///
    /// The blocks with the best candidates come first. If all ranks are searched for, a pair is compared by its smaller
    /// row, which has few columns, for both. Only blocks with the best candidates of each other are compared twice.
    func compare(_ tile: SearchPlan.Tile) {
        let prefersSmallest = plan.prefersSmallest(tile.block)
        let numbers = plan.blocks(for: tile)
        if plan.comparesOnce { refreshThresholds(upTo: tile.block) }
        for step in numbers.indices {
            let number = prefersSmallest ? numbers.upperBound - 1 - step : step
            let block = plan.prepared.blocks[number]
            let both =
                plan.comparesOnce && (tile.block > 0 || block.isThin)
                && !(prefersSmallest && plan.prefersSmallest(number))
            for rank in tile.ranks {
                let targets = both && number == tile.block ? rank - block.ranks.lowerBound : block.ranks.count
                if targets > 0 { visit(rank, number, targets: targets, both: both) }
            }
        }
    }

    private func refreshThresholds(upTo last: Int) {
        for number in 0...last {
            let ranks = plan.prepared.blocks[number].ranks
            var leastOfBlock = Float.infinity
            for first in stride(from: ranks.lowerBound, to: ranks.upperBound, by: 64) {
                var least = Float.infinity
                for rank in first..<min(first + 64, ranks.upperBound) {
                    least = min(least, plan.best.threshold(ofRank: rank))
                }
                leastThresholds[first / 64] = least
                leastOfBlock = min(leastOfBlock, least)
            }
            blockThresholds[number] = leastOfBlock
        }
    }

    /// Compares a row with the first `targets` ranks of a block.
    private func visit(_ rank: Int, _ number: Int, targets: Int, both: Bool) {
        let (formula, best, minimumCommon) = (plan.formula, plan.best, plan.parameters.minimumCommon)
        let (limit, block) = (best.limit(ofRank: rank), plan.prepared.blocks[number])
        let first = block.ranks.lowerBound
        let most = min(Int(plan.prepared.ranked.sizes[rank]), block.largestSize)
        guard most >= minimumCommon else { return }
        let (weight, lightest) = collect(rank, block)
        let columnCount = Int(unsafe job.map_count + job.list_count)
        guard columnCount >= minimumCommon else { return }
        let tightening = Float(formula.tightening(mostCommon: most) * (1 - 1e-6))
        let comparison = Comparison(
            rank: rank, block: block,
            isWide: most >= 1 << Self.countBits || weight >= 1 << Self.weightBits)
        unsafe job.target_count = UInt32(targets)
        unsafe job.both = both ? 1 : 0
        unsafe job.own = best.threshold(ofRank: rank) * tightening
        unsafe job.other = formula.inverses.base[rank] * tightening
        unsafe job.inverses = UnsafePointer(formula.inverses.base + first)
        unsafe job.least_inverses = UnsafePointer(formula.leastInverses.base + first / 64)
        unsafe job.thresholds = UnsafePointer(best.thresholds.base + first)
        unsafe job.least_thresholds = UnsafePointer(leastThresholds.base + first / 64)
        unsafe job.size_factors = UnsafePointer(formula.sizeFactors.base + first / 64)
        if unsafe job.own > 0, formula.inversesDescend {
            let need = unsafe job.own * formula.inverses.base[first + targets - 1]
            let its = unsafe both ? job.other * blockThresholds[number] : .infinity
            if Float(weight) * (1 + 1e-6) < min(need, its) { return }
        }
        // If few pairs have enough in common, nothing else counts. Counts say nothing about a threshold of weights.
        let (own, isWeighted) = unsafe (job.own, formula.modified != nil)
        let isSparse = block.isThin || (isWeighted && own == 0 && columnCount <= Self.fewColumns)
        if isSparse || !isWeighted {
            if isWeighted { unsafe job.own = 0 }
            bound(comparison, counting: true, weight: Float(columnCount), minimum: Float(minimumCommon))
            if isSparse {
                let found = unsafe coterie_scan(plan.path.code, &job)
                if !isWeighted || found <= 2 * limit { return evaluate(found, comparison) }
            }
            unsafe job.own = own
        }
        if isWeighted {
            bound(
                comparison, counting: false, weight: Float(weight),
                minimum: Float(minimumCommon) * Float(lightest) * (1 - 1e-6))
        }
        var wanted = UInt32(limit + limit / 8)
        while unsafe job.own == 0, case let found = unsafe coterie_choose(plan.path.code, &job, wanted), found > 0 {
            evaluate(found, comparison)
            unsafe job.own = best.threshold(ofRank: rank) * tightening
            wanted &*= 2
        }
        evaluate(unsafe coterie_scan(plan.path.code, &job), comparison)
    }

    /// The number of columns up to which pairs are counted first while a row has no threshold.
    private static let fewColumns = 64

    /// A row that is compared with a block.
    private struct Comparison {
        let rank: Int
        let block: Block
        /// Whether sums may need more than one number of 64 bits for weights and count.
        let isWide: Bool
    }

    /// Adds up the bounds.
    ///
    /// - Parameters:
    ///   - counting: whether common columns are counted, which gives exact bounds.
    ///   - weight: the greatest sum that is possible.
    ///   - minimum: the smallest useful sum.
    private func bound(_ comparison: Comparison, counting: Bool, weight: Float, minimum: Float) {
        unsafe job.counts = counting ? 1 : 0
        unsafe job.minimum = minimum
        setScales(weight: weight)
        unsafe coterie_bound(plan.path.code, &job)
        let target = comparison.rank - comparison.block.ranks.lowerBound
        if target >= 0, unsafe target < Int(job.target_count) { unsafe job.bounds[target] = 0 }
    }

    /// Collects a row's lists and bitmaps in a block, and returns the sum of their weights and the smallest weight.
    private func collect(_ rank: Int, _ block: Block) -> (sum: UInt64, least: UInt32) {
        let weights = unsafe plan.formula.weights.base
        let bitmaps = unsafe UnsafeRawPointer(block.bitmaps.base).assumingMemoryBound(to: UInt8.self)
        let stride = block.bitmapStride * 8
        let (maps, mapWeights, lists) = unsafe (job.maps, job.map_weights, job.lists)
        var (mapCount, listCount) = (0, 0)
        var (sum, least) = (UInt64(0), UInt32.max)
        unsafe forEachColumn(ofRank: rank, in: block) { number, degree in
            let weight = unsafe weights[Int(degree)]
            unsafe maps[mapCount] = unsafe bitmaps + number &* stride
            unsafe mapWeights[mapCount] = weight
            mapCount += 1
            sum += UInt64(weight)
            least = min(least, weight)
        } list: { targets, count, degree in
            let weight = unsafe weights[Int(degree)]
            unsafe lists[listCount] = coterie_list(targets: targets, count: UInt32(count), weight: weight)
            listCount += 1
            sum += UInt64(weight)
            least = min(least, weight)
        }
        unsafe job.map_count = UInt32(mapCount)
        unsafe job.list_count = UInt32(listCount)
        return (sum, least)
    }

    /// Sets the units of the bounds; counts have the unit 1, and their bounds are exact.
    ///
    /// A sum of weights that the source needs becomes about 2¹⁴: each common column rounds it by at most 2⁻¹⁴. If no
    /// sum can reach 2¹⁶, the unit is smaller.
    private func setScales(weight: Float) {
        let groups = (Int(unsafe job.target_count) + groupSize - 1) / groupSize
        let all = 60_000 / weight
        guard unsafe job.counts == 0 else {
            for group in 0..<groups { unsafe job.scales[group] = 1 }
            unsafe job.shift = all >= 2 ? UInt32(all.exponent) : 0
            return
        }
        unsafe job.shift = 0
        var (needed, scale) = (Float.infinity, all)
        for group in 0..<groups {
            let its = unsafe job.own * job.least_inverses[group * (groupSize / 64)]
            if !(its > needed / 2) {
                needed = its
                scale = its > 0 ? max(all, 0x1p14 / its) : all
            }
            unsafe job.scales[group] = scale
        }
    }

    /// Computes the exact sums of hits, and adds the candidates among them.
    private func evaluate(_ count: UInt32, _ comparison: Comparison) {
        guard count > 0 else { return }
        let (rank, first) = (comparison.rank, comparison.block.ranks.lowerBound)
        let hits = unsafe UnsafeBufferPointer(start: job.hits, count: Int(count))
        if plan.formula.modified == nil {
            // Only the greatest bound can be less than the count.
            let isExact = unsafe hits.allSatisfy { $0.bound < UInt16.max }
            if !isExact { unsafe coterie_sum(plan.path.code, &job, count, 0, 1) }
            for position in 0..<Int(count) {
                let common = unsafe isExact ? UInt64(hits[position].bound) : job.sums[position]
                push(rank, first + Int(unsafe hits[position].target), sum: common, common: common)
            }
        } else if comparison.isWide {
            unsafe coterie_sum(plan.path.code, &job, count, 1, 0)
            let sums = unsafe Array(UnsafeBufferPointer(start: job.sums, count: Int(count)))
            unsafe coterie_sum(plan.path.code, &job, count, 0, 1)
            for (position, sum) in sums.enumerated() {
                let target = first + Int(unsafe hits[position].target)
                push(rank, target, sum: sum, common: unsafe job.sums[position])
            }
        } else {
            unsafe coterie_sum(plan.path.code, &job, count, 1 << UInt64(Self.countBits), 1)
            for position in 0..<Int(count) {
                let sum = unsafe job.sums[position]
                push(
                    rank, first + Int(unsafe hits[position].target), sum: sum &>> UInt64(Self.countBits),
                    common: sum & (1 &<< UInt64(Self.countBits) &- 1))
            }
        }
        plan.best.raiseThreshold(ofRank: rank)
    }

    /// Adds a pair as a candidate of its source and, if pairs are compared once, of its target.
    @inline(__always)
    private func push(_ rank: Int, _ target: Int, sum: UInt64, common: UInt64) {
        guard common >= plan.parameters.minimumCommon else { return }
        let (formula, best, common) = (plan.formula, plan.best, UInt32(common))
        let least = Float(sum) * (1 + 1e-6)
        if unsafe !(least < best.threshold(ofRank: rank) * formula.inverses.base[target]) {
            let key = formula.key(sum: sum, common: common, other: target)
            best.push(ListedPair(key: key, other: UInt32(target), common: common), ofRank: rank)
        }
        if unsafe job.both != 0, unsafe !(least < best.threshold(ofRank: target) * formula.inverses.base[rank]) {
            let key = formula.key(sum: sum, common: common, other: rank)
            best.push(ListedPair(key: key, other: UInt32(rank), common: common), ofRank: target)
        }
    }
}
