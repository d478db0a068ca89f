/// A synthetic community: groups, members and photos drawn from a seed.
///
/// It holds only what is small: about a hundred bytes for each group, its text, and eight bytes for each user.
/// Memberships, photos and pool entries are derived user by user while they are written, every time the same, so that
/// the files fit together although nothing is kept.
public struct Community: Sendable {
    /// What was asked for.
    public let parameters: CommunityParameters

    let table: GroupTable
    let timeline: Timeline
    let memberNaming: MemberNaming
    /// The groups to join, by theme and place.
    let choices: ChoiceTable
    private(set) var poolDemand = PoolDemand.none
    /// How likely each theme is to be somebody's interest.
    private let themes: ChoiceTable
    private let activity: Activity

    /// Draws the groups, and how active each user is.
    ///
    /// - Complexity: O(groups + users).
    public init(_ parameters: CommunityParameters) {
        self.parameters = parameters
        timeline = Timeline(endDay: parameters.endDay)
        table = GroupTable(count: parameters.groups, seed: parameters.seed)
        themes = ChoiceTable(weights: Theme.all.indices.map(GroupTable.themeWeight))
        memberNaming = MemberNaming(users: parameters.users, seed: parameters.seed)
        choices = Self.choices(table)
        activity = Activity(parameters)
        poolDemand = fittedDemand()
    }

    func member(_ user: Int) -> Member {
        // A member who joins more groups than a theme has must be interested in several themes.
        let groupsOfTheme = max(1, parameters.groups / Theme.all.count)
        let themesNeeded = Int(activity.membershipCounts[user]) / groupsOfTheme
        return Member(user, seed: parameters.seed, themes: themes, atLeast: themesNeeded)
    }

    /// A user as `forEachUser` shows it.
    struct User {
        let number: Int
        let membershipCount: Int
        /// The numbers of the user's photos.
        let photos: Range<Int>
    }

    /// Visits users in order, with their groups arranged by theme; `dateMemberships` adds when they were joined.
    ///
    /// - Parameter isWanted: whether a user is to be visited; what a user joined costs time to draw.
    func forEachUser(
        where isWanted: (User) -> Bool, _ visit: (User, Member, inout MembershipWorkspace) throws -> Void
    ) rethrows {
        var workspace = MembershipWorkspace(groupCount: parameters.groups)
        var firstPhoto = 0
        for number in 0..<parameters.users {
            let photos = firstPhoto..<(firstPhoto + Int(activity.photoCounts[number]))
            firstPhoto = photos.upperBound
            let count = Int(activity.membershipCounts[number])
            let user = User(number: number, membershipCount: count, photos: photos)
            guard isWanted(user) else { continue }
            let member = member(number)
            sampleMemberships(of: user, member, into: &workspace)
            workspace.arrangeByTheme(table.groups)
            try visit(user, member, &workspace)
        }
    }
}
