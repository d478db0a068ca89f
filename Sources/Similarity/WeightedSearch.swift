import CSimilarity
import Model

/// The search for the modified cosine.
///
/// A counter holds the number of common entries in its low bits and the sum of weights above them.
extension TileWorker {
    /// Compares a row with a block in which no pair has 2¹⁶ common entries or more.
    ///
    /// With bitmaps, upper bounds of 16 bits are compared first. Nearly all targets whose bound passes are useful.
    ///
    /// - Parameter most: the most common entries that a pair can have.
    func weigh(_ rank: Int, _ block: Block, most: Int, _ best: inout BestCandidates) {
        let weights = weights
        let counters = unsafe UnsafeMutableRawPointer(counters.base).assumingMemoryBound(to: UInt64.self)
        let bitmaps = unsafe UnsafeRawPointer(block.bitmaps.base).assumingMemoryBound(to: UInt8.self)
        let stride = block.bitmapStride * 8
        let maps = unsafe maps.base
        let mapWeights = unsafe mapWeights.base
        let lists = unsafe lists.base
        var mapCount = 0
        var listCount = 0
        var increments = 0
        func packed(_ degree: UInt32) -> UInt64 {
            UInt64(weights[degree: degree]) &<< UInt64(COTERIE_COUNT_BITS) | 1
        }
        unsafe forEachColumn(ofRank: rank, in: block) { number, degree in
            unsafe maps[mapCount] = unsafe bitmaps + number &* stride
            unsafe mapWeights[mapCount] = packed(degree)
            mapCount += 1
        } list: { targets, count, degree in
            let packed = packed(degree)
            unsafe lists[listCount] = TargetList(targets: targets, count: count, packed: packed)
            listCount += 1
            increments += count
            for position in 0..<count { unsafe counters[Int(targets[position])] &+= packed }
        }
        // Few targets of a row without bitmaps have a counter above 0.
        if mapCount == 0 && increments * Self.targetsPerIncrement < block.ranks.count {
            for index in 0..<listCount {
                let list = unsafe lists[index]
                for position in 0..<list.count {
                    let target = unsafe Int(list.targets[position])
                    let sum = unsafe counters[target]
                    guard sum != 0 else { continue }
                    unsafe counters[target] = 0
                    push(block.ranks.lowerBound + target, sourceRank: rank, sum, &best)
                }
            }
            return
        }
        // c/(c + h) of a pair is at most that of the most common entries.
        let shrinkage = plan.formula.modified?.shrinkage ?? 0
        let tightening = (1 - 1e-6) * (Double(most) + shrinkage) / Double(most)
        let inverses = unsafe plan.formula.inverses.base + block.ranks.lowerBound / 64
        var job = unsafe coterie_weighted_job(
            maps: maps, weights: mapWeights, map_count: UInt32(mapCount), counters: counters, bounds: mapBounds.base,
            bound_counters: boundCounters.base, scale: 0, inverses: inverses, threshold: 0,
            minimum: UInt32(plan.parameters.minimumCommon), group: 0, group_end: UInt32(block.bitmapStride / 8),
            hits: weightedHits.base)
        // Without a threshold nearly all targets are useful, and bounds would come on top of the exact sums.
        let usesBounds = mapCount > 0 && best.leastKey > 0
        if usesBounds {
            unsafe job.scale = boundScale(leastSum: best.leastKey * tightening * inverses.pointee)
            unsafe setBounds(mapCount, listCount, scale: job.scale)
        }
        while unsafe job.group < job.group_end {
            unsafe job.threshold = best.leastKey * tightening
            let found =
                unsafe usesBounds
                ? coterie_scan_bounded(plan.path.code, &job) : coterie_scan_weighted(plan.path.code, &job)
            for position in 0..<Int(found) {
                let hit = unsafe weightedHits.base[position]
                push(block.ranks.lowerBound + Int(hit.target), sourceRank: rank, hit.sum, &best)
            }
        }
        guard usesBounds else { return }
        for index in 0..<listCount {
            let list = unsafe lists[index]
            for position in 0..<list.count { unsafe counters[Int(list.targets[position])] = 0 }
        }
    }

    /// The number of targets of a block per increment above which counters are visited one by one, not scanned.
    private static let targetsPerIncrement = 8

