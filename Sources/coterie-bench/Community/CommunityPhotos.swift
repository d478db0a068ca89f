/// A photo's motif, place and times.
struct Photo {
    /// The index of the theme in `Theme.all`.
    let theme: Int
    /// The index of the subject among the theme's subjects.
    let subject: Int
    /// The index of the place in `Place.all`.
    let place: Int
    /// The instant at which the photo was taken.
    let taken: Int
    /// The instant at which the photo was uploaded, not before it was taken.
    let uploaded: Int
    let isPrivate: Bool
    /// The position, in the owner's memberships, of the group for which it was taken, or `nil` if there is none.
    let anchor: Int?
}

/// The motifs of a user's photos: mostly something for a group that the user joined.
extension Community {
    /// The number out of 1000 photos that are taken with a group in mind.
    static let anchoredPermille = 850
    /// The number out of 1000 photos that only their owner may see.
    static let privatePermille = 80

    func photo(_ index: Int, of member: Member, _ memberships: MembershipWorkspace) -> Photo {
        var random = EntityRandom(seed: parameters.seed, stream: .photo, entity: index)
        var anchor: Int?
        if memberships.count > 0, random.chance(Self.anchoredPermille) {
            let position = random.below(memberships.count)
            // Groups that take any photo inspire none.
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

    /// Returns a place: mostly the member's home for a theme of cities, the member's region for one of regions.
    private func place(theme: Int, _ member: Member, _ random: inout EntityRandom) -> Int {
        let kinds = Theme.all[theme].placeKinds
        if kinds.isEmpty || kinds.contains(.city) { return random.chance(750) ? member.home : member.region }
        if kinds.contains(.region) { return member.region }
        // A member travels north to see the aurora, always to the same place.
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

    /// Draws the instant of upload: half within a day, the others up to sixty days later, most of them soon.
    private func uploaded(taken: Int, arrival: Int, _ random: inout EntityRandom) -> Int {
        let earliest = max(taken, arrival)
        let share = random.unit()
        let longest = Double(min(60 * Timeline.day, Timeline.end - earliest))
        let delay = random.chance(500) ? share * min(longest, Double(Timeline.day)) : share * share * share * longest
        return earliest + Int(delay)
    }
}

/// The groups to which a photo is posted, among its owner's groups that it fits, and the times of posting.
extension Community {
    /// The number out of 1000 groups of another subject that the owner considers in the first round.
    static let otherSubjectPermille = 350
    /// The number out of 1000 groups joined after the upload that the owner considers in the first round.
    static let joinedLaterPermille = 400
    /// The number out of 1000 posted photos that also go to a group for any photo.
    static let anythingPermille = 250

    /// The greatest number of photos to which the demand for pool entries is fitted.
    static let fittedPhotos = 20_000

    func forEachPoolEntry(_ visit: (_ group: Int, _ photo: Int, _ added: Int) throws -> Void) rethrows {
        guard parameters.pools > 0 else { return }
        var chosen: [Int] = []
        try forEachUser(where: { !$0.photos.isEmpty }) { user, member, memberships in
            dateMemberships(of: user, member, in: &memberships)
            for index in user.photos {
                var random = poolRandom(photo: index)
                let wanted = poolDemand.draw(&random)
                guard wanted > 0 else { continue }
                let photo = photo(index, of: member, memberships)
                choosePools(wanted, for: photo, memberships, into: &chosen, &random)
                for position in chosen {
                    let group = memberships.groups[position]
                    let added = addedToPool(photo, joined: memberships.joined[position], group: group, &random)
                    try visit(group, index, added)
                }
            }
        }
    }

    /// Fits the demand for pool entries to photos at equal distances.
    func fittedDemand() -> PoolDemand {
        guard parameters.pools > 0 else { return .none }
        let stride = max(1, parameters.photos / Self.fittedPhotos)
        func isInSample(_ photo: Int) -> Bool { photo % stride == 0 }
        var sample: [(available: Int, random: EntityRandom)] = []
        forEachUser(where: { $0.photos.contains(where: isInSample) }) { user, member, memberships in
            for index in user.photos where isInSample(index) {
                let available = availablePools(for: photo(index, of: member, memberships), memberships)
                sample.append((available, poolRandom(photo: index)))
            }
        }
        return .fitted(entriesPerPhoto: Double(parameters.pools) / Double(parameters.photos), sample: sample)
    }

    /// Returns the random numbers for a photo's pool entries.
    func poolRandom(photo index: Int) -> EntityRandom {
        EntityRandom(seed: parameters.seed, stream: .pool, entity: index)
    }

    /// Chooses groups for a photo: as many as wanted, or all that take it.
    ///
    /// - Parameters:
    ///   - memberships: the owner's memberships, arranged by theme.
    ///   - chosen: emptied, then filled with different positions in the memberships.
    /// - Complexity: O(wanted) on average; O(groups of the theme joined × wanted) when they run short.
    func choosePools(
        _ wanted: Int, for photo: Photo, _ memberships: MembershipWorkspace, into chosen: inout [Int],
        _ random: inout EntityRandom
    ) {
        chosen.removeAll(keepingCapacity: true)
        guard wanted > 0 else { return }
        if let anchor = photo.anchor, takes(memberships.groups[anchor], photo) { chosen.append(anchor) }
        if chosen.count < wanted, random.chance(Self.anythingPermille) {
            walk(Theme.anythingIndex, photo, memberships, until: chosen.count + 1, choosy: false, &chosen, &random)
        }
        walk(photo.theme, photo, memberships, until: wanted, choosy: true, &chosen, &random)
        walk(photo.theme, photo, memberships, until: wanted, choosy: false, &chosen, &random)
        walk(Theme.anythingIndex, photo, memberships, until: wanted, choosy: false, &chosen, &random)
    }

    /// Returns the number of groups that would take a photo; `choosePools` never chooses more.
    func availablePools(for photo: Photo, _ memberships: MembershipWorkspace) -> Int {
        [photo.theme, Theme.anythingIndex].reduce(0) { sum, theme in
            let range = memberships.themeOffsets[theme]..<memberships.themeOffsets[theme + 1]
            return range.reduce(sum) { takes(memberships.groups[memberships.positions[$1]], photo) ? $0 + 1 : $0 }
        }
    }

    /// Draws the instant at which a photo was added: often at once, otherwise within a month of the earliest time.
    func addedToPool(_ photo: Photo, joined: Int, group: Int, _ random: inout EntityRandom) -> Int {
        let earliest = max(photo.uploaded, joined)
        let share = random.unit()
        let delay = random.chance(600) ? share * 3600 : share * share * Double(30 * Timeline.day)
        let end = Int(table.groups[group].activeUntil)
        let instant = earliest + Int(delay)
        if instant < end { return instant }
        // The group was dead by then: the instant is within the first hour, or in the rest of the group's life.
        return earliest + Int(share * Double(min(3600, end - earliest)))
    }

    /// Returns whether a group takes a photo: a group of a place takes photos from there, and a dead group takes none.
    private func takes(_ index: Int, _ photo: Photo) -> Bool {
        let group = table.groups[index]
        guard Int(group.activeUntil) > photo.uploaded else { return false }
        guard let place = group.place else { return true }
        return Int(place) == photo.place
    }

    /// Returns whether an owner considers a group in the first round: rather one of the same subject, joined already.
    private func appeals(_ index: Int, _ photo: Photo, joined: Int, _ random: inout EntityRandom) -> Bool {
        if joined > photo.uploaded, !random.chance(Self.joinedLaterPermille) { return false }
        guard let subject = table.groups[index].subject, Int(subject) != photo.subject else { return true }
        return random.chance(Self.otherSubjectPermille)
    }

    /// Goes once round the joined groups of a theme, from a random one on, and chooses those that take the photo.
    ///
    /// - Parameter choosy: whether only groups are chosen that the owner considers in the first round.
    private func walk(
        _ theme: Int, _ photo: Photo, _ memberships: MembershipWorkspace, until wanted: Int, choosy: Bool,
        _ chosen: inout [Int], _ random: inout EntityRandom
    ) {
        let start = memberships.themeOffsets[theme]
        let count = memberships.themeOffsets[theme + 1] - start
        guard count > 0, chosen.count < wanted else { return }
        let turn = random.below(count)
        for step in 0..<count where chosen.count < wanted {
            let offset = turn + step
            let position = memberships.positions[start + (offset < count ? offset : offset - count)]
            let group = memberships.groups[position]
            guard takes(group, photo), !chosen.contains(position) else { continue }
            if choosy, !appeals(group, photo, joined: memberships.joined[position], &random) { continue }
            chosen.append(position)
        }
    }
}

/// The number of groups to which an owner would like to post a photo.
///
/// A photo is posted at all with a fixed probability. The number then has a heavy tail: a shifted Pareto law with
/// exponent 3. A multiplier stretches the tail to fit the intended number of entries.
struct PoolDemand {
    /// The greatest number of groups that a photo may be in, as on real sites (inclusive).
    static let limit = 60

    private let postedShare: Double
    private let multiplier: Double

    /// Creates a demand with a multiplier.
    ///
    /// - Parameters:
    ///   - entriesPerPhoto: the intended mean over all photos, also those that are never posted.
    ///   - multiplier: the factor of the tail.
    private init(entriesPerPhoto: Double, multiplier: Double) {
        postedShare = min(0.8, entriesPerPhoto * 0.75)
        self.multiplier = multiplier
    }

    /// The demand of a community in which nobody posts anything.
    static let none = PoolDemand(entriesPerPhoto: 0, multiplier: 0)

    /// Fits the multiplier by bisection: a sample of photos gets the intended mean.
    ///
    /// - Parameter sample: the number of groups that would take each photo of a sample, and the first random numbers of
    ///   its pool entries.
    static func fitted(entriesPerPhoto: Double, sample: [(available: Int, random: EntityRandom)]) -> PoolDemand {
        let aim = entriesPerPhoto * Double(sample.count)
        var low = 0.0
        var high = 256.0
        for _ in 0..<24 {
            let middle = (low + high) / 2
            let demand = PoolDemand(entriesPerPhoto: entriesPerPhoto, multiplier: middle)
            let entries = sample.reduce(0) { sum, photo in
                var random = photo.random
                return sum + min(photo.available, demand.draw(&random))
            }
            if Double(entries) < aim { low = middle } else { high = middle }
        }
        return PoolDemand(entriesPerPhoto: entriesPerPhoto, multiplier: high)
    }

    /// Draws the number of groups for one photo.
    func draw(_ random: inout EntityRandom) -> Int {
        let isPosted = random.unit() < postedShare
        let excess = 1 / random.positiveUnit().squareRoot() - 1
        guard isPosted else { return 0 }
        return min(1 + Int(multiplier * min(excess, 1000)), Self.limit)
    }
}
