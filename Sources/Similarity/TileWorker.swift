import CSimilarity
import Model

/// One thread's search, with its counters and candidate lists; it processes one tile of source rows after another.
@safe
final class TileWorker {
    let plan: SearchPlan
    /// A counter for each target of a block; all are 0 between visits.
    let counters: Storage<UInt128>
    /// The bitmaps to add up for a source row.
    let maps: Storage<UnsafePointer<UInt8>>
    private let hits: Storage<coterie_hit>
    private let items: Storage<RowCandidate>
    private let histograms: Storage<UInt16>
    /// The weight that each bitmap adds, for a modified cosine.
    let mapWeights: Storage<UInt64>
    let weightedHits: Storage<coterie_weighted_hit>
    /// An upper bound of each bitmap's weight.
    let mapBounds: Storage<UInt16>
    /// An upper bound of the sum of weights for each target of a block; all are 0 between visits.
    let boundCounters: Storage<UInt16>
    /// The lists of a source row in a block.
    let lists: Storage<TargetList>

    init(_ plan: SearchPlan) {
        self.plan = plan
        let largest = plan.prepared.blocks.map(\.bitmapStride).max() ?? 0
        counters = Storage(zeroed: largest * 64)
        let mostMaps = (plan.prepared.rankCount > 0 ? Int(unsafe plan.prepared.ranked.sizes.base[0]) : 0) + 16
        unsafe maps = Storage(uninitialized: mostMaps)
        mapWeights = Storage(uninitialized: plan.formula.modified == nil ? 0 : mostMaps)
        weightedHits = Storage(uninitialized: Int(COTERIE_HITS_MOST))
        hits = Storage(uninitialized: Int(COTERIE_HITS_MOST))
        mapBounds = Storage(uninitialized: mapWeights.count)
        lists = Storage(uninitialized: mapWeights.count)
        boundCounters = Storage(zeroed: plan.formula.modified == nil ? 0 : largest * 64)
        let capacity = BestCandidates.capacity(limit: plan.limit)
        let rows = plan.tiles.map(\.count).max() ?? 0
        items = Storage(uninitialized: rows * capacity)
        histograms = Storage(uninitialized: rows * BestCandidates.bucketCount)
    }

    /// Returns the best pairs of each of the tile's ranks.
    func pairs(of tile: Range<Int>) -> TileResult {
        let capacity = BestCandidates.capacity(limit: plan.limit)
        var best = (0..<tile.count).map { index in
            unsafe BestCandidates(
                limit: plan.limit, greatestKey: plan.formula.greatestKey(ofRank: tile.lowerBound + index),
                items: items.base + index * capacity,
                histogram: histograms.base + index * BestCandidates.bucketCount)
        }
        for block in blocks(outwardsFrom: tile.lowerBound) {
            for index in 0..<tile.count { visit(tile.lowerBound + index, block, &best[index]) }
        }
        var result = TileResult()
        for (index, rank) in tile.enumerated() {
            let found = unsafe best[index].finish(plan.order)
            result.counts.append(found.count)
            unsafe append(found, ofRank: rank, to: &result)
        }
        return result
    }

    /// Appends the best candidates of a rank, as the list of a source or as the pairs of a target.
    private func append(_ found: UnsafeBufferPointer<RowCandidate>, ofRank rank: Int, to result: inout TileResult) {
        let size = Int(unsafe plan.prepared.ranked.sizes.base[rank])
        guard let modified = plan.formula.modified else {
            for position in 0..<found.count {
                let candidate = unsafe found[position]
                let otherSize = Double(unsafe plan.prepared.ranked.sizes.base[Int(candidate.rank)])
                let score = Double(candidate.common) / (Double(size) * otherSize).squareRoot()
                result.neighbours.append(
                    Neighbour(index: row(of: candidate), common: candidate.common, score: Float(score)))
            }
            return
        }
        var pairs: [ListedPair] = []
        for position in 0..<found.count {
            let candidate = unsafe found[position]
            pairs.append(
                ListedPair(
                    key: modified.pairKey(key: candidate.key, ownSize: size), row: row(of: candidate),
                    common: candidate.common))
        }
        switch modified.cut {
        case .source: result.neighbours += ListedPair.list(pairs, modified)
        case .target: result.pairs += pairs
        }
    }

    private func row(of candidate: RowCandidate) -> UInt32 {
        unsafe plan.prepared.ranked.rows.base[Int(candidate.rank)]
    }

