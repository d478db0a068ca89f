/// Why a community cannot be generated as asked.
public enum CommunityError: Error, Equatable, CustomStringConvertible {
    /// A count is negative or above what the generator can number.
    case countOutOfRange(name: String, value: Int, maximum: Int)
    /// Photos need at least one user to own them.
    case photosWithoutUsers(photos: Int)
    /// There are fewer pairs of a group and a user than memberships asked for.
    case tooManyMemberships(memberships: Int, maximum: Int)
    /// There are fewer pairs of a group and a photo than pool entries asked for.
    case tooManyPools(pools: Int, maximum: Int)
    /// Members post only to groups they joined, so pool entries need memberships.
    case poolsWithoutMemberships(pools: Int)
    /// Not a day of the calendar written as YYYY-MM-DD, or outside 1973-01-01 ... 9999-12-31.
    case invalidDay(String)

    /// What is wrong and what to change, in words.
    public var description: String {
        switch self {
        case .countOutOfRange(let name, let value, let maximum):
            "\(value) \(name): give a number from 0 to \(maximum)"
        case .photosWithoutUsers(let photos):
            "\(photos) photos need someone to own them: ask for at least 1 user"
        case .tooManyMemberships(let memberships, let maximum):
            "\(memberships) memberships: the groups and users asked for allow at most \(maximum)"
        case .tooManyPools(let pools, let maximum):
            "\(pools) pool entries: the groups and photos asked for allow at most \(maximum)"
        case .poolsWithoutMemberships(let pools):
            "\(pools) pool entries need members who post them: ask for some memberships"
        case .invalidDay(let text):
            "\"\(text)\" is not a day: write it as YYYY-MM-DD, from 1973-01-01 to 9999-12-31"
        }
    }
}
