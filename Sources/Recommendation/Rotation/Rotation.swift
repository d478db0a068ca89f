import Glibc
import Model

/// Changes the order every few hours at little cost in relevance: noise that grows towards the end of the list.
///
/// s · exp(z (G − .577) β) with z = 1 − .999 s/s₁, β = ν √max(.05, ln(s₁₀/s₄₀)) and Gumbel noise G (Gumbel-max
/// sampling; Yellott 1977). Steeply falling scores need more noise for the same change, which costs more; the square
/// root trades change against loss. From one bucket to the next, the uniform number behind G advances by the golden
/// ratio: this changes more of the list at the same loss than a new random number, and shows all groups equally often
/// in the long run.
struct Rotation {
    /// The fractional part of the golden ratio times 2⁶⁴.
    private static let goldenStep: UInt64 = 0x9E37_79B9_7F4A_7C15
    /// The mean of Gumbel noise: Euler's constant.
    private static let meanNoise = 0.577_215_664_901_532_9
    /// The slope of the scores is measured from the tenth to the fortieth.
    private static let slopeBegin = 10
    private static let slopeEnd = 40

    /// The hash of each group's external id, from which its noise is made: the same from version to version.
    struct GroupHashes: Sendable {
        private let hashes: [UInt64]

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

    /// Adds noise to the adjusted scores, which must be above 0.
    ///
    /// - Parameter stickiness: how stable the best one's rank is: 1 keeps it first, 0 lets it move like all others.
    func apply(to candidates: inout [Candidate], stickiness: Double) {
        var leading = candidates
        Ranking.keepBest(Self.slopeEnd, of: &leading)
        Ranking.sort(&leading)
        guard !leading.isEmpty else { return }
        let strength = Strength(count: leading.count, configuration) { leading[$0].adjusted }
        add(strength, to: &candidates, stickiness: stickiness)
    }

    /// How much noise there is, as the scores of a list say.
    struct Strength {
        fileprivate let bestScore: Double
        /// The scale of the noise, β.
        fileprivate let scale: Double

        /// - Parameters:
        ///   - count: of the list, above 0.
        ///   - score: at a position of the list, best first.
        init(count: Int, _ configuration: PlanConfiguration.Rotation, score: (_ position: Int) -> Double) {
            bestScore = score(0)
            let slope = log(score(min(slopeBegin, count) - 1) / score(min(slopeEnd, count) - 1))
            scale = max(configuration.leastSlope, slope).squareRoot() * configuration.noise
        }
    }

    /// Multiplies the adjusted scores by noise.
    func add(_ strength: Strength, to candidates: inout [Candidate], stickiness: Double) {
        // Read all at once, the hashes come from memory side by side.
        let groupHashes = candidates.map { hashes[$0.group] }
        for position in candidates.indices {
            let looseness = 1 - stickiness * candidates[position].adjusted / strength.bestScore
            candidates[position].take(noise: exp(looseness * strength.scale * noise(ofHash: groupHashes[position])))
        }
    }

    /// The noise of a group in this bucket, with a mean of 0.
    func noise(of group: UInt32) -> Double { noise(ofHash: hashes[group]) }

    /// - Parameter groupHash: the hash of the group.
    private func noise(ofHash groupHash: UInt64) -> Double {
        let hash = KeyedHash.hash(groupHash, key: memberKey)
        let stepped = hash &+ UInt64(bitPattern: bucket) &* Self.goldenStep
        // Half a step above 52 bits: strictly between 0 and 1.
        let uniform = (Double(stepped >> 12) + 0.5) * 0x1p-52
        return -log(-log(uniform)) - Self.meanNoise
    }
}

/// The secret that makes each member's rotation different and unpredictable.
public struct RotationKey: Sendable, Equatable {
    /// The two words of the key.
    public let words: (UInt64, UInt64)

    /// A key of two words: the same on all daemons, and used for nothing else.
    public init(_ first: UInt64, _ second: UInt64) { words = (first, second) }

    /// The key written as 32 hexadecimal digits; nil for any other text.
    public init?(hexadecimal text: String) {
        guard text.utf8.count == 32, text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
            let first = UInt64(text.prefix(16), radix: 16), let second = UInt64(text.suffix(16), radix: 16)
        else { return nil }
        self.init(first, second)
    }

    /// Equal if both words are equal.
    public static func == (left: Self, right: Self) -> Bool { left.words == right.words }

    /// The key of a member, from the id and the request's seed.
    func member(_ userID: String, seed: UInt64) -> (UInt64, UInt64) {
        let first = KeyedHash.hash(userID.utf8, key: words)
        return (first, KeyedHash.hash(userID.utf8, key: (first, words.1 ^ seed)))
    }
}

/// The periods in which a member's order does not change.
enum RotationBucket {
    /// The number of the bucket of an instant.
    ///
    /// All buckets are equally long; different members' buckets begin at different times.
    ///
    /// - Parameters:
    ///   - instant: in Unix milliseconds.
    ///   - memberKey: the member's key.
    ///   - milliseconds: the length of a bucket, above 0.
    static func number(atMilliseconds instant: Int64, memberKey: (UInt64, UInt64), milliseconds: Int64) -> Int64 {
        let shift = Int64(memberKey.0 % UInt64(milliseconds))
        let (quotient, remainder) = (instant + shift).quotientAndRemainder(dividingBy: milliseconds)
        return remainder < 0 ? quotient - 1 : quotient
    }
}

extension Rotation {
    /// How many of the groups that fill up a list change their order; those after them never come to the first page.
    static let tailLength = 100

    /// How the order of groups that fill up a list changes.
    enum Tail {
        /// As that of candidates: the best stays where it is.
        case whole
        /// As that of candidates behind the best.
        case following
        /// Drawn in proportion to the scores (Gumbel-max sampling), behind others that hardly leave them any room.
        case drawn
    }

    /// Groups that fill up a list, their first hundred in the order of the bucket.
    ///
    /// - Parameters:
    ///   - groups: best first.
    ///   - score: of the group at a position, above 0; asked for the first hundred.
    ///   - isWanted: whether a group is needed; the order of those that are is that of all.
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
