/// How one becomes a member of a group.
public enum JoinPolicy: UInt8, Sendable, CaseIterable {
    /// Anyone may join.
    case open = 0
    /// A moderator approves.
    case approval = 1
    /// By invitation only.
    case invite = 2
}

/// What serving needs to know of a group, but for its entries and neighbours in each relation.
///
/// Only public groups are in a model version.
public struct GroupFacts: Sendable, Equatable {
    /// The group's external id: 1 to 255 bytes of UTF-8 without NUL.
    public var id: String
    /// What people call it; may be empty.
    public var title: String
    /// Its topics, in the order of the catalog.
    public var topics: [String]
    /// How one joins.
    public var joinPolicy: JoinPolicy
    /// When it was founded, in Unix seconds, if known.
    public var createdAt: Int64?
    /// When something last happened in it, in Unix seconds, if known.
    public var lastActiveAt: Int64?

    /// The facts of one group.
    public init(
        id: String, title: String = "", topics: [String] = [], joinPolicy: JoinPolicy = .open, createdAt: Int64? = nil,
        lastActiveAt: Int64? = nil
    ) {
        self.id = id
        self.title = title
        self.topics = topics
        self.joinPolicy = joinPolicy
        self.createdAt = createdAt
        self.lastActiveAt = lastActiveAt
    }
}
