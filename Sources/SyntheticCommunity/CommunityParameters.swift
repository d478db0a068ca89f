public import CivilTime

/// How large a community is, when it ends, and the seed that makes it the same every time.
public struct CommunityParameters: Sendable, Equatable {
    /// The number of groups; exact.
    public let groups: Int
    /// The number of users; exact.
    public let users: Int
    /// The number of photos; exact.
    public let photos: Int
    /// The number of memberships (group × user); exact.
    public let memberships: Int
    /// The number of pool entries (group × photo) aimed at.
    ///
    /// Members post a photo only to fitting groups they joined: where there are enough of those the
    /// number is met within 5% (plus what chance does to a few hundred rows), otherwise it stays below.
    public let pools: Int
    /// The same seed and parameters give the same bytes, on every run and machine.
    public let seed: UInt64
    /// Everything happens in the three years before this day begins, in UTC.
    public let endDay: CalendarDate

    /// The largest number of groups.
    public static let maximumGroups = 1_000_000
    /// The largest number of users.
    public static let maximumUsers = 100_000_000
    /// The largest number of photos.
    public static let maximumPhotos = 1_000_000_000
    /// The largest number of memberships, and of pool entries.
    public static let maximumPairs = 4_000_000_000

    /// Takes sizes after checking that they fit together.
    ///
    /// - Parameter text: the end day as YYYY-MM-DD, from 1973-01-01 to 9999-12-31 inclusive.
    /// - Throws: `CommunityError` for a count out of range, for counts that contradict one another and for a wrong day.
    public init(
        groups: Int, users: Int, photos: Int, memberships: Int, pools: Int, seed: UInt64, endDay text: String
    ) throws(CommunityError) {
        try Self.check(groups, "groups", Self.maximumGroups)
        try Self.check(users, "users", Self.maximumUsers)
        try Self.check(photos, "photos", Self.maximumPhotos)
        try Self.check(memberships, "memberships", Self.maximumPairs)
        try Self.check(pools, "pool entries", Self.maximumPairs)
        guard photos == 0 || users > 0 else { throw .photosWithoutUsers(photos: photos) }
        guard memberships <= groups * users else {
            throw .tooManyMemberships(memberships: memberships, maximum: groups * users)
        }
        guard pools <= groups * photos else { throw .tooManyPools(pools: pools, maximum: groups * photos) }
        guard pools == 0 || memberships > 0 else { throw .poolsWithoutMemberships(pools: pools) }
        guard let endDay = CalendarDate(text), endDay.year >= 1973 else { throw .invalidDay(text) }
        self.groups = groups
        self.users = users
        self.photos = photos
        self.memberships = memberships
        self.pools = pools
        self.seed = seed
        self.endDay = endDay
    }

    private static func check(_ value: Int, _ name: String, _ maximum: Int) throws(CommunityError) {
        guard value >= 0, value <= maximum else {
            throw .countOutOfRange(name: name, value: value, maximum: maximum)
        }
    }
}
