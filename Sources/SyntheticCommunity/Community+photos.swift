/// What a photo shows, where and when.
struct Photo {
    /// Index of `Theme.all`.
    let theme: Int
    /// Index of the theme's subjects.
    let subject: Int
    /// Index of `Place.all`.
    let place: Int
    /// The instant it was taken.
    let taken: Int
    /// The instant it was uploaded, not before it was taken.
    let uploaded: Int
    let isPrivate: Bool
    /// The position in the owner's memberships of the group that it was taken for; nil when there is none.
    let anchor: Int?
}

/// What a user's photos show: mostly something for a group that the user joined.
extension Community {
    /// How many of 1000 photos are taken with a group in mind.
    static let anchoredPermille = 850
    /// How many of 1000 photos only their owner may see.
    static let privatePermille = 80

    /// Draws one photo.
    ///
    /// - Parameter memberships: the owner's.
    func photo(_ index: Int, of member: Member, _ memberships: MembershipWorkspace) -> Photo {
        var random = EntityRandom(seed: parameters.seed, stream: .photo, entity: index)
        var anchor: Int?
        if memberships.count > 0, random.chance(Self.anchoredPermille) {
            let position = random.below(memberships.count)
            // Groups that take anything inspire nothing.
            if Int(table.groups[memberships.groups[position]].theme) != Theme.anythingIndex { anchor = position }
        }
        let interest = member.interest(&random)
        let group = anchor.map { table.groups[memberships.groups[$0]] }
        let theme = group.map { Int($0.theme) } ?? interest.theme
        let subject = group?.subject.map { Int($0) } ?? subject(theme: theme, interest, &random)
        let place = group?.place.map { Int($0) } ?? place(theme: theme, member, &random)
        let taken = taken(theme: theme, place: place, &random)
        let uploaded = uploaded(taken: taken, arrival: member.arrival, &random)
        return Photo(
            theme: theme, subject: subject, place: place, taken: taken, uploaded: uploaded,
            isPrivate: random.chance(Self.privatePermille), anchor: anchor)
    }

    private func subject(theme: Int, _ interest: Member.Interest, _ random: inout EntityRandom) -> Int {
        if theme == interest.theme, random.chance(600) { return interest.subject }
        return random.below(Theme.all[theme].subjects.count)
    }

    /// Mostly at home for a theme of cities, in the member's region for one of regions.
    private func place(theme: Int, _ member: Member, _ random: inout EntityRandom) -> Int {
        let kinds = Theme.all[theme].placeKinds
        if kinds.isEmpty || kinds.contains(.city) { return random.chance(750) ? member.home : member.region }
        if kinds.contains(.region) { return member.region }
        // To see the aurora a member travels north, always to the same place.
        return Place.northern[(member.home + member.region) % Place.northern.count]
    }

    private func taken(theme: Int, place: Int, _ random: inout EntityRandom) -> Int {
        let curve = Timeline.curve(Theme.all[theme].season, southern: Place.all[place].isSouthern)
        // The sun is an hour earlier for every 15 degrees to the east, and the times are in UTC.
        let ahead = Place.all[place].longitude * 240 / 100_000
        let local = timeline.instant(
            curve: curve, hours: Theme.all[theme].hours, from: max(0, ahead), to: Timeline.end + min(0, ahead), &random)
        return local - ahead
    }

    /// Half are uploaded within a day, the others up to sixty days later, most of them soon.
    private func uploaded(taken: Int, arrival: Int, _ random: inout EntityRandom) -> Int {
        let earliest = max(taken, arrival)
        let share = random.unit()
        let longest = Double(min(60 * Timeline.day, Timeline.end - earliest))
        let delay = random.chance(500) ? share * min(longest, Double(Timeline.day)) : share * share * share * longest
        return earliest + Int(delay)
    }
}
