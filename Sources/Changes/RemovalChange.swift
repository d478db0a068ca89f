/// A removal that an administrator of the site orders.
public struct RemovalChange: Sendable, Equatable {
    /// What is removed, by external ids; what belongs to it goes along.
    public enum Subject: Sendable, Equatable {
        /// A member, for good: no import, interaction or journal brings the member back.
        case member(String, withPhotos: Bool)
        /// A group.
        case group(String)
        /// A photo.
        case photo(String)
        /// A user of a group, in the relation with this table.
        case user(String, ofGroup: String, table: String)
        /// A photo of a group, in the relation with this table.
        case pooled(String, ofGroup: String, table: String)
    }

    /// What came of it.
    public enum Outcome: Sendable, Equatable {
        /// It was removed: rows by table.
        case removed([String: Int])
        /// It is recorded, shown no more where it can be told, and removed from the catalog by the next recompute.
        case pending
        /// Nothing was done: there is no such thing.
        case unknown
    }

    /// What is removed.
    public var subject: Subject
    /// When it was ordered, in Unix milliseconds.
    public var atMilliseconds: Int64

    /// A removal.
    public init(_ subject: Subject, atMilliseconds: Int64) {
        self.subject = subject
        self.atMilliseconds = atMilliseconds
    }

    /// The member of whom alone something is removed; nil if it is of a group or a photo.
    public var userID: String? {
        switch subject {
        case .member(let id, _), .user(let id, _, _): id
        case .group, .photo, .pooled: nil
        }
    }

    /// The member who is removed; nil if it is something else.
    public var forgottenUserID: String? {
        guard case .member(let id, _) = subject else { return nil }
        return id
    }
    /// The group that is removed, or of which something is; nil if it is a member or a photo.
    public var groupID: String? {
        switch subject {
        case .group(let id), .user(_, let id, _), .pooled(_, let id, _): id
        case .member, .photo: nil
        }
    }
}
