/// Buckets of weighted items, from which one is drawn in constant time (alias method: Walker 1977, Vose 1991).
struct ChoiceTable {
    /// A slot gives its item when 32 random bits are below the threshold, otherwise its alias.
    private struct Slot {
        var item: UInt32
        var alias: UInt32
        var threshold: UInt32
    }

    private var slots: [Slot] = []
    /// Where each bucket's slots begin: buckets + 1 offsets.
    private var offsets: [Int] = [0]

    /// Builds one bucket after another; weights are positive, a bucket may be empty.
    init(buckets: [[(item: UInt32, weight: Double)]]) {
        slots.reserveCapacity(buckets.reduce(0) { $0 + $1.count })
        for bucket in buckets {
            append(bucket)
            offsets.append(slots.count)
        }
    }

    /// One bucket whose items are the weights' indices.
    init(weights: [Double]) {
        self.init(buckets: [weights.enumerated().map { (item: UInt32($0.offset), weight: $0.element) }])
    }

    /// Draws an item in proportion to its weight; nil when the bucket is empty.
    func pick(bucket: Int, _ random: inout EntityRandom) -> Int? {
        let start = offsets[bucket]
        let count = offsets[bucket + 1] - start
        guard count > 0 else { return nil }
        let bits = random.next()
        let slot = slots[start + Int(((bits >> 32) &* UInt64(count)) >> 32)]
        return Int(UInt32(truncatingIfNeeded: bits) < slot.threshold ? slot.item : slot.alias)
    }

    /// Draws an item, all equally likely; nil when the bucket is empty.
    func pickEvenly(bucket: Int, _ random: inout EntityRandom) -> Int? {
        let start = offsets[bucket]
        let count = offsets[bucket + 1] - start
        return count > 0 ? Int(slots[start + random.below(count)].item) : nil
    }

    private mutating func append(_ bucket: [(item: UInt32, weight: Double)]) {
        let total = bucket.reduce(0) { $0 + $1.weight }
        let start = slots.count
        var scaled = bucket.map { $0.weight * Double(bucket.count) / total }
        var small: [Int] = []
        var large: [Int] = []
        for (index, entry) in bucket.enumerated() {
            slots.append(Slot(item: entry.item, alias: entry.item, threshold: .max))
            if scaled[index] < 1 { small.append(index) } else { large.append(index) }
        }
        while let light = small.popLast() {
            // Rounding may leave light slots over when no heavy one is left: they keep themselves.
            guard let heavy = large.last else { break }
            slots[start + light].threshold = UInt32(scaled[light] * 0x1p32)
            slots[start + light].alias = bucket[heavy].item
            scaled[heavy] -= 1 - scaled[light]
            if scaled[heavy] < 1 {
                large.removeLast()
                small.append(heavy)
            }
        }
    }
}
