/// How many groups each user joins and how many photos each has: both with heavy tails.
struct Activity {
    /// The number of memberships of each user; they add up to what was asked for.
    let membershipCounts: [UInt32]
    /// The number of photos of each user; they add up to what was asked for.
    let photoCounts: [UInt32]

    /// The most active member is this many times as active as the average, at most.
    static let heaviest = 150.0

    init(_ parameters: CommunityParameters) {
        let users = parameters.users
        let joining = (0..<users).map { user in
            var random = EntityRandom(seed: parameters.seed, stream: .userActivity, entity: user)
            return Self.weight(&random)
        }
        // Nobody is in most of the groups, unless so many memberships are asked for that it must be.
        let mean = users > 0 ? parameters.memberships / users + 1 : 0
        let cap = min(parameters.groups, max(parameters.groups / 4, 4 * mean, 1))
        membershipCounts = Quotas.shares(of: parameters.memberships, weights: joining, cap: cap)
        let posting = joining.enumerated().map { user, weight in
            var random = EntityRandom(seed: parameters.seed, stream: .photoActivity, entity: user)
            return (weight * Self.weight(&random)).squareRoot()
        }
        photoCounts = Quotas.shares(of: parameters.photos, weights: posting, cap: max(parameters.photos, 1))
    }

    /// A shifted Pareto law with exponent 1 + 4/3, from square roots only: these are exact on every machine.
    private static func weight(_ random: inout EntityRandom) -> Double {
        let root = random.positiveUnit().squareRoot()
        return min(1 / (root * root.squareRoot()) - 0.9, heaviest * 3.1)
    }
}