    /// Returns the factor that turns a sum of weights into the unit of bounds.
    ///
    /// The least useful sum becomes 2¹³. Each common entry then rounds it by less than 1/8,000, and a threshold can
    /// grow eight times before every bound passes.
    private func boundScale(leastSum: Double) -> Double {
        leastSum > 0 && leastSum.isFinite ? 0x1p13 / leastSum : 0x1p-16
    }

    /// Sets the bounds of bitmaps and adds up those of lists.
    private func setBounds(_ mapCount: Int, _ listCount: Int, scale: Double) {
        func bound(_ packed: UInt64) -> UInt32 {
            UInt32(min(65535, (Double(packed &>> UInt64(COTERIE_COUNT_BITS)) * scale).rounded(.up)))
        }
        let mapWeights = unsafe mapWeights.base
        let mapBounds = unsafe mapBounds.base
        let counters = unsafe boundCounters.base
        for map in 0..<mapCount { unsafe mapBounds[map] = UInt16(bound(mapWeights[map])) }
        for index in 0..<listCount {
            let list = unsafe lists.base[index]
            let bound = bound(list.packed)
            for position in 0..<list.count {
                let target = unsafe Int(list.targets[position])
                unsafe counters[target] = UInt16(truncatingIfNeeded: min(65535, UInt32(counters[target]) &+ bound))
            }
        }
    }

    /// Does the same for any number of common entries; it is rare, and a simple loop is enough.
    func weighWidely(_ rank: Int, _ block: Block, _ best: inout BestCandidates) {
        let weights = weights
        let counters = unsafe counters.base
        unsafe forEachColumn(ofRank: rank, in: block) { number, degree in
            let packed = UInt128(weights[degree: degree]) &<< 32 | 1
            block.forEachTarget(ofBitmap: number) { target in unsafe counters[target] &+= packed }
        } list: { targets, count, degree in
            let packed = UInt128(weights[degree: degree]) &<< 32 | 1
            for position in 0..<count { unsafe counters[Int(targets[position])] &+= packed }
        }
        for target in 0..<block.ranks.count {
            let packed = unsafe counters[target]
            guard packed > 0 else { continue }
            unsafe counters[target] = 0
            let common = Int(UInt32(truncatingIfNeeded: packed))
            guard common >= plan.parameters.minimumCommon else { continue }
            push(
                block.ranks.lowerBound + target, sourceRank: rank, weightSum: UInt64(truncatingIfNeeded: packed &>> 32),
                common: common, &best)
        }
    }

    private var weights: DegreeWeights {
        guard let weights = plan.formula.weights else { preconditionFailure("a modified cosine has weights") }
        return weights
    }

    @inline(__always)
    private func push(_ rank: Int, sourceRank: Int, _ packed: UInt64, _ best: inout BestCandidates) {
        let common = Int(packed & (1 &<< UInt64(COTERIE_COUNT_BITS) &- 1))
        guard common >= plan.parameters.minimumCommon else { return }
        push(rank, sourceRank: sourceRank, weightSum: packed &>> UInt64(COTERIE_COUNT_BITS), common: common, &best)
    }

    @inline(__always)
    private func push(
        _ rank: Int, sourceRank: Int, weightSum: UInt64, common: Int, _ best: inout BestCandidates
    ) {
        guard rank != sourceRank, let modified = plan.formula.modified else { return }
        let factor = unsafe plan.formula.factors.base[rank]
        // The shrinkage only lowers a key.
        guard Double(weightSum) * factor >= best.leastKey else { return }
        let key = modified.key(weightSum: weightSum, common: common, otherFactor: factor)
        best.push(RowCandidate(key: key, rank: UInt32(rank), common: UInt32(common)), plan.order)
    }
}

extension Block {
    /// Calls `body` with the targets of a bitmap, in ascending order.
    fileprivate func forEachTarget(ofBitmap number: Int, _ body: (_ target: Int) -> Void) {
        let words = unsafe bitmaps.base + number * bitmapStride
        for word in 0..<bitmapStride {
            var bits = unsafe words[word]
            while bits != 0 {
                body(word * 64 + bits.trailingZeroBitCount)
                bits &= bits &- 1
            }
        }
    }
}

/// The targets of a column that has no bitmap in a block.
@safe
struct TargetList: BitwiseCopyable {
    let targets: UnsafePointer<UInt16>
    let count: Int
    /// The number that the list adds to a counter.
    let packed: UInt64
}
