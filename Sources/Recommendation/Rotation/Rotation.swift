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

    let memberKey: (UInt64, UInt64)
    let bucket: Int64
    let configuration: PlanConfiguration.Rotation

    /// Disturbs the adjusted scores, which must be in order, best first, and above 0.
    func apply(to candidates: inout [Candidate], in model: ModelVersion) {
        guard let best = candidates.first?.adjusted else { return }
        let last = candidates.count - 1
        let slope = log(candidates[min(9, last)].adjusted / candidates[min(39, last)].adjusted)
        let scale = max(configuration.leastSlope, slope).squareRoot() / configuration.kappa
        let hashes = hashes(of: candidates, in: model)
        for place in candidates.indices {
            let score = candidates[place].adjusted
            let looseness = (1 - configuration.stickiness * score / best).squareRoot()
            let noise = gumbel(hashes[place]) - Self.meanNoise
            candidates[place].adjusted = score * exp(looseness * noise * scale)
        }
    }

    /// The keyed hashes of the groups' ids.
    private func hashes(of candidates: [Candidate], in model: ModelVersion) -> [UInt64] {
        // Ids lie all over a model that is larger than the caches. Their first bytes are read with nothing in between, so
        // that the waits for memory overlap; they are checked lest the reads be left out.
        let seen = candidates.reduce(0 as UInt8) { seen, candidate in
            unsafe model.withIDBytes(of: Int(candidate.group)) { unsafe seen | $0[0] }
        }
        precondition(candidates.isEmpty || seen != 0, "ids have no zero bytes")
        return candidates.map { candidate in
            unsafe model.withIDBytes(of: Int(candidate.group)) { unsafe KeyedHash.hash($0, key: memberKey) }
        }
    }

    private func gumbel(_ hash: UInt64) -> Double {
        let stepped = hash &+ UInt64(bitPattern: bucket) &* Self.goldenStep
        // 52 bits and a half: strictly between 0 and 1.
        let uniform = (Double(stepped >> 12) + 0.5) * 0x1p-52
        return -log(-log(uniform))
    }
}
