/// Draws which groups a user joins and when; the same every time for the same user.
struct MembershipSampler {
    /// How many of 1000 memberships follow no interest.
    static let noisePermille = 120
    /// How many of 1000 memberships of an interest look for a group of the member's places.
    static let placePermille = 180
    /// Draws of a group of an interest, of which the first about the member's favourite subject is taken.
    static let subjectDraws = 3
    /// Draws of a popular group, of any group of the interests, and of a group beyond them, before one that
    /// is left is taken.
    static let attempts = 7

    private let seed: UInt64
    private let groups: [Group]
    private let timeline: Timeline
    private let choices: ChoiceTable
    /// The curve of each theme's season.
    private let curves: [Int]

    /// - Parameter weights: how popular each group is.
    init(groups: [Group], weights: [Double], timeline: Timeline, seed: UInt64) {
        self.seed = seed
        self.groups = groups
        self.timeline = timeline
        curves = Theme.all.map { Timeline.curve($0.season, southern: false) }
        let bucketCount = Self.bucket(theme: Theme.all.count)
        var buckets: [[(item: UInt32, weight: Double)]] = Array(repeating: [], count: bucketCount)
        for (index, group) in groups.enumerated() {
            let entry = (item: UInt32(index), weight: weights[index])
            buckets[Self.allGroups].append(entry)
            buckets[Self.bucket(theme: Int(group.theme))].append(entry)
            if let place = group.place {
                buckets[Self.bucket(theme: Int(group.theme), place: Int(place))].append(entry)
            }
        }
        choices = ChoiceTable(buckets: buckets)
    }

    /// Fills the workspace with the groups that the user joins; `date` adds when.
    ///
    /// - Parameter count: how many, at most the number of groups.
    /// - Complexity: O(count), as long as the user does not join most of the groups.
    func sample(_ user: Int, _ member: Member, count: Int, into workspace: inout MembershipWorkspace) {
        workspace.begin()
        var random = EntityRandom(seed: seed, stream: .membership, entity: user)
        while workspace.count < count {
            let group = newGroup(member, workspace, &random)
            workspace.add(group)
            if let twin = groups[group].twin, workspace.count < count, !workspace.contains(Int(twin)),
                random.chance(Int(groups[Int(twin)].twinPermille))
            {
                workspace.add(Int(twin))
            }
        }
    }

    /// Draws when the user joined each of the workspace's groups.
    func date(_ user: Int, _ member: Member, in workspace: inout MembershipWorkspace) {
        var random = EntityRandom(seed: seed, stream: .joining, entity: user)
        for index in workspace.groups {
            let group = groups[index]
            let end = Int(group.activeUntil)
            // Who joins what is left may come too late for a dead group: then the arrival does not count.
            let start = member.arrival < end ? max(member.arrival, Int(group.created)) : Int(group.created)
            let curve = curves[Int(group.theme)]
            workspace.add(joined: timeline.instant(curve: curve, hours: .online, from: start, to: end, &random))
        }
    }

    private func newGroup(_ member: Member, _ workspace: MembershipWorkspace, _ random: inout EntityRandom) -> Int {
        // Decided once: otherwise members who used up their interests would be all noise.
        let isNoise = random.chance(Self.noisePermille)
        for attempt in 0..<Self.attempts * 3 {
            let group =
                isNoise || attempt >= Self.attempts * 2
                ? anyGroup(&random)
                : attempt < Self.attempts ? interesting(member, &random) : obscure(member, &random)
            if !workspace.contains(group), Int(groups[group].activeUntil) > member.arrival { return group }
        }
        // Everything popular is joined: take the next group that is left.
        var group = random.below(groups.count)
        while workspace.contains(group) { group = group + 1 < groups.count ? group + 1 : 0 }
        return group
    }

    /// A group of one of the member's interests, of the member's places rather than of others.
    private func interesting(_ member: Member, _ random: inout EntityRandom) -> Int {
        let interest = member.interest(&random)
        if random.chance(Self.placePermille) {
            let place = random.chance(600) ? member.home : member.region
            let bucket = Self.bucket(theme: interest.theme, place: place)
            if let group = choices.pick(bucket: bucket, &random) { return group }
        }
        return favourite(interest, &random) ?? anyGroup(&random)
    }

    /// A group of one of the member's interests, however small: for members who are in the popular ones.
    private func obscure(_ member: Member, _ random: inout EntityRandom) -> Int {
        let theme = random.element(of: member.interests).theme
        return choices.pickEvenly(bucket: Self.bucket(theme: theme), &random) ?? anyGroup(&random)
    }

    private func anyGroup(_ random: inout EntityRandom) -> Int {
        // There is a group: somebody is to join one.
        choices.pick(bucket: Self.allGroups, &random) ?? 0
    }

    /// Several draws rather than a bucket for each subject, so that popular groups stay popular, and a
    /// subject's only group is not joined by everybody who likes the subject.
    private func favourite(_ interest: Member.Interest, _ random: inout EntityRandom) -> Int? {
        var group: Int?
        for _ in 0..<Self.subjectDraws {
            group = choices.pick(bucket: Self.bucket(theme: interest.theme), &random)
            guard let group, groups[group].subject.map({ Int($0) }) != interest.subject else { break }
        }
        return group
    }

    // Buckets: all groups, then for each theme one of its groups and one of those in each place.
    private static let allGroups = 0

    private static func bucket(theme: Int) -> Int { 1 + theme * (Place.all.count + 1) }

    private static func bucket(theme: Int, place: Int) -> Int { bucket(theme: theme) + 1 + place }
}
