/// A community that never was: groups, members and photos drawn from a seed.
///
/// Holds what is small (a hundred bytes or so for each group, and its text; eight bytes for each user);
/// memberships, photos and pool entries are worked out user by user while they are written, the same way
/// every time, so that the files are consistent without being kept.
public struct Community: Sendable {
    /// What was asked for.
    public let parameters: CommunityParameters

    let table: GroupTable
    let timeline: Timeline
    let memberNaming: MemberNaming
    let membershipSampler: MembershipSampler
    let photoSampler: PhotoSampler
    let poolSampler: PoolSampler
    private(set) var poolDemand = PoolDemand.none
    /// How likely each theme is to be somebody's interest.
    private let themes: ChoiceTable
    /// The number of groups each user joins.
    private let membershipCounts: [UInt32]
    /// The number of photos each user has.
    private let photoCounts: [UInt32]

    /// How many photos the number of pool entries is fitted to, at most.
    static let fittedPhotos = 20_000

    /// Lays the community out.
    ///
    /// - Complexity: O(groups + users).
    public init(_ parameters: CommunityParameters) {
        self.parameters = parameters
        let seed = parameters.seed
        timeline = Timeline(endDay: parameters.endDay)
        table = GroupTable(count: parameters.groups, seed: seed)
        themes = ChoiceTable(weights: Theme.all.indices.map(GroupTable.themeWeight))
        memberNaming = MemberNaming(users: parameters.users, seed: seed)
        membershipSampler = MembershipSampler(
            groups: table.groups, weights: table.weights(), timeline: timeline, seed: seed)
        photoSampler = PhotoSampler(groups: table.groups, timeline: timeline, seed: seed)
        poolSampler = PoolSampler(groups: table.groups, seed: seed)
        let activity = Activity(parameters)
        membershipCounts = activity.membershipCounts
        photoCounts = activity.photoCounts
        poolDemand = fittedDemand()
    }

    /// What a user is like.
    func member(_ user: Int) -> Member {
        // Who joins more groups than a theme has must be interested in several.
        let groupsOfTheme = max(1, parameters.groups / Theme.all.count)
        let themesNeeded = Int(membershipCounts[user]) / groupsOfTheme
        return Member(user, seed: parameters.seed, themes: themes, atLeast: themesNeeded)
    }

    /// Visits the users who joined anything, in order: the user's number and the memberships.
    func forEachMember<Failure: Error>(
        _ visit: (Int, MembershipWorkspace) throws(Failure) -> Void
    ) throws(Failure) {
        var workspace = MembershipWorkspace(groupCount: parameters.groups)
        for user in 0..<parameters.users where membershipCounts[user] > 0 {
            let member = member(user)
            membershipSampler.sample(user, member, count: Int(membershipCounts[user]), into: &workspace)
            membershipSampler.date(user, member, in: &workspace)
            try visit(user, workspace)
        }
    }

    /// Visits the users who have photos, in order: the user's number, the member, the memberships arranged
    /// by theme, and the numbers of the user's photos.
    ///
    /// - Parameter isDated: whether it matters when the owner joined; it costs time.
    func forEachOwner<Failure: Error>(
        isDated: Bool, _ visit: (Int, Member, MembershipWorkspace, Range<Int>) throws(Failure) -> Void
    ) throws(Failure) {
        var workspace = MembershipWorkspace(groupCount: parameters.groups)
        var firstPhoto = 0
        for user in 0..<parameters.users where photoCounts[user] > 0 {
            let member = member(user)
            let photos = firstPhoto..<(firstPhoto + Int(photoCounts[user]))
            firstPhoto = photos.upperBound
            membershipSampler.sample(user, member, count: Int(membershipCounts[user]), into: &workspace)
            workspace.arrangeByTheme(table.groups)
            if isDated { membershipSampler.date(user, member, in: &workspace) }
            try visit(user, member, workspace, photos)
        }
    }

    /// Fits the demand for pool entries to photos at equal distances.
    private func fittedDemand() -> PoolDemand {
        guard parameters.pools > 0 else { return .none }
        let stride = max(1, parameters.photos / Self.fittedPhotos)
        var sample: [(available: Int, random: EntityRandom)] = []
        var workspace = MembershipWorkspace(groupCount: parameters.groups)
        var firstPhoto = 0
        for user in 0..<parameters.users {
            let photos = firstPhoto..<(firstPhoto + Int(photoCounts[user]))
            firstPhoto = photos.upperBound
            var photo = (photos.lowerBound + stride - 1) / stride * stride
            guard photo < photos.upperBound else { continue }
            let member = member(user)
            membershipSampler.sample(user, member, count: Int(membershipCounts[user]), into: &workspace)
            workspace.arrangeByTheme(table.groups)
            while photo < photos.upperBound {
                let available = poolSampler.available(for: photoSampler.photo(photo, of: member, workspace), workspace)
                sample.append((available, poolSampler.random(photo: photo)))
                photo += stride
            }
        }
        return .fitted(entriesPerPhoto: Double(parameters.pools) / Double(parameters.photos), sample: sample)
    }
}
