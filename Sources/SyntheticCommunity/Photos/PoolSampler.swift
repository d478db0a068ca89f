/// Draws the groups a photo is posted to and when: of those its owner joined, the ones it fits.
struct PoolSampler {
    /// How many of 1000 groups of the theme but of another subject a photo is offered to at first.
    static let otherSubjectPermille = 350
    /// How many of 1000 groups that the owner joined after the upload a photo is offered to at first.
    static let joinedLaterPermille = 400
    /// How many of 1000 posted photos go to a group that takes anything, too.
    static let anythingPermille = 250

    private let seed: UInt64
    private let groups: [Group]

    init(groups: [Group], seed: UInt64) {
        self.seed = seed
        self.groups = groups
    }

    /// The random numbers of a photo's pool entries.
    func random(photo index: Int) -> EntityRandom { EntityRandom(seed: seed, stream: .pool, entity: index) }

    /// Chooses groups for a photo: as many as wanted, or all that there are.
    ///
    /// - Parameters:
    ///   - memberships: the owner's, arranged by theme.
    ///   - chosen: emptied, then filled with positions in the memberships, none twice.
    /// - Complexity: O(wanted) on average; O(groups of the theme joined × wanted) when they run short.
    func choose(
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

    /// How many groups would take a photo; `choose` never chooses more.
    func available(for photo: Photo, _ memberships: MembershipWorkspace) -> Int {
        [photo.theme, Theme.anythingIndex].reduce(0) { sum, theme in
            let range = memberships.themeOffsets[theme]..<memberships.themeOffsets[theme + 1]
            return range.reduce(sum) { takes(memberships.groups[memberships.positions[$1]], photo) ? $0 + 1 : $0 }
        }
    }

    /// The instant at which a photo was added: often at once, otherwise within a month of when it could be.
    func added(_ photo: Photo, joined: Int, group: Int, _ random: inout EntityRandom) -> Int {
        let earliest = max(photo.uploaded, joined)
        let share = random.unit()
        let delay = random.chance(600) ? share * 3600 : share * share * Double(30 * Timeline.day)
        let end = Int(groups[group].activeUntil)
        let instant = earliest + Int(delay)
        if instant < end { return instant }
        // Too late for that: within the hour, or in what is left of it.
        return earliest + Int(share * Double(min(3600, end - earliest)))
    }

    /// Groups of a place want photos from there, and dead groups get no more.
    private func takes(_ index: Int, _ photo: Photo) -> Bool {
        let group = groups[index]
        guard Int(group.activeUntil) > photo.uploaded else { return false }
        guard let place = group.place else { return true }
        return Int(place) == photo.place
    }

    /// Whether an owner thinks of a group at first: rather of those of the same subject that were joined already.
    private func appeals(_ index: Int, _ photo: Photo, joined: Int, _ random: inout EntityRandom) -> Bool {
        if joined > photo.uploaded, !random.chance(Self.joinedLaterPermille) { return false }
        guard let subject = groups[index].subject, Int(subject) != photo.subject else { return true }
        return random.chance(Self.otherSubjectPermille)
    }

    /// Goes once round the joined groups of a theme, from anywhere, and takes what fits.
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
