import CSimilarity

/// Modified cosine: a counter holds a count in its low bits and the sum of weights above them.
extension TileWorker {
    /// Compares a row with a block in which no pair has 2¹⁶ common entries or more.
    func weigh(_ rank: Int, _ block: Block, _ best: inout BestCandidates) {
        let weights = weights
        let counters = unsafe UnsafeMutableRawPointer(counters.base).assumingMemoryBound(to: UInt64.self)
        let bitmaps = unsafe UnsafeRawPointer(block.bitmaps.base).assumingMemoryBound(to: UInt8.self)
        let stride = block.bitmapStride * 8
        let maps = unsafe maps.base
        let mapWeights = unsafe mapWeights.base
        var mapCount = 0
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
            increments += count
            for position in 0..<count { unsafe counters[Int(targets[position])] &+= packed }
        }
        if mapCount + increments == 0 { return }
        var job = unsafe coterie_weighted_job(
            maps: maps, weights: mapWeights, map_count: UInt32(mapCount), counters: counters,
            inverses: plan.formula.inverses.base + block.ranks.lowerBound / 64, threshold: 0,
            minimum: UInt32(plan.parameters.minimumCommon), group: 0, group_end: UInt32(block.bitmapStride / 8),
            hits: weightedHits.base)
        while unsafe job.group < job.group_end {
            unsafe job.threshold = best.leastKey * (1 - 1e-6)
            let found = unsafe coterie_scan_weighted(plan.path.code, &job)
            for position in 0..<Int(found) {
                let hit = unsafe weightedHits.base[position]
                push(
                    block.ranks.lowerBound + Int(hit.target), sourceRank: rank,
                    weightSum: hit.sum &>> UInt64(COTERIE_COUNT_BITS),
                    common: Int(hit.sum & (1 &<< UInt64(COTERIE_COUNT_BITS) &- 1)), &best)
            }
        }
    }

    /// The same for any number of common entries; rare, hence the simple loop.
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
    private func push(
        _ rank: Int, sourceRank: Int, weightSum: UInt64, common: Int, _ best: inout BestCandidates
    ) {
        guard rank != sourceRank, let modified = plan.formula.modified else { return }
        let key = modified.key(
            weightSum: weightSum, common: common, otherFactor: unsafe plan.formula.factors.base[rank])
        best.push(Candidate(key: key, rank: UInt32(rank), common: UInt32(common)), plan.order)
    }
}

extension Block {
    /// Calls `body` with the targets of a bitmap, ascending.
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
