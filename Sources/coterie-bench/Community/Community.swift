import Basics
import Model

/// A synthetic community: groups, members and photos drawn from a seed.
///
/// Only small things are stored: about a hundred bytes for each group, its text, and eight bytes for each user.
/// Memberships, photos and pool entries are derived user by user while they are written. Each derivation gives the same
/// result, so the files fit together although nothing is kept.
struct Community: Sendable {
    /// The sizes, the seed and the last day.
    let parameters: CommunityParameters

    let table: GroupTable
    let timeline: Timeline
    let memberNaming: UserNames
    /// The groups to join, by theme and place.
    let choices: ChoiceTable
    private(set) var poolDemand = PoolDemand.none
    /// The probability of each theme to be somebody's interest.
    private let themes: ChoiceTable
    private let activity: Activity

    /// Draws the groups, and the activity of each user.
    ///
    /// - Complexity: O(groups + users).
    init(_ parameters: CommunityParameters) {
        self.parameters = parameters
        timeline = Timeline(endDay: parameters.endDay)
        table = GroupTable(count: parameters.groups, seed: parameters.seed)
        themes = ChoiceTable(weights: Theme.all.indices.map(GroupTable.themeWeight))
        memberNaming = UserNames(users: parameters.users, seed: parameters.seed)
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

    /// Visits users in order, with their groups arranged by theme; `dateMemberships` adds the times of joining.
    ///
    /// - Parameter isWanted: whether a user is visited; drawing a user's memberships takes time.
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

/// The size of a community, its last day, and the seed that makes it the same every time.
struct CommunityParameters: Sendable, Equatable {
    /// The number of groups; exact.
    let groups: Int
    /// The number of users; exact.
    let users: Int
    /// The number of photos; exact.
    let photos: Int
    /// The number of memberships (group × user); exact.
    let memberships: Int
    /// The intended number of pool entries (group × photo).
    ///
    /// Members post a photo only to fitting groups that they joined. With enough such groups the number is met within
    /// 5%, plus chance at a few hundred rows. Otherwise there are fewer entries.
    let pools: Int
    /// The number of favourites (user × photo); exact.
    let favourites: Int
    /// The number of follows (user × user); exact.
    let follows: Int
    /// The intended number of posts in groups; exact if all users have joined groups.
    let posts: Int
    /// The seed; the same seed and parameters give the same bytes, on every run and machine.
    let seed: UInt64
    /// The day at whose beginning, in UTC, the three years of the community end.
    let endDay: CalendarDate

    /// The largest number of groups.
    static let maximumGroups = 1_000_000
    /// The largest number of users.
    static let maximumUsers = 100_000_000
    /// The largest number of photos.
    static let maximumPhotos = 1_000_000_000
    /// The largest number of memberships, and of pool entries.
    static let maximumPairs = 4_000_000_000

    /// Checks that sizes fit together, and takes them.
    ///
    /// - Parameter text: the end day as YYYY-MM-DD, from 1973-01-01 to 9999-12-31 (inclusive).
    /// - Throws: `Failure` for a count out of range, for counts that contradict one another and for a wrong day.
    init(
        groups: Int, users: Int, photos: Int, memberships: Int, pools: Int, favourites: Int = 0, follows: Int = 0,
        posts: Int = 0, seed: UInt64, endDay text: String
    ) throws(Failure) {
        try Self.check(groups, "groups", Self.maximumGroups)
        try Self.check(users, "users", Self.maximumUsers)
        try Self.check(photos, "photos", Self.maximumPhotos)
        try Self.check(memberships, "memberships", Self.maximumPairs)
        try Self.check(pools, "pool entries", Self.maximumPairs)
        try Self.check(favourites, "favourites", min(Self.maximumPairs, users * photos))
        try Self.check(follows, "follows", min(Self.maximumPairs, users * max(0, users - 1)))
        try Self.check(posts, "posts", Self.maximumPairs)
        guard photos == 0 || users > 0 else {
            throw Failure(.badData, "\(photos) photos need someone to own them: ask for at least 1 user")
        }
        let (mostMemberships, mostPools) = (groups * users, groups * photos)
        guard memberships <= mostMemberships else {
            throw Failure(
                .badData,
                "\(memberships) memberships: the groups and users asked for allow at most \(mostMemberships)")
        }
        guard pools <= mostPools else {
            throw Failure(
                .badData, "\(pools) pool entries: the groups and photos asked for allow at most \(mostPools)")
        }
        guard pools == 0 || memberships > 0 else {
            throw Failure(.badData, "\(pools) pool entries need members who post them: ask for some memberships")
        }
        guard let endDay = CalendarDate(text), endDay.year >= 1973 else {
            throw Failure(
                .badData, "\"\(text)\" is not a day: write it as YYYY-MM-DD, from 1973-01-01 to 9999-12-31")
        }
        self.groups = groups
        self.users = users
        self.photos = photos
        self.memberships = memberships
        self.pools = pools
        self.favourites = favourites
        self.follows = follows
        self.posts = posts
        self.seed = seed
        self.endDay = endDay
    }

    private static func check(_ value: Int, _ name: String, _ maximum: Int) throws(Failure) {
        guard value >= 0, value <= maximum else {
            throw Failure(.badData, "\(value) \(name): give a number from 0 to \(maximum)")
        }
    }
}

/// An import file of a community: UTF-8, tab-separated, one header line.
enum CommunityFile: Hashable, Sendable, CaseIterable {
    case groups
    case users
    /// Every photo, user by user.
    case photos
    /// The entries of a relation: user by user, or photo by photo.
    case relation(RelationSource)

    /// The groups that each user joined, user by user.
    static let memberships = CommunityFile.relation(.memberships)
    /// The groups to which each photo was added, photo by photo.
    static let pools = CommunityFile.relation(.pools)
    /// The photos that each user likes, user by user.
    static let favourites = CommunityFile.relation(.favourites)
    /// The posts of each user, user by user.
    static let posts = CommunityFile.relation(.posts)
    /// The users whom each user follows, user by user.
    static let follows = CommunityFile.relation(.follows)

    /// The files for the relations of the product.
    static let allCases = all(of: .standard)

    /// Returns the files for these relations, memberships and pools first.
    static func all(of relations: RelationTable) -> [CommunityFile] {
        let others = relations.sources.map(CommunityFile.relation).filter { $0 != .memberships && $0 != .pools }
        return [.groups, .users, .photos, .memberships, .pools] + others
    }

    /// Returns whether a community has the file; nobody likes, follows or says anything in one that was not asked for
    /// that.
    func isPart(of parameters: CommunityParameters) -> Bool {
        switch self {
        case .favourites: parameters.favourites > 0
        case .follows: parameters.follows > 0
        case .posts: parameters.posts > 0
        default: true
        }
    }

    /// The file's name, such as "groups.tsv".
    var name: String {
        switch self {
        case .groups: "groups.tsv"
        case .users: "users.tsv"
        case .photos: "photos.tsv"
        case .relation(let source): source.table + ".tsv"
        }
    }

    /// The names of the columns.
    ///
    /// Times are ISO 8601 in UTC to the second. Lists are separated by semicolons. Coordinates are degrees, and empty
    /// where the location is not known.
    var columns: [String] {
        switch self {
        case .groups:
            [
                "group_id", "title", "description", "visibility", "topics", "join_policy", "created_at",
                "last_active_at",
            ]
        case .users: ["user_id", "name", "interests"]
        case .photos:
            [
                "photo_id", "user_id", "visibility", "taken_at", "uploaded_at", "tags", "latitude", "longitude",
            ]
        case .relation(let source):
            [String(source.rows.rawValue.dropLast()) + "_id", source.entryWord + "_id", source.timeColumn]
                + (source.answerColumn.map { [$0] } ?? [])
        }
    }
}
