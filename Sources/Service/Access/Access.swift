/// Whom a route answers, where tokens are asked for.
enum Access: Sendable, Equatable {
    /// Anybody.
    case open
    /// The member whose user id is this parameter of the path, and nobody else.
    case member(ofPathParameter: String)
    /// The site's own servers, and anybody if the area is open.
    case site(Area)
    /// Whoever looks after the daemon.
    case admin
}

/// A part of the service that can be opened to clients without a token.
public enum Area: String, Sendable, CaseIterable {
    /// Which groups are alike.
    case groups
    /// Groups for a photo.
    case photos
    /// What many join right now.
    case trending
    /// Figures about the daemon.
    case metrics
}
