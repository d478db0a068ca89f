import Model

/// The facts of a group that decide its members and photos; small, because the hot loops read all groups.
struct Group {
    /// The index of the theme in `Theme.all`.
    let theme: UInt8
    /// The index of the subject among the theme's subjects, or `nil` if the group takes the whole theme.
    let subject: UInt8?
    /// The index of the place in `Place.all`, or `nil` if the group is about no place.
    let place: UInt16?
    /// The instant at which the group was founded.
    let created: UInt32
    /// The instant from which nobody joins or posts; for a living group, the end of the timeline.
    let activeUntil: UInt32
    /// A group of nearly the same name that some of the members join as well.
    var twin: UInt32?
    /// The number out of 1000 members of the original who join this twin; 0 for a group that is no twin.
    let twinPermille: UInt16
    let isPrivate: Bool
    let joinPolicy: JoinPolicy
}

/// All groups of a community, with their popularity.
struct GroupTable {
    private(set) var groups: [Group] = []
    private(set) var titles: [String] = []
    private(set) var descriptions: [String] = []
    /// The identifiers in UTF-8, because they are copied into millions of lines.
    private(set) var identifiers: [[UInt8]] = []
    /// The probability of joining each group, relative to the others of its theme.
    private var popularity: [Double] = []

    /// The number out of 1000 groups that are founded beside one of nearly the same name.
    static let duplicatePermille = 35

    /// Creates groups of all themes, in proportion to the themes' popularity and in shuffled order.
    init(count: Int, seed: UInt64) {
        var order = Self.themes(count: count)
        var shuffling = EntityRandom(seed: seed, stream: .groupOrder, entity: 0)
        for index in order.indices.reversed() { order.swapAt(index, shuffling.below(index + 1)) }
        var naming = GroupNaming()
        var groupsOfTheme: [[Int]] = Array(repeating: [], count: Theme.all.count)
        for (index, theme) in order.enumerated() {
            var random = EntityRandom(seed: seed, stream: .group, entity: index)
            let original = random.chance(Self.duplicatePermille) ? original(in: groupsOfTheme[theme], &random) : nil
            if let original, let name = naming.duplicate(of: titles[original], &random) {
                groups[original].twin = UInt32(index)
                groups.append(Self.duplicate(of: groups[original], &random))
                titles.append(name.title)
                descriptions.append(name.description)
                popularity.append(popularity[original] * 0.1)
            } else {
                let name = naming.name(theme: theme, &random)
                let group = Self.group(theme: theme, name: name, rank: groupsOfTheme[theme].count, &random)
                groups.append(group)
                titles.append(name.title)
                descriptions.append(name.description)
                popularity.append(Self.popularity(rank: groupsOfTheme[theme].count, of: group, &random))
            }
            groupsOfTheme[theme].append(index)
            identifiers.append(Array(naming.identifier(for: titles[index]).utf8))
        }
    }

    /// Returns the weight of every group in the whole community.
    func weights() -> [Double] {
        var totals = Array(repeating: 0.0, count: Theme.all.count)
        for (group, weight) in zip(groups, popularity) { totals[Int(group.theme)] += weight }
        return zip(groups, popularity).map { group, weight in
            weight / totals[Int(group.theme)] * Self.themeWeight(Int(group.theme))
        }
    }

    /// Returns the weight of a theme: Zipf's law, with a shift that keeps the first few close together.
    static func themeWeight(_ theme: Int) -> Double { 1 / Double(theme + 4) }

    private static func themes(count: Int) -> [Int] {
        // Groups that take any photo are few and large.
        let weights = Theme.all.indices.map { $0 == Theme.anythingIndex ? themeWeight($0) / 2 : themeWeight($0) }
        return Quotas.shares(of: count, weights: weights, cap: count)
            .enumerated().flatMap { Array(repeating: $0.offset, count: Int($0.element)) }
    }

    /// Returns one of the theme's more popular living groups that has no twin yet, if there is one.
    private func original(in theme: [Int], _ random: inout EntityRandom) -> Int? {
        let candidates = theme.prefix(8 + theme.count / 4).filter {
            groups[$0].twin == nil && groups[$0].twinPermille == 0 && groups[$0].activeUntil == UInt32(Timeline.end)
                && !groups[$0].isPrivate
        }
        return candidates.isEmpty ? nil : random.element(of: candidates)
    }

    private static func group(theme: Int, name: GroupNaming.Name, rank: Int, _ random: inout EntityRandom) -> Group {
        // The age is squared: most groups are old, and the best known are among the oldest. None is founded in the last
        // week, so that each has time to live.
        let age = random.unit()
        let youngest = Double(Timeline.end - 7 * Timeline.day) * min(1, 0.2 + 0.08 * Double(rank))
        let created = Int(youngest * age * age)
        let isPrivate = rank > 0 && random.chance(55)
        let dies = rank > 1 && random.chance(120)
        let life = Double(Timeline.end - created) * (0.15 + 0.5 * random.unit())
        let policy = random.below(100)
        let joinPolicy: JoinPolicy =
            isPrivate
            ? (policy < 60 ? .invite : .approval)
            : policy < 84 || rank < 2 ? .open : policy < 97 || rank < 6 ? .approval : .invite
        return Group(
            theme: UInt8(theme), subject: name.subject.map { UInt8($0) }, place: name.place.map { UInt16($0) },
            created: UInt32(created), activeUntil: UInt32(dies ? created + Int(life) : Timeline.end), twin: nil,
            twinPermille: 0, isPrivate: isPrivate, joinPolicy: joinPolicy)
    }

    private static func duplicate(of original: Group, _ random: inout EntityRandom) -> Group {
        let latest = Timeline.end - 7 * Timeline.day
        let created = Int(original.created) + Int(Double(max(0, latest - Int(original.created))) * random.unit() * 0.5)
        return Group(
            theme: original.theme, subject: original.subject, place: original.place, created: UInt32(created),
            activeUntil: UInt32(Timeline.end), twin: nil, twinPermille: UInt16(500 + random.below(420)),
            isPrivate: false, joinPolicy: .open)
    }

    /// Returns the popularity of a group: a power law with exponent 5/4 over the ranks in a theme.
    ///
    /// Noise makes the ranks of different themes differ. A group about one subject or one place attracts fewer members
    /// than one that takes a whole theme.
    private static func popularity(rank: Int, of group: Group, _ random: inout EntityRandom) -> Double {
        let noise = min(4, 1 / random.positiveUnit().squareRoot())
        let vitality = group.activeUntil == UInt32(Timeline.end) ? 1 : 0.3
        let openness = group.isPrivate ? 0.4 : 1
        let breadth = (group.subject == nil ? 1 : 0.4) * (group.place == nil ? 1 : 0.4)
        let rank = Double(rank + 1)
        return noise * vitality * openness * breadth / (rank * rank.squareRoot().squareRoot())
    }
}
