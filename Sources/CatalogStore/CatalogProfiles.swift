package import Basics
package import Changes
package import Model
package import Recommendation
import SQLite

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
        guard let member = try catalog.member(withID: id) else { return nil }
        self.init()
        // A time that is still to come is a mistake in a file, and older than any event. So is a missing time: the
        // catalog has every known one.
        let latest = instant / 1000 + RelationSource.clockLeadSeconds
        for membership in member.memberships {
            guard let group = planner.model.index(ofID: membership.groupID) else { continue }
            let joinedAt = membership.joinedAt ?? 0
            memberships[UInt32(group)] = PairState(
                holds: true, seconds: membership.joinedAt.flatMap { $0 > latest ? nil : $0 })
            firstJoinAtMilliseconds = min(firstJoinAtMilliseconds ?? .max, joinedAt * 1000)
        }
        topics = member.interests
        hints = try catalog.hints(ofUser: id, for: planner)
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
