/// The five import files of a community: UTF-8, tab-separated, one header line.
public enum CommunityFile: String, Sendable, CaseIterable {
    /// Every group.
    case groups
    /// Every user.
    case users
    /// Every photo, user by user.
    case photos
    /// Which user joined which group, user by user.
    case memberships
    /// Which photo was added to which group, photo by photo.
    case pools

    /// The file's name: "groups.tsv".
    public var name: String { rawValue + ".tsv" }

    /// The names of the columns.
    ///
    /// Times are ISO 8601 in UTC to the second, lists are separated by semicolons, coordinates are degrees
    /// and empty where the location is not known.
    public var columns: [String] {
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
        case .memberships: ["group_id", "user_id", "joined_at"]
        case .pools: ["group_id", "photo_id", "added_at"]
        }
    }
}
