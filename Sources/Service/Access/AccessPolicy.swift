public import Tokens

/// Who may ask what.
public struct AccessPolicy: Sendable {
    /// The keys that tokens are checked with; nil to ask for no tokens, which is only done on the loopback interface.
    public var keys: KeyRing?
    /// Whom tokens must be meant for, and who must have made them.
    public var checker: TokenChecker
    /// What is open to clients without a token.
    public var openAreas: Set<Area>

    /// A policy; without keys everything is open.
    public init(
        keys: KeyRing? = nil, checker: TokenChecker = TokenChecker(audience: "coterie"), openAreas: Set<Area> = []
    ) {
        self.keys = keys
        self.checker = checker
        self.openAreas = openAreas
    }

    /// Whether a route would ask for a token, but for the area it is in.
    func isOpened(_ access: Access) -> Bool {
        guard keys != nil, case .site(let area) = access else { return false }
        return openAreas.contains(area)
    }

    /// The role that a route asks for; nil if it asks for no token.
    func role(for access: Access) -> Role? {
        guard keys != nil else { return nil }
        switch access {
        case .open: return nil
        case .member: return .member
        case .site(let area): return openAreas.contains(area) ? nil : .service
        case .admin: return .admin
        }
    }
}

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
