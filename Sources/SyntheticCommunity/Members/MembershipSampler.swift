/// Draws which groups a user joins and when; the same every time for the same user.
struct MembershipSampler {
    /// How many of 1000 memberships follow no interest.
    static let noisePermille = 120
    /// How many of 1000 memberships of an interest look for a group of the member's places.
    static let placePermille = 180
    /// How many of 1000 memberships of an interest look for a group of the member's favourite subject.
    static let subjectPermille = 450
    /// Draws of a group before any that is left is taken.
    static let attempts = 12

    private let seed: UInt64
    private let groups: [Group]
    private let timeline: Timeline
    private let choices: ChoiceTable
    /// The curve of each theme's season.
    private let curves: [Int]
    /// Where the buckets of each theme's subjects begin.
    private let subjectBuckets: [Int]
    private let placeBuckets: Int

    /// - Parameter weights: how popular each group is.
    init(groups: [Group], weights: [Double], timeline: Timeline, seed: UInt64) {
        self.seed = seed
        self.groups = groups
        self.timeline = timeline
        curves = Theme.all.map { Timeline.curve($0.season, southern: false) }
        // Buckets: all groups, then one a theme, one a subject of each theme, one a place.
        var subjectBuckets: [Int] = []
        var bucketCount = 1 + Theme.all.count
        for theme in Theme.all {
            subjectBuckets.append(bucketCount)
            bucketCount += theme.subjects.count
        }
        self.subjectBuckets = subjectBuckets
        placeBuckets = bucketCount
        var buckets: [[(item: UInt32, weight: Double)]] = Array(repeating: [], count: bucketCount + Place.all.count)
        for (index, group) in groups.enumerated() {
            let entry = (item: UInt32(index), weight: weights[index])
            buckets[0].append(entry)
            buckets[1 + Int(group.theme)].append(entry)
            if let subject = group.subject { buckets[subjectBuckets[Int(group.theme)] + Int(subject)].append(entry) }
            if let place = group.place { buckets[bucketCount + Int(place)].append(entry) }
        }
        choices = ChoiceTable(buckets: buckets)
    }

    /// Fills the workspace with the user's memberships.
    ///
    /// - Parameter count: how many, at most the number of groups.
    /// - Complexity: O(count), as long as the user does not join most of the groups.
    func sample(_ user: Int, _ member: Member, count: Int, into workspace: inout MembershipWorkspace) {
        workspace.begin()
        var random = EntityRandom(seed: seed, stream: .membership, entity: user)
        while workspace.count < count {
            let group = newGroup(member, workspace, &random)
            join(group, member, &workspace, &random)
            if let twin = groups[group].twin, workspace.count < count, !workspace.contains(Int(twin)),
                random.chance(Int(groups[Int(twin)].twinPermille))
            {
                join(Int(twin), member, &workspace, &random)
            }
        }
    }

    private func newGroup(_ member: Member, _ workspace: MembershipWorkspace, _ random: inout EntityRandom) -> Int {
        for _ in 0..<Self.attempts {
            let group = candidate(member, &random)
            if !workspace.contains(group), Int(groups[group].activeUntil) > member.arrival { return group }
        }
        // What interests this member is used up: take the next group that is left, from anywhere.
        var group = random.below(groups.count)
        while workspace.contains(group) { group = group + 1 < groups.count ? group + 1 : 0 }
        return group
    }

    private func candidate(_ member: Member, _ random: inout EntityRandom) -> Int {
        if !random.chance(Self.noisePermille) {
            let interest = member.interest(&random)
            let way = random.below(1000)
            if way < Self.placePermille {
                let bucket = placeBuckets + (random.chance(700) ? member.home : member.region)
                if let group = choices.pick(bucket: bucket, &random), Int(groups[group].theme) == interest.theme {
                    return group
                }
            } else if way < Self.placePermille + Self.subjectPermille {
                let bucket = subjectBuckets[interest.theme] + interest.subject
                if let group = choices.pick(bucket: bucket, &random) { return group }
            }
            if let group = choices.pick(bucket: 1 + interest.theme, &random) { return group }
        }
        // There is a group: somebody is to join one.
        return choices.pick(bucket: 0, &random) ?? 0
    }

    private func join(
        _ index: Int, _ member: Member, _ workspace: inout MembershipWorkspace, _ random: inout EntityRandom
    ) {
        let group = groups[index]
        let end = Int(group.activeUntil)
        // Who joins what is left may come too late for a dead group: then the arrival does not count.
        let start = member.arrival < end ? max(member.arrival, Int(group.created)) : Int(group.created)
        let instant = timeline.instant(curve: curves[Int(group.theme)], hours: .online, from: start, to: end, &random)
        workspace.add(group: index, joined: instant)
    }
}
