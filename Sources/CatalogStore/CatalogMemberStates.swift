package import Basics
package import Changes
package import Model
package import Recommendation
import SQLite

/// Reads the states of many members from a catalog, for one planner; it belongs to one thread at a time.
package final class CatalogMemberStates {
    private let catalog: Facts
    private let planner: Planner
    private var groups: GroupIndexes

    /// - Complexity: O(groups · log groups).
    package init(_ catalog: Facts, for planner: Planner) throws(Failure) {
        self.catalog = catalog
        self.planner = planner
        groups = try Self.groups(catalog, planner)
    }

    private static func groups(_ catalog: Facts, _ planner: Planner) throws(Failure) -> GroupIndexes {
        try catalog.snapshot { () throws(Failure) in
            try GroupIndexes(of: catalog) { planner.model.index(ofID: $0).map(UInt32.init) }
        }
    }

    /// Returns the states of users at an instant, all from one snapshot, with `nil` for unknown users.
    ///
    /// - Parameter forgotten: returns the ids of interactions that a user has forgotten since.
    package func states(
        of users: some Collection<String>, without forgotten: (String) -> Set<BytewiseString> = { _ in [] },
        atMilliseconds instant: Int64
    ) throws(Failure) -> [MemberState?] {
        while true {
            let states = try catalog.snapshot { () throws(Failure) -> [MemberState?]? in
                guard try groups.isCurrent(in: catalog) else { return nil }
                var states: [MemberState?] = []
                for user in users {
                    states.append(try state(of: user, without: forgotten(user), atMilliseconds: instant))
                }
                return states
            }
            if let states { return states }
            groups = try Self.groups(catalog, planner)
        }
    }

    private func state(of user: String, without forgotten: Set<BytewiseString>, atMilliseconds instant: Int64)
        throws(Failure) -> MemberState?
    {
        guard let member = try catalog.member(withID: user, in: groups) else { return nil }
        return try MemberState(
            ofUser: user, member, from: catalog, for: planner, without: forgotten, atMilliseconds: instant)
    }
}

extension MemberState {
    /// Creates the state of a user at an instant from a catalog, or returns `nil` if there is no such user.
    ///
    /// It has the memberships, the interactions replayed on top, and the stated interests. Groups that the planner's
    /// model does not show, such as private ones, are left out.
    ///
    /// - Parameter forgotten: the ids of interactions that the member has forgotten since.
    package init?(
        ofUser id: String, from catalog: Facts, for planner: Planner, without forgotten: Set<BytewiseString> = [],
        atMilliseconds instant: Int64
    ) throws(Failure) {
        guard let member = try catalog.member(withID: id, in: planner.model) else { return nil }
        try self.init(
            ofUser: id, member, from: catalog, for: planner, without: forgotten, atMilliseconds: instant)
    }

    /// - Parameter member: the memberships and the stated interests. The catalog has every known time of joining, so a
    ///   membership without one counts as older than any other.
    fileprivate init(
        ofUser id: String, _ member: IndexedMember, from catalog: Facts, for planner: Planner,
        without forgotten: Set<BytewiseString>, atMilliseconds instant: Int64
    ) throws(Failure) {
        self.init()
        // A time that is still to come is a mistake in a file, and older than any event.
        let latest = instant / 1000 + RelationSource.clockLeadSeconds
        for (group, time) in member.memberships {
            memberships[group] = PairState(holds: true, seconds: time.flatMap { $0 > latest ? nil : $0 })
        }
        topics = member.interests
        hints = try catalog.hints(ofUser: id, for: planner)
        firstJoinAtMilliseconds = member.memberships.map { ($0.joinedAt ?? 0) * 1000 }.min()
        try replay(from: catalog, ofUser: id, for: planner, without: forgotten, atMilliseconds: instant)
    }

    /// Replays the interactions of a user that a catalog has.
    ///
    /// - Parameter forgotten: the ids of interactions that the user has forgotten since.
    package mutating func replay(
        from catalog: Facts, ofUser id: String, for planner: Planner, without forgotten: Set<BytewiseString>,
        atMilliseconds instant: Int64
    ) throws(Failure) {
        let since = planner.configuration.feedback.earliestImpression(atMilliseconds: instant)
        replay(
            try catalog.history(ofUser: id, impressionsSince: since, without: forgotten), for: planner,
            atMilliseconds: instant)
    }

