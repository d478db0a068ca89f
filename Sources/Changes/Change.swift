package import Model

/// Something that a member or the site did, as journals and streams store it and as the catalog applies it.
///
/// `ChangeKind` lists all kinds. `ChangeEncoding.swift` has the bytes of each.
package enum Change: Sendable, Equatable {
    case member(MemberChange)
    /// A decision of an administrator of the site.
    case site(SiteChange)
    /// A removal that an administrator of the site orders.
    case removal(RemovalChange)
    /// A new id that an administrator of the site gives.
    case renaming(RenamingChange)

    /// The only member whom the change concerns, or nil if it concerns everybody, as a decision of the site does.
    package var userID: String? {
        switch self {
        case .member(let change): change.userID
        case .site: nil
        case .removal(let change): change.userID
        case .renaming(let change): change.subject == .user ? change.newID : nil
        }
    }

    /// Whether the change names a user by an external id, also as one whom somebody follows.
    func names(user id: String) -> Bool {
        if interactions.contains(where: { $0.isAbout(user: id) }) { return true }
        if case .renaming(let change) = self, change.subject == .user, change.oldID.hasSameBytes(as: id) { return true }
        return userID?.hasSameBytes(as: id) == true
    }

    /// The one group that the change is about, or nil if it is about none, or several.
    package var groupID: String? {
        switch self {
        case .member: nil
        case .site(let change): change.groupID
        case .removal(let change): change.groupID
        case .renaming(let change): change.subject == .group ? change.oldID : nil
        }
    }

    /// Whether an answer may depend on the change; a member's exposures are recorded for reports alone.
    package var showsInAnswers: Bool { kind != .exposures }

    /// The member whose data or interactions this change erases, if any.
    package var erasedUserID: String? {
        switch self {
        case .member(let change): change.action == .forget(id: nil) ? change.userID : nil
        case .site: nil
        case .removal(let change): change.removedUserID
        case .renaming: nil
        }
    }

    /// The member whom this change removes for good, if any.
    package var forgottenUserID: String? { removal?.forgottenUserID }

    /// The member whom this change removes, for good or until the member comes back, if any.
    package var removedUserID: String? { removal?.removedUserID }

    private var removal: RemovalChange? { if case .removal(let removal) = self { removal } else { nil } }

    /// Whether the answers of everybody obey the change: a decision of the site, or the removal of a member.
    package var concernsEverybody: Bool { userID == nil || forgottenUserID != nil }

    package var interactions: [InteractionRecord] {
        guard case .member(let member) = self, case .record(let records) = member.action else { return [] }
        return records
    }

    /// The outcome of a change.
    package enum Outcome: Sendable, Equatable {
        /// The outcome of a member's change.
        case member(MemberChange.Outcome)
        case site(SiteChange.Outcome)
        case removal(RemovalChange.Outcome)
        case renaming(RenamingChange.Outcome)
    }
}

/// The kinds of changes, by the numbers that stand for them in journals and streams.
///
/// A number is never used for anything else again. A new kind gets a new number, and programs without it keep such
/// changes until they are upgraded.
package enum ChangeKind: Int64, Sendable, CaseIterable {
    /// Nothing: the change was erased, or a later one replaced it. Its number stays.
    case nothing = 0
    /// A member did something with groups, photos or other members.
    case interactions = 1
    case forgetInteraction = 2
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
    /// The site ends the curation of a group.
    case uncurate = 13
    /// The site removes a member for good.
    case removeMember = 20
    case removeGroup = 21
    case removePhoto = 22
    /// The site removes a user from a group.
    case removeUser = 23
    /// The site removes a photo from a group.
    case removePooled = 24
    /// The site removes a member, who may come back.
    case removeAccount = 25
    /// The site gives a group another id.
    case renameGroup = 30
    /// The site gives a user another id.
    case renameUser = 31

    /// Whether a later change of this kind by the same member replaces an earlier one entirely.
    package var replacesEarlier: Bool {
        switch self {
        case .forgetInteractions, .interests: true
        default: false
        }
    }
}

extension Change {
    package var kind: ChangeKind {
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
            case .account: .removeAccount
            }
        case .renaming(let change): change.subject == .group ? .renameGroup : .renameUser
        }
    }
}

/// A removal that an administrator of the site orders.
package struct RemovalChange: Sendable, Equatable {
    /// The thing to remove, by its external id; everything that belongs to it is removed as well.
    package enum Subject: Sendable, Equatable {
        /// A member, for good: no import, interaction or journal brings the member back.
        case member(String, withPhotos: Bool)
        /// A member as known up to now; later imports and changes may bring the member back.
        case account(String)
        case group(String)
        case photo(String)
        /// A user of a group, in the relation with this table.
        case user(String, ofGroup: String, table: String)
        /// A photo of a group, in the relation with this table.
        case pooled(String, ofGroup: String, table: String)
    }

    /// The result of a removal.
    package enum Outcome: Sendable, Equatable {
        /// The removal is recorded, and answers obey it; applying it changes the catalog.
        case pending
        /// Nothing was done, because there is no such thing.
        case unknown
    }

    /// The thing to remove.
    package var subject: Subject
    /// The time of the order, in Unix milliseconds.
    package var atMilliseconds: Int64

    package init(_ subject: Subject, atMilliseconds: Int64) {
        self.subject = subject
        self.atMilliseconds = atMilliseconds
    }

    /// The only member whose data is removed, or nil if the removal is about a group or a photo.
    package var userID: String? {
        switch subject {
        case .member(let id, _), .account(let id), .user(let id, _, _): id
        case .group, .photo, .pooled: nil
        }
    }

    /// The member who is removed for good, or nil if something else is removed.
    package var forgottenUserID: String? {
        guard case .member(let id, _) = subject else { return nil }
        return id
    }

    /// The member who is removed, for good or until the member comes back; nil if something else is removed.
    package var removedUserID: String? {
        guard case .account(let id) = subject else { return forgottenUserID }
        return id
    }

    /// The group that is removed, or that loses a user or a photo; nil if a member or a photo is removed.
    package var groupID: String? {
        switch subject {
        case .group(let id), .user(_, let id, _), .pooled(_, let id, _): id
        case .member, .account, .photo: nil
        }
    }
}
