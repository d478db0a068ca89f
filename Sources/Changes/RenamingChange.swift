import Basics
package import Model

/// A new external id for a group or a user, which an administrator of the site orders.
///
/// Changes under the old id may still come, from daemons that do not know of the new one. They then count for the new
/// id.
package struct RenamingChange: Sendable, Equatable {
    /// The kind of thing that gets the id.
    package enum Subject: Sendable, Equatable {
        case group
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
                    case .photo, nil: break
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

/// A renaming from an id, as it is kept for changes under that id.
///
/// A change means whoever had the id at the stamp of the change. The same id may be given to several things, one after
/// the other.
package struct KnownRenaming: Sendable {
    package var newID: String
    /// The stamp of the renaming, in milliseconds.
    package var stamp: Int64
    /// The last stamp at which nothing else had the old id; `Int64.max` if nobody gave it again by a renaming.
    package var until: Int64

    package init(newID: String, stamp: Int64, until: Int64) {
        (self.newID, self.stamp, self.until) = (newID, stamp, until)
    }

    /// Returns the present id of what had an id at a stamp.
    ///
    /// Until an id is given again, changes under it count for what had it last.
    ///
    /// - Parameters:
    ///   - isGiven: whether something has an id now, however it got the id.
    ///   - renamings: returns the renamings from an id, in the order of their stamps.
    package static func newest<Failure: Error>(
        of id: String, at stamp: Int64, isGiven: (String) throws(Failure) -> Bool,
        _ renamings: (String) throws(Failure) -> [KnownRenaming]
    ) throws(Failure) -> String {
        var (id, stamp) = (id, stamp)
        var known = try renamings(id)
        guard !known.isEmpty else { return id }
        let isFree = try !isGiven(id)
        var next = known.first { $0.stamp > stamp || $0.until >= stamp && ($0.until < .max || isFree) }
        while let renaming = next {
            (id, stamp) = (renaming.newID, renaming.stamp)
            known = try renamings(id)
            next = known.first { $0.stamp > stamp }
        }
        return id
    }
}

/// The new ids of groups, by renamings that a daemon knows of.
package struct GroupNames: Sendable {
    private var renamings: [BytewiseString: [KnownRenaming]] = [:]

    /// - Parameter changes: changes in the order in which they apply; only renamings of groups count.
    package init(_ changes: some Sequence<JournaledChange>) {
        for change in changes {
            guard let renaming = change.change?.renaming, renaming.subject == .group,
                !renaming.oldID.hasSameBytes(as: renaming.newID)
            else { continue }
            let (stamp, old) = (change.stampMilliseconds, BytewiseString(renaming.oldID))
            close(old) { $0.stamp }
            close(BytewiseString(renaming.newID)) { _ in stamp }
            renamings[old, default: []].append(KnownRenaming(newID: renaming.newID, stamp: stamp, until: .max))
        }
    }

    /// Notes that something else has an id; before a renaming from it, nobody knows since when.
    private mutating func close(_ id: BytewiseString, at stamp: (KnownRenaming) -> Int64) {
        guard let last = renamings[id]?.indices.last, let renaming = renamings[id]?[last], renaming.until == .max else {
            return
        }
        renamings[id]?[last].until = stamp(renaming)
    }

    /// Returns the present id of the group that had an id at a stamp, which is the same if it was not renamed.
    package func newest(of id: String, at stamp: Int64 = .max) -> String {
        KnownRenaming.newest(of: id, at: stamp) { _ in
            false
        } _: {
            renamings[BytewiseString($0)] ?? []
        }
    }
}
