import Model

/// Buckets of weighted items; drawing one takes constant time (alias method: Walker 1977, Vose 1991).
struct ChoiceTable {
    /// A slot: it gives its item if 32 random bits are below the threshold, otherwise its alias.
    private struct Slot {
        var item: UInt32
        var alias: UInt32
        var threshold: UInt32
    }

    private var slots: [Slot] = []
    /// The start of each bucket's slots: buckets + 1 offsets.
    private var offsets: [Int] = [0]

    /// Creates a table of buckets; weights are positive, a bucket may be empty.
    init(buckets: [[(item: UInt32, weight: Double)]]) {
        slots.reserveCapacity(buckets.reduce(0) { $0 + $1.count })
        for bucket in buckets {
            append(bucket)
            offsets.append(slots.count)
        }
    }

    init(weights: [Double]) {
        self.init(buckets: [weights.enumerated().map { (item: UInt32($0.offset), weight: $0.element) }])
    }

    /// Draws an item in proportion to its weight, or returns `nil` if the bucket is empty.
    func pick(bucket: Int, _ random: inout EntityRandom) -> Int? {
        let start = offsets[bucket]
        let count = offsets[bucket + 1] - start
        guard count > 0 else { return nil }
        let bits = random.next()
        let slot = slots[start + Int(((bits >> 32) &* UInt64(count)) >> 32)]
        return Int(UInt32(truncatingIfNeeded: bits) < slot.threshold ? slot.item : slot.alias)
    }

    /// Draws an item, all equally likely, or returns `nil` if the bucket is empty.
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

/// The random numbers of one entity for one purpose.
///
/// Seed, stream and entity determine the numbers. Anything about an entity can therefore be worked out again, in any
/// order and in any file, without remembering it. The standard library's `random(in:)` and `shuffled` are not used: a
/// new version may change their algorithms, and with them the bytes.
struct EntityRandom {
    /// The purpose of the numbers; two purposes never share numbers.
    enum Stream: UInt64 {
        case groupOrder = 1
        case group, unused, userActivity, photoActivity, member, membership, joining, photo, photoText, pool,
            identifier, relation, favouriteActivity, favourite, followActivity, follow, postActivity, post
    }

    private var generator: SplitMix64

    init(seed: UInt64, stream: Stream, entity: Int) {
        let purpose = SplitMix64.mix(seed &+ stream.rawValue &* 0xD1B5_4A32_D192_ED03)
        generator = SplitMix64(
            seed: SplitMix64.mix(purpose &+ UInt64(truncatingIfNeeded: entity) &* SplitMix64.goldenStep))
    }

    /// Returns the next 64 random bits.
    mutating func next() -> UInt64 { generator.next() }

    /// Returns a number in 0 ..< bound; its bias, at most bound / 2⁶⁴, is far below anything visible.
    mutating func below(_ bound: Int) -> Int {
        Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(bound)).high)
    }

    /// Returns a number in [0, 1), a multiple of 2⁻⁵³.
    mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// Returns a number in (0, 1], safe to divide by.
    mutating func positiveUnit() -> Double { Double((next() >> 11) + 1) * 0x1p-53 }

    /// Returns true in `permille` of 1000 cases.
    mutating func chance(_ permille: Int) -> Bool { below(1000) < permille }

    /// Returns one of a collection's elements, all equally likely; the collection is not empty.
    mutating func element<Element>(of choices: [Element]) -> Element { choices[below(choices.count)] }
}

/// Shares a total among weights in whole numbers, exactly.
enum Quotas {
    /// Returns whole shares in proportion to the weights, none above the cap, which add up to the total.
    ///
    /// The excess of shares above the cap goes to the rest in proportion. Each share is its exact value rounded up or
    /// down. Running sums decide which, so that no rounding piles up.
    ///
    /// - Parameters:
    ///   - total: the sum of the shares, at most weights × cap.
    ///   - weights: the weights, positive.
    ///   - cap: the largest share (inclusive).
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

    /// Returns the least weight that gets the cap, and the number of weights from it upwards.
    private static func largestUncapped(total: Int, weights: [Double], cap: Int) -> (weight: Double, capped: Int) {
        var limit = (weight: Double.infinity, capped: 0)
        while true {
            let free = weights.reduce(0) { $1 < limit.weight ? $0 + $1 : $0 }
            guard free > 0 else { return limit }
            // A share of exactly the cap is capped too: rounding up could never pass it.
            let weight = Double(cap) / (Double(total - limit.capped * cap) / free)
            guard weight < limit.weight else { return limit }
            let capped = weights.reduce(0) { $1 >= weight ? $0 + 1 : $0 }
            guard capped > limit.capped else { return limit }
            limit = (weight, capped)
        }
    }
}
