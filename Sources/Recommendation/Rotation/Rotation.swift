import Glibc
import Model

/// A new order every few hours that costs little relevance: noise that grows towards the end of the list.
///
/// s · exp(z (G − .577) / β) with z = √(1 − .999 s/s₁), β = κ / √max(.05, ln(s₁₀/s₄₀)) and Gumbel noise G (Gumbel-max
/// sampling; Yellott 1977). Where scores fall steeply more noise changes as much, but costs more; the root is between as
/// much change and as much loss for everybody. From one bucket to the next the uniform number below G makes a golden step, which changes
/// more of the list at the same loss than a fresh one, and shows every group equally often in the long run.
struct Rotation {
    /// The fractional part of the golden ratio as a part of 2⁶⁴.
    private static let goldenStep: UInt64 = 0x9E37_79B9_7F4A_7C15
    /// The mean of Gumbel noise: Euler's constant.
    private static let meanNoise = 0.577_215_664_901_532_9
    /// How steeply scores fall is seen from the tenth to the fortieth.
    private static let slopeBegin = 10
    private static let slopeEnd = 40

    /// What the noise of each group is made from, by its external id: the same from version to version.
    struct GroupHashes: Sendable {
        private let hashes: [UInt64]

        /// - Complexity: O(groups).
        init(_ model: ModelVersion, key: RotationKey) {
            hashes = (0..<model.groupCount).map { group in
                unsafe model.withIDBytes(of: group) { unsafe KeyedHash.hash($0, key: key.words) }
            }
        }

        @inline(__always)
        subscript(group: UInt32) -> UInt64 { hashes[Int(group)] }
    }

    let memberKey: (UInt64, UInt64)
    let bucket: Int64
    let configuration: PlanConfiguration.Rotation

    /// Disturbs the adjusted scores, which must be above 0.
    func apply(to candidates: inout [Candidate], _ hashes: GroupHashes) {
        var leading = candidates
        Ranking.keepBest(Self.slopeEnd, of: &leading)
        Ranking.sort(&leading)
        guard let best = leading.first?.adjusted, let last = leading.last?.adjusted else { return }
        let slope = log(leading[min(Self.slopeBegin, leading.count) - 1].adjusted / last)
        let scale = max(configuration.leastSlope, slope).squareRoot() / configuration.kappa
        for position in candidates.indices {
            let score = candidates[position].adjusted
            let looseness = (1 - configuration.stickiness * score / best).squareRoot()
            let hash = KeyedHash.hash(hashes[candidates[position].group], key: memberKey)
            candidates[position].adjusted = score * exp(looseness * (gumbel(hash) - Self.meanNoise) * scale)
        }
    }

    private func gumbel(_ hash: UInt64) -> Double {
        let stepped = hash &+ UInt64(bitPattern: bucket) &* Self.goldenStep
        // 52 bits and a half: strictly between 0 and 1.
        let uniform = (Double(stepped >> 12) + 0.5) * 0x1p-52
        return -log(-log(uniform))
    }
}
