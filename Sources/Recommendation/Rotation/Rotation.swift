import Glibc
import Model

/// Changes the order of a list every few hours with random noise, at little cost in relevance.
///
/// A score *s* becomes
///
///     s · exp(z (G − .577) β)
///     z = 1 − .999 s / s₁
///     β = ν √max(.05, ln(s₁₀ / s₄₀))
///
/// *s₁* is the best score, *G* is Gumbel noise (Gumbel-max sampling; Yellott 1977), and *ν* is a setting. The factor
/// *z* makes the noise grow towards the end of the list.
///
/// Steeply falling scores need more noise for the same change, and more noise costs more relevance. The square root in
/// *β* is a compromise between change and loss.
///
/// From one bucket to the next, the uniform number behind *G* advances by the golden ratio. At the same loss, this
/// changes more of the list than a new random number. In the long run it also shows all groups equally often.
struct Rotation {
    /// The fractional part of the golden ratio times 2⁶⁴.
    private static let goldenStep: UInt64 = 0x9E37_79B9_7F4A_7C15
    /// The mean of Gumbel noise: Euler's constant.
    private static let meanNoise = 0.577_215_664_901_532_9
    /// The ranks between which the slope of the scores is measured.
    private static let slopeBegin = 10
    private static let slopeEnd = 40

    /// The hash of each group's external id; the noise of the group is made from it.
    ///
    /// A group keeps its hash from version to version.
    struct GroupHashes: Sendable {
        private let hashes: [UInt64]

        /// Hashes the ids of all groups.
        ///
        /// - Complexity: O(groups).
        init(_ model: VisibleModel, key: RotationKey) {
            hashes = (0..<model.groupCount).map { group in
                unsafe model.withIDBytes(of: group) { unsafe KeyedHash.hash($0, key: key.words) }
            }
        }

        @inline(__always)
        subscript(group: UInt32) -> UInt64 { hashes[Int(group)] }
    }

    let memberKey: (UInt64, UInt64)
    let bucket: Int64
    let hashes: GroupHashes
    let configuration: PlanConfiguration.Rotation

    /// Multiplies the adjusted scores by noise, on a scale that follows from the best of them.
    ///
    /// - Parameters:
    ///   - candidates: the candidates in any order; their adjusted scores are above 0.
    ///   - stickiness: the stability of the best candidate: 1 gives it no noise, 0 as much as all others get.
    func apply(to candidates: inout [Candidate], stickiness: Double) {
        var leading = candidates
        Ranking.keepBest(Self.slopeEnd, of: &leading)
        Ranking.sort(&leading)
        guard !leading.isEmpty else { return }
        let strength = Strength(count: leading.count, configuration) { leading[$0].adjusted }
        add(strength, to: &candidates, stickiness: stickiness)
    }

    /// The scale of the noise for the scores of one list.
    struct Strength {
        fileprivate let bestScore: Double
        /// The scale of the noise, β.
        fileprivate let scale: Double

        /// Derives the scale from the scores of a list.
        ///
        /// - Parameters:
        ///   - count: the length of the list, above 0.
        ///   - score: returns the score at a position of the list, best first.
        init(count: Int, _ configuration: PlanConfiguration.Rotation, score: (_ position: Int) -> Double) {
            bestScore = score(0)
            let slope = log(score(min(slopeBegin, count) - 1) / score(min(slopeEnd, count) - 1))
            scale = max(configuration.leastSlope, slope).squareRoot() * configuration.noise
        }
    }

    /// Multiplies the adjusted scores by noise.
    func add(_ strength: Strength, to candidates: inout [Candidate], stickiness: Double) {
        // One pass over all hashes lets the processor fetch them from memory in parallel.
        let groupHashes = candidates.map { hashes[$0.group] }
        for position in candidates.indices {
            let looseness = 1 - stickiness * candidates[position].adjusted / strength.bestScore
            candidates[position].take(noise: exp(looseness * strength.scale * noise(ofHash: groupHashes[position])))
        }
    }

    /// Returns the noise of a group in this bucket; its mean is 0.
    func noise(of group: UInt32) -> Double { noise(ofHash: hashes[group]) }