    /// Returns the blocks, nearest first.
    ///
    /// Rows of similar size are the likeliest neighbours; finding them first raises the bound for the others.
    private func blocks(outwardsFrom rank: Int) -> [Block] {
        let home = plan.prepared.blocks.lastIndex { $0.ranks.lowerBound <= rank } ?? 0
        return plan.prepared.blocks.indices
            .sorted { (abs($0 - home), $0) < (abs($1 - home), $1) }
            .map { plan.prepared.blocks[$0] }
    }

    private func visit(_ rank: Int, _ block: Block, _ best: inout BestCandidates) {
        let size = Int(unsafe plan.prepared.ranked.sizes.base[rank])
        let isHome = block.ranks.contains(rank)
        // A row has all of its entries in common with itself, which counts in its own block.
        let most = isHome ? size : min(size, block.largestSize)
        guard most >= plan.parameters.minimumCommon else { return }
        if plan.formula.modified != nil {
            if most >= 1 << COTERIE_COUNT_BITS {
                weighWidely(rank, block, &best)
            } else {
                weigh(rank, block, most: most, &best)
            }
        } else if most < 1 << 8 {
            count(rank, block, UInt8.self, most: most, &best)
        } else if most < 1 << 16 {
            count(rank, block, UInt16.self, most: most, &best)
        } else {
            count(rank, block, UInt32.self, most: most, &best)
        }
    }

    /// Compares a row with a block by plain cosine; counters hold the number of common entries.
    private func count<Counter: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
        _ rank: Int, _ block: Block, _: Counter.Type, most: Int, _ best: inout BestCandidates
    ) {
        let counters = unsafe UnsafeMutableRawPointer(counters.base).assumingMemoryBound(to: Counter.self)
        let bitmaps = unsafe UnsafeRawPointer(block.bitmaps.base).assumingMemoryBound(to: UInt8.self)
        let stride = block.bitmapStride * 8
        let maps = unsafe maps.base
        var mapCount = 0
        var increments = 0
        unsafe forEachColumn(ofRank: rank, in: block) { number, _ in
            unsafe maps[mapCount] = unsafe bitmaps + number &* stride
            mapCount += 1
        } list: { targets, count, _ in
            increments += count
            for position in 0..<count { unsafe counters[Int(targets[position])] &+= 1 }
        }
        if mapCount + increments == 0 { return }
        while !mapCount.isMultiple(of: 8) {
            unsafe maps[mapCount] = bitmaps
            mapCount += 1
        }
        var job = unsafe coterie_scan_job(
            maps: maps, map_count: UInt32(mapCount),
            planes: UInt32(Int.bitWidth - max(7, most).leadingZeroBitCount).clamped(to: mapCount),
            counters: counters, roots: plan.formula.roots.base + block.ranks.lowerBound / 64, threshold: 0,
            minimum: UInt32(plan.parameters.minimumCommon), group: 0,
            group_end: UInt32(block.bitmapStride / 8), hits: hits.base)
        while unsafe job.group < job.group_end {
            unsafe job.threshold = Float(best.leastKey.squareRoot()) * (1 - 1e-6)
            let found = unsafe coterie_scan(plan.path.code, Int32(Counter.bitWidth), &job)
            for position in 0..<Int(found) {
                let hit = unsafe hits.base[position]
                let other = block.ranks.lowerBound + Int(hit.target)
                guard other != rank else { continue }
                let key = unsafe Double(hit.count) * Double(hit.count) / plan.formula.factors.base[other]
                best.push(RowCandidate(key: key, rank: UInt32(other), common: hit.count), plan.order)
            }
        }
    }
}

extension UInt32 {
    /// Returns the number, but at most the bits of a sum of `count` ones, or 3 if that is more.
    fileprivate func clamped(to count: Int) -> UInt32 {
        Swift.min(self, UInt32(Swift.max(3, Int.bitWidth - count.leadingZeroBitCount)))
    }
}

extension TileWorker {
    /// Calls a closure for each column of a rank that has targets in a block, with the column's degree.
    ///
    /// - Parameters:
    ///   - rank: the source row.
    ///   - block: the block.
    ///   - bitmap: a closure that receives the number of a bitmap.
    ///   - list: a closure that receives targets.
    @inline(__always)
    func forEachColumn(
        ofRank rank: Int, in block: Block, bitmap: (_ number: Int, _ degree: UInt32) -> Void,
        list: (_ targets: UnsafePointer<UInt16>, _ count: Int, _ degree: UInt32) -> Void
    ) {
        let start = unsafe plan.prepared.offsets.base[rank]
        let end = unsafe plan.prepared.offsets.base[rank + 1]
        guard let light = block.light, let heavyEnds = plan.prepared.heavyEnds else {
            unsafe forEachDescriptor(start..<end, block, bitmap: bitmap, list: list)
            return
        }
        let heavyEnd = unsafe heavyEnds.base[rank]
        unsafe forEachHeavyColumn(start..<heavyEnd, block, bitmap: bitmap, list: list)
        unsafe forEachLightColumn(heavyEnd..<end, light, block, list: list)
    }

