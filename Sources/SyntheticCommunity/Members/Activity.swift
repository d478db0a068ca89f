/// How many groups each user joins and how many photos each has: both with heavy tails.
struct Activity {
    /// The number of memberships of each user; they add up to what was asked for.
    let membershipCounts: [UInt32]
    /// The number of photos of each user; they add up to what was asked for.
    let photoCounts: [UInt32]

    /// The most active member is about this many times as active as the average, at most.
    static let heaviest = 150.0
    /// The mean of a weight before it levels off.
    private static let meanWeight = 3.1

    init(_ parameters: CommunityParameters) {
        let users = parameters.users
        // Nobody is in most of the groups, unless so many memberships are asked for that it must be.
        let mean = users > 0 ? Double(parameters.memberships) / Double(users) : 0
        let cap = min(parameters.groups, max(parameters.groups / 6, Int(mean * 3) + 1))
        let ceiling = mean > 0 ? min(Self.heaviest, 0.4 * Double(cap) / mean) : Self.heaviest
        let joining = (0..<users).map { user in
            var random = EntityRandom(seed: parameters.seed, stream: .userActivity, entity: user)
            return Self.weight(ceiling: ceiling, &random)
        }
        membershipCounts = Quotas.shares(of: parameters.memberships, weights: joining, cap: cap)
        let posting = joining.enumerated().map { user, weight in
            var random = EntityRandom(seed: parameters.seed, stream: .photoActivity, entity: user)
            return (weight * Self.weight(ceiling: Self.heaviest, &random)).squareRoot()
        }
        photoCounts = Quotas.shares(of: parameters.photos, weights: posting, cap: max(parameters.photos, 1))
    }

    /// A shifted Pareto law with exponent 1 + 4/3 that levels off at a multiple of its mean.
    ///
    /// From square roots only: these are exact on every machine, other powers are not. It levels off
    /// smoothly, because a sharp cap would leave many members with exactly the same number.
    private static func weight(ceiling: Double, _ random: inout EntityRandom) -> Double {
        let root = random.positiveUnit().squareRoot()
        let pareto = 1 / (root * root.squareRoot()) - 0.9
        return pareto / (1 + pareto / (ceiling * meanWeight))
    }
}
