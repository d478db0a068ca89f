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

/// The random numbers of one entity for one purpose (SplitMix64: Steele, Lea and Flood 2014).
///
/// Seeded by (seed, stream, entity), so that anything about an entity can be worked out again, in any
/// order and in any file, without remembering it. The standard library's `random(in:)` and `shuffled`
/// are not used: their algorithms may change between versions, and the bytes would with them.
struct EntityRandom {
    /// What the numbers are for; two purposes never share numbers.
    enum Stream: UInt64 {
        case groupOrder = 1
        case group, groupText, userActivity, photoActivity, member, membership, joining, photo, photoText, pool,
            identifier
    }

    private var state: UInt64

    init(seed: UInt64, stream: Stream, entity: Int) {
        let purpose = Self.mix(seed &+ stream.rawValue &* 0xD1B5_4A32_D192_ED03)
        state = Self.mix(purpose &+ UInt64(truncatingIfNeeded: entity) &* 0x9E37_79B9_7F4A_7C15)
    }

    /// The next 64 random bits.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mix(state)
    }

    /// A number in 0 ..< bound; its bias, at most bound / 2⁶⁴, is far below anything visible.
    mutating func below(_ bound: Int) -> Int {
        Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(bound)).high)
    }

    /// A number in [0, 1), a multiple of 2⁻⁵³.
    mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// A number in (0, 1], safe to divide by.
    mutating func positiveUnit() -> Double { Double((next() >> 11) + 1) * 0x1p-53 }

    /// True in `permille` of 1000 cases.
    mutating func chance(_ permille: Int) -> Bool { below(1000) < permille }

    /// One of a collection's elements, all equally likely; the collection is not empty.
    mutating func element<Element>(of choices: [Element]) -> Element { choices[below(choices.count)] }

    private static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Shares a total among weights in whole numbers, exactly.
enum Quotas {
    /// Whole shares in proportion to the weights, none above the cap, which add up to the total.
    ///
    /// What the cap takes from the heavy goes to the rest in proportion. Each share is its exact value
    /// rounded up or down, where running sums decide, so that no rounding piles up.
    ///
    /// - Parameters:
    ///   - total: at most weights × cap.
    ///   - weights: positive.
    ///   - cap: the largest share, inclusive.
    static func shares(of total: Int, weights: [Double], cap: Int) -> [UInt32] {
        let limit = largestUncapped(total: total, weights: weights, cap: cap)
        let free = weights.reduce(0) { $1 < limit.weight ? $0 + $1 : $0 }
        let scale = free > 0 ? Double(total - limit.capped * cap) / free : 0
        let freeTotal = total - limit.capped * cap
        var given = 0
        var running = 0.0
        var seen = 0
        let freeCount = weights.count - limit.capped
        return weights.map { weight in
            guard weight < limit.weight else { return UInt32(cap) }
            running += weight * scale
            seen += 1
            // The last one takes the rest: the running sum may miss the total by a rounding error.
            let reached = seen == freeCount ? freeTotal : min(Int(running), freeTotal)
            defer { given = reached }
            return UInt32(reached - given)
        }
    }

    /// Weights from `weight` upwards, of which there are `capped`, get the cap.
    private static func largestUncapped(total: Int, weights: [Double], cap: Int) -> (weight: Double, capped: Int) {
        var limit = (weight: Double.infinity, capped: 0)
        while true {
            let free = weights.reduce(0) { $1 < limit.weight ? $0 + $1 : $0 }
            guard free > 0 else { return limit }
            // At exactly the cap a share is capped too: rounding up could never pass it.
            let weight = Double(cap) / (Double(total - limit.capped * cap) / free)
            guard weight < limit.weight else { return limit }
            let capped = weights.reduce(0) { $1 >= weight ? $0 + 1 : $0 }
            guard capped > limit.capped else { return limit }
            limit = (weight, capped)
        }
    }
}