    /// Returns the noise that a group with this hash has in this bucket.
    private func noise(ofHash groupHash: UInt64) -> Double {
        let hash = KeyedHash.hash(groupHash, key: memberKey)
        let stepped = hash &+ UInt64(bitPattern: bucket) &* Self.goldenStep
        // Half a step above 52 bits keeps the number strictly between 0 and 1.
        let uniform = (Double(stepped >> 12) + 0.5) * 0x1p-52
        return -log(-log(uniform)) - Self.meanNoise
    }
}

/// The secret that makes each member's rotation different and unpredictable.
package struct RotationKey: Sendable, Equatable {
    package let words: (UInt64, UInt64)

    /// Creates a key of two words; all daemons share it, and it serves no other purpose.
    package init(_ first: UInt64, _ second: UInt64) { words = (first, second) }

    /// Creates the key that is written as 32 hexadecimal digits, or `nil` for any other text.
    package init?(hexadecimal text: String) {
        guard text.utf8.count == 32, text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
            let first = UInt64(text.prefix(16), radix: 16), let second = UInt64(text.suffix(16), radix: 16)
        else { return nil }
        self.init(first, second)
    }

    /// Returns whether both words of two keys are equal.
    package static func == (left: Self, right: Self) -> Bool { left.words == right.words }

    /// Returns the key of a member, derived from the member's id and the seed of the request.
    func member(_ userID: String, seed: UInt64) -> (UInt64, UInt64) {
        let first = KeyedHash.hash(userID.utf8, key: words)
        return (first, KeyedHash.hash(userID.utf8, key: (first, words.1 ^ seed)))
    }
}

/// The periods in which a member's order does not change.
enum RotationBucket {
    /// Returns the number of the bucket that an instant belongs to.
    ///
    /// All buckets are equally long. The buckets of different members begin at different times.
    ///
    /// - Parameters:
    ///   - instant: the instant, in Unix milliseconds.
    ///   - milliseconds: the length of a bucket, above 0.
    static func number(atMilliseconds instant: Int64, memberKey: (UInt64, UInt64), milliseconds: Int64) -> Int64 {
        let shift = Int64(memberKey.0 % UInt64(milliseconds))
        let (quotient, remainder) = (instant + shift).quotientAndRemainder(dividingBy: milliseconds)
        return remainder < 0 ? quotient - 1 : quotient
    }
}

extension Rotation {
    /// The number of fill-up groups whose order changes; groups after them never reach the first page.
    static let tailLength = 100

    /// The amount of change in the order of groups that fill up a list.
    enum Tail {
        /// The change that candidates get: the best group hardly moves.
        case whole
        /// The change that candidates get far behind the best one.
        case following
        /// A draw in proportion to the scores (Gumbel-max sampling), for groups behind others that leave little room.
        case drawn
    }

    /// Returns groups that fill up a list, the first hundred of them in the order of the bucket.
    ///
    /// - Parameters:
    ///   - groups: the groups, best first.
    ///   - score: returns the score of the group at a position, above 0; called for the first hundred positions only.
    ///   - tail: the amount of change.
    ///   - isWanted: whether the list needs a group; unwanted groups do not affect the order of the others.
    func rotating(
        _ groups: [UInt32], score: (_ position: Int) -> Double, as tail: Tail,
        where isWanted: (UInt32) -> Bool = { _ in true }
    ) -> [UInt32] {
        let count = min(groups.count, Self.tailLength)
        guard count > 0 else { return [] }
        let strength = Strength(count: count, configuration, score: score)
        var leading: [Candidate] = []
        for position in 0..<count where isWanted(groups[position]) {
            leading.append(Candidate(group: groups[position], score: score(position), interest: 0))
        }
        switch tail {
        case .whole: add(strength, to: &leading, stickiness: configuration.stickiness)
        case .following: add(strength, to: &leading, stickiness: 0)
        case .drawn:
            for position in leading.indices {
                leading[position].take(noise: exp(configuration.tailNoise * noise(of: leading[position].group)))
            }
        }
        Ranking.sort(&leading)
        return leading.map(\.group) + groups.dropFirst(Self.tailLength).filter(isWanted)
    }
}
