import CSimilarity

/// Modified cosine: a counter holds a count in its low bits and the sum of weights above them.
extension TileWorker {
    /// Compares a row with a block in which no pair has 2¹⁶ common entries or more.
    func weigh(_ rank: Int, _ block: Block, _ best: inout BestCandidates) {
        let counters = unsafe UnsafeMutableRawPointer(counters.base).assumingMemoryBound(to: UInt64.self)
        let bitmaps = unsafe UnsafeRawPointer(block.bitmaps.base).assumingMemoryBound(to: UInt8.self)
        let stride = block.bitmapStride * 8
        let maps = unsafe maps.base
        let mapWeights = unsafe mapWeights.base
        var mapCount = 0
        var increments = 0
        forEachColumn(ofRank: rank, in: block) { descriptor, weight in
            let packed = UInt64(weight) &<< UInt64(COTERIE_COUNT_BITS) | 1
            if descriptor & Block.bitmapFlag != 0 {
                unsafe maps[mapCount] = unsafe bitmaps + Int(descriptor & ~Block.bitmapFlag) &* stride
                unsafe mapWeights[mapCount] = packed
                mapCount += 1
            } else {
                var target = unsafe block.lists.base + Int(descriptor)
                let last = unsafe target + Int(target[0])
                increments += unsafe Int(target[0])
                while unsafe target < last {
                    unsafe target += 1
                    unsafe counters[Int(target[0])] &+= packed
                }
            }
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
        let counters = unsafe counters.base
        forEachColumn(ofRank: rank, in: block) { descriptor, weight in
            let packed = UInt128(weight) &<< 32 | 1
            block.forEachTarget(descriptor) { target in unsafe counters[target] &+= packed }
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

    /// Calls `body` with each column of a rank: its descriptor in a block and its weight.
    @inline(__always)
    private func forEachColumn(
        ofRank rank: Int, in block: Block, _ body: (_ descriptor: UInt32, _ weight: UInt32) -> Void
    ) {
        guard let weights = plan.formula.weights else { preconditionFailure("a modified cosine has weights") }
        let columns = unsafe plan.prepared.columns.base
        let entries = unsafe plan.prepared.offsets.base[rank]..<plan.prepared.offsets.base[rank + 1]
        if let descriptors = unsafe block.descriptors?.base, let degrees = unsafe plan.prepared.degrees?.base {
            for entry in entries {
                unsafe coterie_prefetch(descriptors + Int(columns[entry + 48]))
                let ahead = unsafe descriptors[Int(columns[entry + 16])]
                if ahead & Block.bitmapFlag == 0 { unsafe coterie_prefetch(block.lists.base + Int(ahead)) }
                let column = Int(unsafe columns[entry])
                let descriptor = unsafe descriptors[column]
                // 0: the column has no target in this block, as most light columns.
                if descriptor != 0 { body(descriptor, weights[degree: unsafe degrees[column]]) }
            }
        } else {
            for entry in entries {
                unsafe coterie_prefetch(block.lists.base + Int(columns[entry + 40]))
                let descriptor = unsafe columns[entry]
                // There is one block, without bitmaps: the length of a column's list is its degree.
                body(descriptor, weights[degree: UInt32(unsafe block.lists.base[Int(descriptor)])])
            }
        }
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
    /// Calls `body` with the targets of a column, ascending.
    fileprivate func forEachTarget(_ descriptor: UInt32, _ body: (_ target: Int) -> Void) {
        guard descriptor & Self.bitmapFlag != 0 else {
            let list = unsafe lists.base + Int(descriptor)
            for position in 0..<Int(unsafe list[0]) { body(Int(unsafe list[1 + position])) }
            return
        }
        let words = unsafe bitmaps.base + Int(descriptor & ~Self.bitmapFlag) * bitmapStride
        for word in 0..<bitmapStride {
            var bits = unsafe words[word]
            while bits != 0 {
                body(word * 64 + bits.trailingZeroBitCount)
                bits &= bits &- 1
            }
        }
    }
}