    /// Does the same for a single block, for which rows hold descriptors.
    ///
    /// A modified cosine, which needs degrees, uses no bitmaps there. The length of a column's list is then its degree.
    @inline(__always)
    private func forEachDescriptor(
        _ entries: Range<Int>, _ block: Block, bitmap: (_ number: Int, _ degree: UInt32) -> Void,
        list: (_ targets: UnsafePointer<UInt16>, _ count: Int, _ degree: UInt32) -> Void
    ) {
        let columns = unsafe plan.prepared.columns.base
        let lists = unsafe block.lists.base
        for entry in entries {
            // The second prefetch is for lists of 32 targets or more, which reach into another cache line.
            let ahead = unsafe lists + Int(columns[entry + 40] & ~Block.bitmapFlag)
            unsafe coterie_prefetch_line(ahead)
            unsafe coterie_prefetch_line(ahead + 32)
            let descriptor = unsafe columns[entry]
            if descriptor & Block.bitmapFlag != 0 {
                bitmap(Int(descriptor & ~Block.bitmapFlag), 0)
            } else {
                let targets = unsafe lists + Int(descriptor)
                unsafe list(targets + 1, Int(targets[0]), UInt32(targets[0]))
            }
        }
    }

    @inline(__always)
    private func forEachHeavyColumn(
        _ entries: Range<Int>, _ block: Block, bitmap: (_ number: Int, _ degree: UInt32) -> Void,
        list: (_ targets: UnsafePointer<UInt16>, _ count: Int, _ degree: UInt32) -> Void
    ) {
        guard let descriptors = unsafe block.descriptors?.base, let degrees = unsafe plan.prepared.degrees?.base else {
            return
        }
        let columns = unsafe plan.prepared.columns.base
        let lists = unsafe block.lists.base
        let last = entries.upperBound - 1
        for entry in entries {
            unsafe coterie_prefetch_line(descriptors + Int(columns[entry + 48]))
            let ahead = unsafe descriptors[Int(columns[min(entry + 16, last)])]
            unsafe coterie_prefetch_line(lists + Int(ahead & ~Block.bitmapFlag))
            let column = Int(unsafe columns[entry])
            let descriptor = unsafe descriptors[column]
            // A descriptor of 0 means that the column has no target in this block.
            guard descriptor != 0 else { continue }
            if descriptor & Block.bitmapFlag != 0 {
                unsafe bitmap(Int(descriptor & ~Block.bitmapFlag), degrees[column])
            } else {
                let targets = unsafe lists + Int(descriptor)
                unsafe list(targets + 1, Int(targets[0]), degrees[column])
            }
        }
    }

    @inline(__always)
    private func forEachLightColumn(
        _ entries: Range<Int>, _ light: LightColumns, _ block: Block,
        list: (_ targets: UnsafePointer<UInt16>, _ count: Int, _ degree: UInt32) -> Void
    ) {
        let columns = unsafe plan.prepared.columns.base
        let lists = unsafe block.lists.base
        let words = unsafe light.words.base
        let values = unsafe light.values.base
        let last = entries.upperBound - 1
        for entry in entries {
            unsafe coterie_prefetch_line(words + Int(columns[entry + 48] >> 5))
            unsafe coterie_prefetch_line(values + (light.index(of: columns[min(entry + 24, last)]) ?? 0))
            guard let index = light.index(of: unsafe columns[entry]) else { continue }
            let value = unsafe values[index]
            if value & LightColumns.listFlag == 0 {
                // The low half of the value is the target.
                let target = unsafe UnsafeRawPointer(values + index).assumingMemoryBound(to: UInt16.self)
                unsafe list(target, 1, value &>> 16)
            } else {
                let targets = unsafe lists + Int(value & ~LightColumns.listFlag)
                let (length, degree) = unsafe LightColumns.parts(ofListHead: targets[0])
                unsafe list(targets + 1, length, degree)
            }
        }
    }
}
