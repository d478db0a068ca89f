package import Model

/// A new external id for a group or a user, which an administrator of the site orders.
///
/// Changes under the old id may still come, from daemons that do not know of the new one. They then count for the new
/// id.
package struct RenamingChange: Sendable, Equatable {
    /// The kind of thing that gets the id.
    package enum Subject: Sendable, Equatable {
        /// A group.
        case group
        /// A user.
        case user
    }

    /// The result of a renaming.
    package enum Outcome: Sendable, Equatable {
        /// Only the old id was known; its group or user has the new id now.
        case renamed
        /// Both ids were known; everything of the old one belongs to the new one now, and the old one is gone.
        case merged
        /// Only the new id is known, for example after an earlier renaming.
        case unchanged
        /// Neither id is known, or a user with one of them was forgotten.
        case unknown
    }

    /// The kind of thing that gets the id.
    package var subject: Subject
    /// The id up to now, and the id from now on.
    package var oldID, newID: String
    /// The time of the order, in Unix milliseconds.
    package var atMilliseconds: Int64

    package init(_ subject: Subject, from oldID: String, to newID: String, atMilliseconds: Int64) {
        self.subject = subject
        (self.oldID, self.newID) = (oldID, newID)
        self.atMilliseconds = atMilliseconds
    }
}

extension SiteState {
    /// Moves the hiding and the curation of a group to its new id, unless the new id has its own.
    package mutating func apply(_ change: RenamingChange) {
        let (old, new) = (change.oldID, change.newID)
        guard change.subject == .group, !old.hasSameBytes(as: new) else { return }
        var (hidden, curations) = (hiddenGroups, curations)
        if hidden.contains(where: { $0.id.hasSameBytes(as: new) }) { hidden.removeAll { $0.id.hasSameBytes(as: old) } }
        if curations.contains(where: { $0.groupID.hasSameBytes(as: new) }) {
            curations.removeAll { $0.groupID.hasSameBytes(as: old) }
        }
        for index in hidden.indices where hidden[index].id.hasSameBytes(as: old) { hidden[index].id = new }
        for index in curations.indices where curations[index].groupID.hasSameBytes(as: old) {
            curations[index].groupID = new
        }
        self = SiteState(hidden: hidden, curations: curations)
    }
}

extension Change {
    /// The renaming, or nil if the change is something else.
    package var renaming: RenamingChange? {
        guard case .renaming(let change) = self else { return nil }
        return change
    }

    /// Returns the change under the new ids of its groups and its user.
    ///
    /// - Parameters:
    ///   - group: returns the new id of a group, or the same id.
    ///   - user: returns the new id of a user, or the same id.
    package func renamed<Failure: Error>(
        group: (String) throws(Failure) -> String, user: (String) throws(Failure) -> String
    ) throws(Failure) -> Change {
        switch self {
        case .member(var change):
            change.userID = try user(change.userID)
            if case .record(var interactions) = change.action {
                for index in interactions.indices {
                    let id = interactions[index].subjectID
                    switch interactions[index].kind.subject {
                    case .group: interactions[index].subjectID = try group(id)
                    case .user: interactions[index].subjectID = try user(id)
                    case .photo: break
                    }
                }
                change.action = .record(interactions)
            }
            return .member(change)
        case .site(var change):
            change.groupID = try group(change.groupID)
            return .site(change)
        case .removal(var change):
            switch change.subject {
            case .member(let id, let withPhotos): change.subject = .member(try user(id), withPhotos: withPhotos)
            case .group(let id): change.subject = .group(try group(id))
            // Who removes an account names its earlier ids as well.
            case .photo, .account: break
            case .user(let id, let ofGroup, let table):
                change.subject = .user(try user(id), ofGroup: try group(ofGroup), table: table)
            case .pooled(let id, let ofGroup, let table):
                change.subject = .pooled(id, ofGroup: try group(ofGroup), table: table)
            }
            return .removal(change)
        case .renaming: return self
        }
    }
}

/// The new ids of groups, by renamings that a daemon knows of.
package struct GroupNames: Sendable {
    private var newIDs: [BytewiseString: BytewiseString] = [:]

    /// - Parameter renamings: renamings in the order in which they apply; those of users are left out.
    package init(_ renamings: some Sequence<RenamingChange>) {
        for renaming in renamings where renaming.subject == .group {
            // An id may come back.
            newIDs[BytewiseString(renaming.newID)] = nil
            if !renaming.oldID.hasSameBytes(as: renaming.newID) {
                newIDs[BytewiseString(renaming.oldID)] = BytewiseString(renaming.newID)
            }
        }
    }

    /// Returns the newest id of a group, which is the same if the group was not renamed.
    package func newest(of id: String) -> String {
        var newest = BytewiseString(id)
        // No circle is possible, because a renaming removes the one that begins at its new id.
        while let next = newIDs[newest] { newest = next }
        return newest.text
    }
}
