/// The arms of an experiment as ranges of buckets.
struct ArmTable: Sendable {
    /// The first bucket behind each arm.
    private let ends: [UInt32]

    /// Arms in proportion to weights above 0: each ends at the bucket ⌊10,000 × (sum up to it) ÷ (sum of all) + ½⌋.
    init(weights: [Double]) {
        let sum = weights.reduce(0, +)
        var part = 0.0
        ends = weights.map { weight in
            part += weight
            return Self.bucket(at: part / sum)
        }
    }

    /// The arm of a bucket.
    func arm(of bucket: MemberBucket) -> Int { ends.firstIndex { bucket.index < $0 } ?? ends.count - 1 }

    /// The first bucket that is not below a fraction, to the nearest.
    static func bucket(at fraction: Double) -> UInt32 {
        UInt32((Double(MemberBucket.count) * fraction + 0.5).rounded(.down))
    }
}