    /// Replays recorded interactions with groups of the planner's model, and pauses.
    package mutating func replay(
        _ records: [InteractionRecord], for planner: Planner, atMilliseconds instant: Int64
    ) {
        for pause in records.compactMap(\.pause) { self.pause.settle(pause) }
        replay(
            records.compactMap { Interaction($0, in: planner.model) }, atMilliseconds: instant,
            halfLifeDays: planner.configuration.feedback.impressionHalfLifeDays)
    }
}

extension MemberProfile {
    /// Creates the profile of a user at an instant from a catalog, or returns `nil` if there is no such user.
    package init?(ofUser id: String, from catalog: Facts, for planner: Planner, atMilliseconds instant: Int64)
        throws(Failure)
    {
        guard let state = try MemberState(ofUser: id, from: catalog, for: planner, atMilliseconds: instant)
        else { return nil }
        self = state.profile(ofUser: id)
    }
}

extension PhotoContext {
    /// Creates the context of a photo in the catalog; groups that the model does not show are left out.
    package init(_ photo: PhotoRecord, in model: VisibleModel) {
        func index(_ id: String) -> UInt32? { model.index(ofID: id).map(UInt32.init) }
        func known<Value>(_ values: [(id: String, value: Value)]) -> [UInt32: Value] {
            var known: [UInt32: Value] = [:]
            for (id, value) in values { if let group = index(id) { known[group] = value } }
            return known
        }
        self.init(
            groups: photo.groups.compactMap(index).sorted(),
            companions: known(
                photo.companionGroups.map { ($0.groupID, Companions(photos: $0.photos, share: $0.share)) }),
            ownerGroups: known(photo.ownerGroups.map { ($0.groupID, $0.photos) }),
            ownerMemberships: Set(photo.ownerMemberships.compactMap(index)),
            tags: photo.tags,
            place: photo.location.flatMap { PlaceCell(latitude: $0.latitude, longitude: $0.longitude) })
    }
}

extension SiteDecisions {
    /// Creates the decisions from a catalog, or as published with the version if there is no catalog.
    package init(of catalog: Facts?, in model: ModelVersion) throws(Failure) {
        guard let catalog else {
            self = .asPublished
            return
        }
        self.init(hidden: try catalog.unshownGroupIDs(), curations: try catalog.curations(), in: model)
    }
}

/// A caller's index for each group.
///
/// The indexes let a caller read the memberships of many users without looking up the groups.
package struct GroupIndexes: Sendable {
    /// The mark of a group without an index.
    static let none = UInt32.max

    let indexes: [UInt32]
    /// The value of `Facts.changeCount` when the groups were read.
    let changeCount: Int64

    /// Reads the indexes of all groups.
    ///
    /// - Parameter index: a function that returns the index of an external id, below 2³² − 1, or `nil` for no index.
    /// - Complexity: O(groups).
    package init(of catalog: Facts, _ index: (_ id: String) -> UInt32?) throws(Failure) {
        changeCount = try catalog.changeCount()
        // An implausible highest key throws an error, because every key takes memory.
        _ = try catalog.database.highestKey(of: .groups)
        let rows = try catalog.database.prepare("SELECT group_key, group_id FROM groups ORDER BY group_key")
        var indexes: [UInt32] = []
        while try rows.step() {
            let key = rows.integer(0)
            guard key >= indexes.count, key <= EntityTable.keyLimit else {
                throw .damaged("the keys of groups are out of order or bounds")
            }
            indexes += repeatElement(Self.none, count: Int(key) - indexes.count)
            indexes.append(index(rows.text(1)) ?? Self.none)
        }
        self.indexes = indexes
    }

    /// Whether the indexes still match the groups of a catalog.
    ///
    /// After a change, a group may have the key of another group that was removed.
    package func isCurrent(in catalog: Facts) throws(Failure) -> Bool {
        try catalog.changeCount() == changeCount
    }
}

/// A user's memberships by the indexes of groups.
package struct IndexedMember: Sendable {
    /// The stated interests, as imported.
    package var interests: [String]
    /// The groups that have an index, in no particular order, with the join times in Unix seconds, if known.
    package var memberships: [(group: UInt32, joinedAt: Int64?)]
}
