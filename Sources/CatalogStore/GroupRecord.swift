/// Who may see a group or a photo.
public enum Visibility: String, Sendable, CaseIterable {
    /// Everyone.
    case `public`
    /// Not everyone: Coterie never uses or shows it.
    case `private`

    /// How the catalog stores it.
    var code: Int64 { self == .public ? 0 : 1 }

    init(code: Int64) { self = code == 0 ? .public : .private }
}

/// How users become members of a group.
public enum GroupJoinPolicy: String, Sendable, CaseIterable {
    /// Anyone may join.
    case open
    /// A moderator approves.
    case approval
    /// By invitation only.
    case invite

    /// How the catalog stores it.
    public var code: Int64 { self == .open ? 0 : self == .approval ? 1 : 2 }

    init(code: Int64) { self = code == 1 ? .approval : code == 2 ? .invite : .open }
}

/// A group as the catalog has it.
public struct GroupRecord: Sendable, Equatable {
    /// The external id.
    public var id: String
    /// The title; empty if none was given.
    public var title: String
    /// Who sees it.
    public var visibility: Visibility
    /// Whether the site has hidden it, whatever its visibility.
    public var isHidden: Bool
    /// What it is about.
    public var topics: [String]
    /// How users become members.
    public var joinPolicy: GroupJoinPolicy
    /// When it was founded, in Unix seconds.
    public var createdAt: Int64?
    /// When something last happened in it, in Unix seconds.
    public var lastActiveAt: Int64?
    /// The catalog's own key.
    let key: Int64

    /// Whether it is used and shown: public, and not hidden.
    public var isShown: Bool { visibility == .public && !isHidden }
}
