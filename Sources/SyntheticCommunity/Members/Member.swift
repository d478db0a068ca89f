/// A user's interests and places, worked out from the user's number alone.
struct Member {
    /// Something a member is interested in.
    struct Interest {
        /// Index of `Theme.all`.
        let theme: Int
        /// Index of the theme's subjects: what the member likes best in it.
        let subject: Int
    }

    /// One to five, the strongest first, themes differ.
    let interests: [Interest]
    /// The city the member lives in, as an index of `Place.all`.
    let home: Int
    /// A region near home the member often goes to, as an index of `Place.all`.
    let region: Int
    /// The instant the member arrived in the community.
    let arrival: Int

    /// How many of 15 members have one, two, three, four and five interests.
    private static let interestCounts = [1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 5]

    /// - Parameter atLeast: how many interests it takes for all the groups that the member joins.
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
        // A third was there from the beginning; the rest arrives until a month before the end, rather early.
        let share = random.unit()
        arrival = random.chance(350) ? 0 : Int(share * share * Double(Timeline.end - 30 * Timeline.day))
    }

    /// Draws an interest: each is twice as strong as the next.
    func interest(_ random: inout EntityRandom) -> Interest {
        var index = 0
        while index + 1 < interests.count, random.chance(500) { index += 1 }
        return interests[index]
    }
}
