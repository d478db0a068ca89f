public import Model

/// Something that a member or the site did, as journals and streams keep it and as the catalog applies it.
///
/// `ChangeKind` has the table of all kinds, and `ChangeEncoding.swift` the bytes of each.
public enum Change: Sendable, Equatable {
    /// By a member.
    case member(MemberChange)
    /// By an administrator of the site.
    case site(SiteChange)
    /// A removal that an administrator of the site orders.
    case removal(RemovalChange)

    /// The member whom alone it concerns; nil if it concerns everybody, as a decision of the site does.
    public var userID: String? {
        switch self {
        case .member(let change): change.userID
        case .site: nil
        case .removal(let change): change.userID
        }
    }

    /// The one group that it is about; nil if there is none, or several.
    public var groupID: String? {
        switch self {
        case .member: nil
        case .site(let change): change.groupID
        case .removal(let change): change.groupID
        }
    }

    /// Whether an answer may depend on it; a member's exposures are recorded for reports alone.
    public var showsInAnswers: Bool { kind != .exposures }

    /// The member of whom it leaves nothing, or no interactions; nil if it is something else.
    public var erasedUserID: String? {
        switch self {
        case .member(let change): change.action == .forget(id: nil) ? change.userID : nil
        case .site: nil
        case .removal(let change): change.forgottenUserID
        }
    }

    /// The member whom it removes for good; nil if it is something else.
    public var forgottenUserID: String? {
        guard case .removal(let removal) = self else { return nil }
        return removal.forgottenUserID
    }

    /// The interactions that it records.
    public var interactions: [InteractionRecord] {
        guard case .member(let member) = self, case .record(let records) = member.action else { return [] }
        return records
    }

    /// The outcome of a change.
    public enum Outcome: Sendable, Equatable {
        /// The outcome of a member's change.
        case member(MemberChange.Outcome)
        /// The outcome of a decision of the site.
        case site(SiteChange.Outcome)
        /// The outcome of a removal.
        case removal(RemovalChange.Outcome)
    }
}

/// The kinds of changes, by the numbers that stand for them in journals and streams.
///
/// A number is never used for anything else again. A new kind gets a new number, and programs without it keep such
/// changes until they are upgraded.
public enum ChangeKind: Int64, Sendable, CaseIterable {
    /// Nothing: it was erased, or a later change replaced it; its number stays.
    case nothing = 0
    /// A member did something with groups.
    case interactions = 1
    /// A member has an interaction forgotten.
    case forgetInteraction = 2
    /// A member has all interactions forgotten.
    case forgetInteractions = 3
    /// A member states interests.
    case interests = 4
    /// A member was shown pages of experiments.
    case exposures = 5
    /// The site hides a group.
    case hide = 10
    /// The site shows a group again.
    case unhide = 11
    /// The site curates a group.
    case curate = 12
    /// The site curates a group no longer.
    case uncurate = 13
    /// The site removes a member for good.
    case removeMember = 20
    /// The site removes a group.
    case removeGroup = 21
    /// The site removes a photo.
    case removePhoto = 22
    /// The site removes a user from a group.
    case removeUser = 23
    /// The site removes a photo from a group.
    case removePooled = 24

    /// Whether a later change of the kind, of the same member, leaves nothing of an earlier one.
    public var replacesEarlier: Bool {
        switch self {
        case .forgetInteractions, .interests: true
        default: false
        }
    }
}

extension Change {
    /// Its kind.
    public var kind: ChangeKind {
        switch self {
        case .member(let change):
            switch change.action {
            case .record: .interactions
            case .forget(let id): id == nil ? .forgetInteractions : .forgetInteraction
            case .state: .interests
            case .expose: .exposures
            }
        case .site(let change):
            switch change.action {
            case .hide: .hide
            case .unhide: .unhide
            case .curate: .curate
            case .uncurate: .uncurate
            }
        case .removal(let change):
            switch change.subject {
            case .member: .removeMember
            case .group: .removeGroup
            case .photo: .removePhoto
            case .user: .removeUser
            case .pooled: .removePooled
            }
        }
    }
}

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
