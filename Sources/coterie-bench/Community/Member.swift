/// A user's interests and places, derived from the seed and the user's number.
struct Member {
    /// An interest of a member.
    struct Interest {
        /// The index of the theme in `Theme.all`.
        let theme: Int
        /// The member's favourite subject, as an index of the theme's subjects.
        let subject: Int
    }

    /// One to five interests, the strongest first; no two of one theme.
    let interests: [Interest]
    /// The city where the member lives, as an index of `Place.all`.
    let home: Int
    /// A region near home where the member often goes, as an index of `Place.all`.
    let region: Int
    /// The instant at which the member arrived in the community.
    let arrival: Int

    /// The numbers of interests of 15 typical members.
    private static let interestCounts = [1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 5]

    /// Draws a member.
    ///
    /// - Parameter atLeast: the number of interests needed for all the groups that the member joins.
    init(_ user: Int, seed: UInt64, themes: ChoiceTable, atLeast: Int) {
        var random = EntityRandom(seed: seed, stream: .member, entity: user)
        let count = min(5, max(atLeast, random.element(of: Self.interestCounts)))
        var interests: [Interest] = []
        while interests.count < count {
            guard let theme = themes.pick(bucket: 0, &random) else { break }
            if theme == Theme.anythingIndex || interests.contains(where: { $0.theme == theme }) { continue }
            interests.append(Interest(theme: theme, subject: random.below(Theme.all[theme].subjects.count)))
        }
        self.interests = interests
        let cities = Place.cities.count
        home = min(random.below(cities), random.below(cities))
        region = random.element(of: Place.regionsNearCities[home])
        // About a third is there from the beginning; the others arrive until a month before the end, more of them
        // early.
        let share = random.unit()
        arrival = random.chance(350) ? 0 : Int(share * share * Double(Timeline.end - 30 * Timeline.day))
    }

    /// Draws an interest: each is twice as likely as the next.
    func interest(_ random: inout EntityRandom) -> Interest {
        var index = 0
        while index + 1 < interests.count, random.chance(500) { index += 1 }
        return interests[index]
    }
}

/// The numbers of groups and of photos of each user, both with heavy tails.
struct Activity {
    /// The number of groups that each user joins; the sum is the number of memberships.
    let membershipCounts: [UInt32]
    /// The number of each user's photos; the sum is the number of photos.
    let photoCounts: [UInt32]

    /// The activity of the most active member, at most about this multiple of the average.
    static let heaviest = 150.0
    /// The mean of a weight before it levels off.
    private static let meanWeight = 3.1

    init(_ parameters: CommunityParameters) {
        let users = parameters.users
        // Nobody is in more than a sixth of the groups, unless the number of memberships requires it.
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

    /// Draws a weight from a shifted Pareto law with exponent 1 + 4/3 that levels off at a multiple of its mean.
    ///
    /// Only square roots are used, because they are exact on every machine, unlike other powers. The law levels off
    /// smoothly, because a sharp cap would give many members exactly the same number.
    static func weight(ceiling: Double, _ random: inout EntityRandom) -> Double {
        let root = random.positiveUnit().squareRoot()
        let pareto = 1 / (root * root.squareRoot()) - 0.9
        return pareto / (1 + pareto / (ceiling * meanWeight))
    }
}

/// The names and identifiers of users.
struct UserNames {
    private let seed: UInt64
    /// The number of possible identifiers, 0 ..< `span`: a power of 36 well above the number of users.
    private let span: Int
    private let digits: Int
    private let firstNames = Vocabulary.embedded.firstNames
    private let lastNames = Vocabulary.embedded.lastNames
    private let firstSlugs = Vocabulary.embedded.firstNames.map { Array(PlainText.slug($0).utf8) }

    init(users: Int, seed: UInt64) {
        self.seed = seed
        var digits = 3
        var span = 36 * 36 * 36
        while span < users * 3 {
            digits += 1
            span *= 36
        }
        (self.span, self.digits) = (span, digits)
    }

    /// Returns the first and the last name; several users may have the same.
    func name(of user: Int) -> String {
        let (first, last) = indices(of: user)
        return "\(firstNames[first]) \(lastNames[last])"
    }

    /// Returns a unique identifier: the first name and a number in base 36.
    func identifier(of user: Int) -> [UInt8] {
        var identifier = firstSlugs[indices(of: user).first]
        identifier.append(UInt8(ascii: "-"))
        // The factor has no divisor in common with 36, and so none with the span: no two users get the same number.
        let offset = Int(truncatingIfNeeded: seed % UInt64(span))
        var number = (user &* 25_214_903_917 &+ offset) % span
        for _ in 0..<digits {
            identifier.append(Self.alphabet[number % 36])
            number /= 36
        }
        return identifier
    }

    private static let alphabet = Array("0123456789abcdefghijklmnopqrstuvwxyz".utf8)

    private func indices(of user: Int) -> (first: Int, last: Int) {
        var random = EntityRandom(seed: seed, stream: .identifier, entity: user)
        return (random.below(firstNames.count), random.below(lastNames.count))
    }
}
