/// One thread's counters and candidate lists, and what it does with a tile of source rows.
@safe
final class TileWorker {
    let plan: SearchPlan
    /// Room for a block of the widest counters.
    private let counters: Storage<UInt128>
    private let items: Storage<Candidate>

    init(_ plan: SearchPlan) {
        self.plan = plan
        counters = Storage(zeroed: plan.blockSize)
        let capacity = BestCandidates.capacity(limit: plan.limit)
        items = Storage(uninitialized: (plan.tiles.map(\.count).max() ?? 0) * capacity)
    }

    /// The best neighbours of each of the tile's ranks, and how many each has.
    func neighbours(of tile: Range<Int>) -> (counts: [Int], neighbours: [Neighbour]) {
        let capacity = BestCandidates.capacity(limit: plan.limit)
        var best = (0..<tile.count).map { place in
            unsafe BestCandidates(limit: plan.limit, items: items.base + place * capacity)
        }
        for block in blocks(outwardsFrom: tile.lowerBound) {
            for place in 0..<tile.count { visit(tile.lowerBound + place, block, &best[place]) }
        }
        var counts: [Int] = []
        var neighbours: [Neighbour] = []
        for (place, rank) in tile.enumerated() {
            let found = unsafe best[place].finish(plan.order)
            counts.append(found.count)
            let size = Int(unsafe plan.prepared.sizes.base[rank])
            for position in 0..<found.count {
                neighbours.append(neighbour(unsafe found[position], sourceSize: size))
            }
        }
        return (counts, neighbours)
    }

    /// Rows of like size first: they are the likeliest neighbours, and raise what the others have to reach.
    private func blocks(outwardsFrom rank: Int) -> [Block] {
        let home = rank / plan.blockSize
        return plan.blocks.indices
            .sorted { (abs($0 - home), $0) < (abs($1 - home), $1) }
            .map { plan.blocks[$0] }
    }

    private func neighbour(_ candidate: Candidate, sourceSize: Int) -> Neighbour {
        let rank = Int(candidate.rank)
        let score: Double
        if let modified = plan.formula.modified {
            score = modified.score(key: candidate.key, sourceSize: sourceSize)
        } else {
            let size = Double(unsafe plan.prepared.sizes.base[rank])
            score = Double(candidate.common) / (Double(sourceSize) * size).squareRoot()
        }
        return Neighbour(index: plan.prepared.rows[rank], common: candidate.common, score: Float(score))
    }

    private func visit(_ rank: Int, _ block: Block, _ best: inout BestCandidates) {
        let size = Int(unsafe plan.prepared.sizes.base[rank])
        let isHome = block.first <= rank && rank < block.first + block.count
        let most = isHome ? size : min(size, block.largestSize)
        if plan.formula.modified != nil {
            if most < 1 << 16 {
                weigh(rank, block, 16, UInt64.self, &best)
            } else {
                weigh(rank, block, 32, UInt128.self, &best)
            }
        } else if most < 1 << 8 {
            count(rank, block, UInt8.self, &best)
        } else if most < 1 << 16 {
            count(rank, block, UInt16.self, &best)
        } else {
            count(rank, block, UInt32.self, &best)
        }
    }

    /// Plain cosine: counters count.
    private func count<Counter: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
        _ rank: Int, _ block: Block, _: Counter.Type, _ best: inout BestCandidates
    ) {
        let counters = unsafe UnsafeMutableRawPointer(counters.base).assumingMemoryBound(to: Counter.self)
        let columns = unsafe plan.prepared.columns.base
        let descriptors = unsafe block.descriptors.base
        let lists = unsafe block.lists.base
        for entry in unsafe plan.prepared.offsets.base[rank]..<plan.prepared.offsets.base[rank + 1] {
            let list = unsafe lists + Int(descriptors[Int(columns[entry])])
            for position in 0..<Int(unsafe list[0]) {
                let place = Int(unsafe list[1 + position])
                unsafe counters[place] &+= 1
            }
        }
        for place in 0..<block.count {
            let common = Int(unsafe counters[place])
            guard common > 0 else { continue }
            unsafe counters[place] = 0
            guard common >= plan.parameters.minimumCommon, block.first + place != rank else { continue }
            let key = unsafe Double(common) * Double(common) / plan.formula.factors.base[block.first + place]
            best.push(
                Candidate(key: key, rank: UInt32(block.first + place), common: UInt32(common)), plan.order)
        }
    }

    /// Modified cosine: counters hold the sum of weights above `shift` bits of count.
    private func weigh<Counter: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
        _ rank: Int, _ block: Block, _ shift: Counter, _: Counter.Type, _ best: inout BestCandidates
    ) {
        guard let modified = plan.formula.modified else { return }
        let counters = unsafe UnsafeMutableRawPointer(counters.base).assumingMemoryBound(to: Counter.self)
        let columns = unsafe plan.prepared.columns.base
        let descriptors = unsafe block.descriptors.base
        let lists = unsafe block.lists.base
        for entry in unsafe plan.prepared.offsets.base[rank]..<plan.prepared.offsets.base[rank + 1] {
            let list = unsafe lists + Int(descriptors[Int(columns[entry])])
            let weight = Counter(unsafe plan.formula.weights.base[Int(columns[entry])]) &<< shift | 1
            for position in 0..<Int(unsafe list[0]) {
                let place = Int(unsafe list[1 + position])
                unsafe counters[place] &+= weight
            }
        }
        for place in 0..<block.count {
            let packed = unsafe counters[place]
            guard packed > 0 else { continue }
            unsafe counters[place] = 0
            let common = Int(truncatingIfNeeded: packed & (1 &<< shift &- 1))
            guard common >= plan.parameters.minimumCommon, block.first + place != rank else { continue }
            let key = modified.key(
                weightSum: UInt64(truncatingIfNeeded: packed &>> shift), common: common,
                neighbourFactor: unsafe plan.formula.factors.base[block.first + place])
            best.push(
                Candidate(key: key, rank: UInt32(block.first + place), common: UInt32(common)), plan.order)
        }
    }
}
