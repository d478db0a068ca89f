/// What a token's bearer is to the site; raw values stand in the claim `role`.
public enum Role: String, Sendable, Hashable, CaseIterable {
    /// A member, whose user id is the token's subject. A token without a role is a member's: the least there is.
    case member
    /// The site's own servers.
    case service
    /// Whoever looks after the daemon.
    case admin
}
