/// The groups that each user joins and the times of joining; always the same for the same user.
extension Community {
    /// The number out of 1000 memberships that follow no interest.
    static let noisePermille = 120
    /// The number out of 1000 memberships of an interest that look for a group of the member's places.
    static let placePermille = 180
    /// The greatest number of draws for a group of an interest that is about the member's favourite subject.
    static let subjectDraws = 3
    /// The number of draws of each kind before the next free group is taken.
    ///
    /// The kinds are: a popular group of an interest, any group of an interest, and any group at all.
    static let attempts = 7

    // The buckets are: all groups; then for each theme, all its groups, and its groups about each place.
    private static let allGroups = 0

    private static func bucket(theme: Int) -> Int { 1 + theme * (Place.all.count + 1) }

    private static func bucket(theme: Int, place: Int) -> Int { bucket(theme: theme) + 1 + place }

    /// The curve of each theme's season.
    private static let curves = Theme.all.map { Timeline.curve($0.season, southern: false) }

    /// Returns the groups to draw from, in buckets, each group with its popularity.
    static func choices(_ table: GroupTable) -> ChoiceTable {
        let weights = table.weights()
        var buckets: [[(item: UInt32, weight: Double)]] = Array(repeating: [], count: bucket(theme: Theme.all.count))
        for (index, group) in table.groups.enumerated() {
            let entry = (item: UInt32(index), weight: weights[index])
            buckets[allGroups].append(entry)
            buckets[bucket(theme: Int(group.theme))].append(entry)
            if let place = group.place { buckets[bucket(theme: Int(group.theme), place: Int(place))].append(entry) }
        }
        return ChoiceTable(buckets: buckets)
    }

    /// Fills the workspace with the groups that the user joins; `dateMemberships` adds the times.
    ///
    /// - Complexity: O(memberships), as long as the user does not join most of the groups.
    func sampleMemberships(of user: User, _ member: Member, into workspace: inout MembershipWorkspace) {
        workspace.begin()
        var random = EntityRandom(seed: parameters.seed, stream: .membership, entity: user.number)
        while workspace.count < user.membershipCount {
            let group = newGroup(member, workspace, &random)
            workspace.add(group)
            guard let twin = table.groups[group].twin.map({ Int($0) }), workspace.count < user.membershipCount else {
                continue
            }
            if !workspace.contains(twin), random.chance(Int(table.groups[twin].twinPermille)) { workspace.add(twin) }
        }
    }

    /// Draws the time at which the user joined each of the workspace's groups.
    func dateMemberships(of user: User, _ member: Member, in workspace: inout MembershipWorkspace) {
        var random = EntityRandom(seed: parameters.seed, stream: .joining, entity: user.number)
        for index in workspace.groups {
            let group = table.groups[index]
            let end = Int(group.activeUntil)
            // A member who takes any remaining group may have arrived after that group died; then the arrival is ignored.
            let start = member.arrival < end ? max(member.arrival, Int(group.created)) : Int(group.created)
            let curve = Self.curves[Int(group.theme)]
            workspace.add(joined: timeline.instant(curve: curve, hours: .online, from: start, to: end, &random))
        }
    }

    private func newGroup(_ member: Member, _ workspace: MembershipWorkspace, _ random: inout EntityRandom) -> Int {
        // Noise is decided once: otherwise members in all groups of their interests would be all noise.
        let isNoise = random.chance(Self.noisePermille)
        for attempt in 0..<Self.attempts * 3 {
            let group =
                isNoise || attempt >= Self.attempts * 2
                ? anyGroup(&random)
                : attempt < Self.attempts ? interesting(member, &random) : obscure(member, &random)
            if !workspace.contains(group), Int(table.groups[group].activeUntil) > member.arrival { return group }
        }
        // The member has joined everything popular.
        var group = random.below(table.groups.count)
        while workspace.contains(group) { group = group + 1 < table.groups.count ? group + 1 : 0 }
        return group
    }

    /// Returns a group of one of the member's interests, often one about the member's places.
    private func interesting(_ member: Member, _ random: inout EntityRandom) -> Int {
        let interest = member.interest(&random)
        if random.chance(Self.placePermille) {
            let place = random.chance(600) ? member.home : member.region
            let bucket = Self.bucket(theme: interest.theme, place: place)
            if let group = choices.pick(bucket: bucket, &random) { return group }
        }
        return favourite(interest, &random) ?? anyGroup(&random)
    }

    /// Returns a group of one of the member's interests, all equally likely, for members who are in the popular ones.
    private func obscure(_ member: Member, _ random: inout EntityRandom) -> Int {
        let theme = random.element(of: member.interests).theme
        return choices.pickEvenly(bucket: Self.bucket(theme: theme), &random) ?? anyGroup(&random)
    }

    private func anyGroup(_ random: inout EntityRandom) -> Int {
        // There is a group, because somebody is to join one.
        choices.pick(bucket: Self.allGroups, &random) ?? 0
    }

    /// Returns a group of an interest, often about its subject.
    ///
    /// Several draws are made, instead of one from a bucket of the subject. So popular groups stay popular, and not
    /// everybody who likes a subject joins its only group.
    private func favourite(_ interest: Member.Interest, _ random: inout EntityRandom) -> Int? {
        var group: Int?
        for _ in 0..<Self.subjectDraws {
            group = choices.pick(bucket: Self.bucket(theme: interest.theme), &random)
            guard let group, table.groups[group].subject.map({ Int($0) }) != interest.subject else { break }
        }
        return group
    }
}

/// The memberships of one user at a time, in memory that the next user reuses.
struct MembershipWorkspace {
    /// The groups joined, in no particular order, each once.
    private(set) var groups: [Int] = []
    /// The instants at which they were joined, in the order of `groups`; empty before `dateMemberships`.
    private(set) var joined: [Int] = []
    /// The positions in `groups`, by theme: those of theme t are at `themeOffsets[t] ..< themeOffsets[t + 1]`.
    private(set) var positions: [Int] = []
    private(set) var themeOffsets: [Int] = Array(repeating: 0, count: Theme.all.count + 1)
    /// The last round in which each group was joined.
    private var rounds: [UInt32]
    /// The number of users so far.
    private var round: UInt32 = 0

    init(groupCount: Int) { rounds = Array(repeating: 0, count: groupCount) }

    var count: Int { groups.count }

    func contains(_ group: Int) -> Bool { rounds[group] == round }

    /// Empties the workspace for the next user.
    mutating func begin() {
        groups.removeAll(keepingCapacity: true)
        joined.removeAll(keepingCapacity: true)
        round += 1
    }

    mutating func add(_ group: Int) {
        groups.append(group)
        rounds[group] = round
    }

    mutating func add(joined instant: Int) { joined.append(instant) }

    /// Sorts the positions by theme, in the order of `groups` within each (a counting sort).
    mutating func arrangeByTheme(_ table: [Group]) {
        for theme in themeOffsets.indices { themeOffsets[theme] = 0 }
        for group in groups { themeOffsets[Int(table[group].theme) + 1] += 1 }
        for theme in 1..<themeOffsets.count { themeOffsets[theme] += themeOffsets[theme - 1] }
        var next = themeOffsets
        positions = Array(repeating: 0, count: groups.count)
        for position in groups.indices {
            let theme = Int(table[groups[position]].theme)
            positions[next[theme]] = position
            next[theme] += 1
        }
    }
}
