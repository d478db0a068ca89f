import Model
import CSimilarity

/// One thread's counters and candidate lists, and what it does with a tile of source rows.
@safe
final class TileWorker {
    let plan: SearchPlan
    /// A counter for each place of a block, 0 between visits.
    let counters: Storage<UInt128>
    /// The bitmaps to add up for a row.
    let maps: Storage<UnsafePointer<UInt8>>
    private let hits: Storage<coterie_hit>
    private let items: Storage<Candidate>
    private let histograms: Storage<UInt16>
    /// The same for a modified cosine, with what each bitmap adds.
    let mapWeights: Storage<UInt64>
    let weightedHits: Storage<coterie_weighted_hit>

    init(_ plan: SearchPlan) {
        self.plan = plan
        let largest = plan.prepared.blocks.map(\.bitmapStride).max() ?? 0
        counters = Storage(zeroed: largest * 64)
        let mostMaps = (plan.prepared.rankCount > 0 ? Int(unsafe plan.prepared.ranked.sizes.base[0]) : 0) + 16
        unsafe maps = Storage(uninitialized: mostMaps)
        mapWeights = Storage(uninitialized: plan.formula.modified == nil ? 0 : mostMaps)
        weightedHits = Storage(uninitialized: Int(COTERIE_HITS_MOST))
        hits = Storage(uninitialized: Int(COTERIE_HITS_MOST))
        let capacity = BestCandidates.capacity(limit: plan.limit)
        let rows = plan.tiles.map(\.count).max() ?? 0
        items = Storage(uninitialized: rows * capacity)
        histograms = Storage(uninitialized: rows * BestCandidates.bucketCount)
    }

    /// The best neighbours of each of the tile's ranks, and how many each has.
    func neighbours(of tile: Range<Int>) -> (counts: [Int], neighbours: [Neighbour]) {
        let capacity = BestCandidates.capacity(limit: plan.limit)
        var best = (0..<tile.count).map { place in
            unsafe BestCandidates(
                limit: plan.limit, greatestKey: plan.formula.greatestKey(ofRank: tile.lowerBound + place),
                items: items.base + place * capacity,
                histogram: histograms.base + place * BestCandidates.bucketCount)
        }
        for block in blocks(outwardsFrom: tile.lowerBound) {
            for place in 0..<tile.count { visit(tile.lowerBound + place, block, &best[place]) }
        }
        var counts: [Int] = []
        var neighbours: [Neighbour] = []
        for (place, rank) in tile.enumerated() {
            let found = unsafe best[place].finish(plan.order)
            counts.append(found.count)
            let size = Int(unsafe plan.prepared.ranked.sizes.base[rank])
            for position in 0..<found.count {
                neighbours.append(neighbour(unsafe found[position], sourceSize: size))
            }
        }
        return (counts, neighbours)
    }

    /// Rows of like size first: they are the likeliest neighbours, and raise what the others have to reach.
    private func blocks(outwardsFrom rank: Int) -> [Block] {
        let home = plan.prepared.blocks.lastIndex { $0.ranks.lowerBound <= rank } ?? 0
        return plan.prepared.blocks.indices
            .sorted { (abs($0 - home), $0) < (abs($1 - home), $1) }
            .map { plan.prepared.blocks[$0] }
    }

    private func neighbour(_ candidate: Candidate, sourceSize: Int) -> Neighbour {
        let rank = Int(candidate.rank)
        let score: Double
        if let modified = plan.formula.modified {
            score = modified.score(key: candidate.key, sourceSize: sourceSize)
        } else {
            let size = Double(unsafe plan.prepared.ranked.sizes.base[rank])
            score = Double(candidate.common) / (Double(sourceSize) * size).squareRoot()
        }
        return Neighbour(
            index: unsafe plan.prepared.ranked.rows.base[rank], common: candidate.common, score: Float(score))
    }

    private func visit(_ rank: Int, _ block: Block, _ best: inout BestCandidates) {
        let size = Int(unsafe plan.prepared.ranked.sizes.base[rank])
        let isHome = block.ranks.contains(rank)
        // A row has all of its entries in common with itself.
        let most = isHome ? size : min(size, block.largestSize)
        guard most >= plan.parameters.minimumCommon else { return }
        if plan.formula.modified != nil {
            if most < 1 << COTERIE_COUNT_BITS { weigh(rank, block, &best) } else { weighWidely(rank, block, &best) }
        } else if most < 1 << 8 {
            count(rank, block, UInt8.self, most: most, &best)
        } else if most < 1 << 16 {
            count(rank, block, UInt16.self, most: most, &best)
        } else {
            count(rank, block, UInt32.self, most: most, &best)
        }
    }

    /// Plain cosine: counters count.
    private func count<Counter: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
        _ rank: Int, _ block: Block, _: Counter.Type, most: Int, _ best: inout BestCandidates
    ) {
        let counters = unsafe UnsafeMutableRawPointer(counters.base).assumingMemoryBound(to: Counter.self)
        let descriptors = unsafe block.descriptors?.base
        let lists = unsafe block.lists.base
        let bitmaps = unsafe UnsafeRawPointer(block.bitmaps.base).assumingMemoryBound(to: UInt8.self)
        let stride = block.bitmapStride * 8
        let maps = unsafe maps.base
        var mapCount = 0
        var increments = 0
        var entry = unsafe plan.prepared.columns.base + plan.prepared.offsets.base[rank]
        let end = unsafe plan.prepared.columns.base + plan.prepared.offsets.base[rank + 1]
        while unsafe entry < end {
            let descriptor: UInt32
            if let descriptors = unsafe descriptors {
                unsafe coterie_prefetch(descriptors + Int(entry[48]))
                unsafe coterie_prefetch(lists + Int(descriptors[Int(entry[16])] & ~Block.bitmapFlag))
                descriptor = unsafe descriptors[Int(entry[0])]
            } else {
                // The second line too: it is waited for as long as the first, and lists of 32 and more have one.
                let ahead = unsafe lists + Int(entry[40] & ~Block.bitmapFlag)
                unsafe coterie_prefetch(ahead)
                unsafe coterie_prefetch(ahead + 32)
                descriptor = unsafe entry[0]
            }
            unsafe entry += 1
            if descriptor & Block.bitmapFlag != 0 {
                unsafe maps[mapCount] = unsafe bitmaps + Int(descriptor & ~Block.bitmapFlag) &* stride
                mapCount += 1
            } else {
                var place = unsafe lists + Int(descriptor)
                let last = unsafe place + Int(place[0])
                increments += unsafe Int(place[0])
                while unsafe place < last {
                    unsafe place += 1
                    unsafe counters[Int(place[0])] &+= 1
                }
            }
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
                let other = block.ranks.lowerBound + Int(hit.place)
                guard other != rank else { continue }
                let key = unsafe Double(hit.count) * Double(hit.count) / plan.formula.factors.base[other]
                best.push(Candidate(key: key, rank: UInt32(other), common: hit.count), plan.order)
            }
        }
    }
}

extension UInt32 {
    /// As many bits, but no more than a sum of `count` ones can have; 3 at least.
    fileprivate func clamped(to count: Int) -> UInt32 {
        Swift.min(self, UInt32(Swift.max(3, Int.bitWidth - count.leadingZeroBitCount)))
    }
}
