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

    /// The least useful key of the row that was compared last, which is of similar size; 0 at first.
    var usualKey = 0.0

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

/// The targets of a column that has no bitmap in a block.
@safe
struct TargetList: BitwiseCopyable {
    let targets: UnsafePointer<UInt16>
    let count: Int
    /// The number that the list adds to a counter.
    let packed: UInt64
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
        if mapCount > 0 {
            let key = best.leastKey > 0 ? best.leastKey : usualKey
            unsafe job.scale = boundScale(leastSum: key * tightening * inverses.pointee)
            unsafe setBounds(mapCount, listCount, scale: job.scale)
        }
        while unsafe job.group < job.group_end {
            unsafe job.threshold = best.leastKey * tightening
            let found =
                unsafe mapCount > 0
                ? coterie_scan_bounded(plan.path.code, &job) : coterie_scan_weighted(plan.path.code, &job)
            for position in 0..<Int(found) {
                let hit = unsafe weightedHits.base[position]
                push(block.ranks.lowerBound + Int(hit.target), sourceRank: rank, hit.sum, &best)
            }
        }
        usualKey = best.leastKey
        guard mapCount > 0 else { return }
        for index in 0..<listCount {
            let list = unsafe lists[index]
            for position in 0..<list.count { unsafe counters[Int(list.targets[position])] = 0 }
        }
    }

    /// The number of targets of a block per increment above which counters are visited one by one, not scanned.
    private static let targetsPerIncrement = 8

    /// Returns the factor that turns a sum of weights into the unit of bounds.
    ///
    /// The least useful sum becomes 2¹³. Each common entry then rounds it by less than 1/8,000, and a threshold can grow
    /// eight times before every bound passes.
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
