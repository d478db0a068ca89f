package import Basics
package import CatalogStore
package import Changes
package import Model
package import ModelStore
package import Recommendation

/// The members and photos that answers are made from, for a route or a command.
///
/// Its conforming types differ in three things: the catalog, the changes that the catalog lacks, and whose profiles
/// they trust. Members and photos come without groups that are hidden or that the version lacks.
package protocol CommunityReader {
    /// Runs `body` with the catalog, or returns nil without one.
    func read<Result>(_ body: (Facts) throws(Failure) -> Result) throws(Failure) -> Result?

    /// Returns the changes that the known state of members has already: a version's, or the catalog's at this moment.
    func taken(in snapshot: VisibleSnapshot) throws(Failure) -> AppliedChanges

    /// Returns the changes of a member that are not among those taken, or nil if there are none.
    func recentChanges(ofUser id: String, beyond taken: AppliedChanges) throws(Failure) -> RecentMemberChanges?

    /// The photos, members and entries that were removed, and that the version and the catalog still have.
    var removed: RemovedThings { get }

    /// Whether the catalog says what members did, if there is one; otherwise the version and `recentChanges` do.
    var readsMembersFromCatalog: Bool { get }

    /// Returns the state of a user at an instant without `recentChanges`, or nil if there is no such user.
    ///
    /// - Parameter forgotten: the ids of interactions that the user has forgotten since; versions do not know them.
    func knownState(
        ofUser id: String, in snapshot: VisibleSnapshot, without forgotten: Set<BytewiseString>,
        atMilliseconds instant: Int64
    ) throws(Failure) -> MemberState?

    /// Returns the data that was published of a user, or nil if there is none.
    func publishedMember(withID id: String, in snapshot: VisibleSnapshot) throws(Failure) -> PublishedMember?

    /// Returns the reason why a group is not shown, or nil if it is shown or unknown.
    func concealment(ofGroup id: String, in model: VisibleModel) throws(Failure) -> Concealment?

    /// Returns the facts about a photo, or nil if there is no public photo with the id.
    func context(ofPhoto id: String, in model: VisibleModel) throws(Failure) -> PhotoContext?
}

extension CommunityReader {
    /// Returns the profile of a user at an instant, in Unix milliseconds, or nil if there is no such user.
    package func profile(ofUser id: String, in snapshot: VisibleSnapshot, atMilliseconds instant: Int64)
        throws(Failure) -> MemberProfile?
    {
        while true {
            let taken = try taken(in: snapshot)
            // Changes are read first: a member whom they remove is not looked for in the version.
            let recent = try recentChanges(ofUser: id, beyond: taken)
            let known =
                recent?.isGone == true
                ? nil
                : try knownState(
                    ofUser: id, in: snapshot, without: recent?.forgottenIDs ?? [], atMilliseconds: instant)
            let profile = try profile(ofUser: id, known, after: recent, in: snapshot, atMilliseconds: instant)
            // The catalog may have taken some of the changes meanwhile, which would then count twice.
            if try self.taken(in: snapshot) == taken { return profile }
        }
    }

    /// Returns the changes of a member that are not taken, or nil if there are none.
    package func recentChanges(ofUser id: String, in snapshot: VisibleSnapshot) throws(Failure)
        -> RecentMemberChanges?
    {
        try recentChanges(ofUser: id, beyond: taken(in: snapshot))
    }

    /// Returns the profile of a known state with newer changes replayed on top, or nil if there is no such user.
    package func profile(
        ofUser id: String, _ known: MemberState?, after recent: RecentMemberChanges?, in snapshot: VisibleSnapshot,
        atMilliseconds instant: Int64
    ) throws(Failure) -> MemberProfile? {
        guard recent?.isGone != true, var state = known ?? recent.map({ _ in MemberState() }) else { return nil }
        if let recent { state.replay(recent, for: snapshot.planner, atMilliseconds: instant) }
        state.hints = try hints(ofUser: id, state.hints, after: recent?.told ?? [], in: snapshot)
        return state.profile(ofUser: id)
    }

    /// True; the default for a reader whose catalog gets every change.
    package var readsMembersFromCatalog: Bool { true }

    /// Returns the state of a user at an instant without `recentChanges`, or nil if there is no such user.
    ///
    /// It is that of the catalog, or that of the version. The memberships are those of the version if the catalog does
    /// not have them.
    package func knownState(
        ofUser id: String, in snapshot: VisibleSnapshot, without forgotten: Set<BytewiseString>,
        atMilliseconds instant: Int64
    ) throws(Failure) -> MemberState? {
        let (manifest, planner) = (snapshot.manifest, snapshot.planner)
        if readsMembersFromCatalog, !manifest.hasOwnMembers {
            let found = try read { catalog throws(Failure) in
                // Each statement by itself would lock and unlock the file.
                try catalog.snapshot { () throws(Failure) in
                    try MemberState(
                        ofUser: id, from: catalog, for: planner, without: forgotten, atMilliseconds: instant)
                }
            }
            if let found { return found }
        }
        let published = try publishedMember(withID: id, in: snapshot)
        if readsMembersFromCatalog {
            let found = try read { catalog throws(Failure) in
                try MemberState(
                    ofUser: id, published, of: manifest, from: catalog, for: planner, without: forgotten,
                    atMilliseconds: instant)
            }
            if let found { return found }
        }
        return published.map { MemberState($0, of: manifest, for: planner, atMilliseconds: instant) }
    }

    /// Returns the hints of a user after what members told since the state of the user.
    ///
    /// A catalog also knows what turned private, and who is not listed any more. Only a catalog knows which groups have
    /// a photo. Without one, favourites wait for the next version.
    func hints(ofUser id: String, _ known: [GroupHint], after told: [ToldChange], in snapshot: VisibleSnapshot)
        throws(Failure) -> [GroupHint]
    {
        let removed = removed
        let told = told.filter { !($0.kind == .follows && removed.members.contains(BytewiseString($0.subjectID))) }
        let (manifest, planner) = (snapshot.manifest, snapshot.planner)
        let counting = told + removed.endings
        if !manifest.hasOwnMembers, !counting.isEmpty || !readsMembersFromCatalog {
            let found = try read { catalog throws(Failure) in
                try catalog.hints(ofUser: id, for: planner, after: counting)
            }
            if let found { return found }
        }
        var followed: [(adds: Bool, groups: [UInt32])] = []
        for change in told where change.kind == .follows && !change.subjectID.hasSameBytes(as: id) {
            guard let member = try publishedMember(withID: change.subjectID, in: snapshot),
                !member.feedback.isUnlisted
            else { continue }
            followed.append((change.adds, member.joined.map(\.group).filter(snapshot.model.shows)))
        }
        guard !followed.isEmpty else { return known }
        let (relations, model) = (planner.configuration.relations, snapshot.model)
        return HintFormula.hints(known, after: followed) { relations.size(of: $0, .follows, model) }
    }

    /// Returns what the members on this machine say.
    package func publishedMember(withID id: String, in snapshot: VisibleSnapshot) throws(Failure)
        -> PublishedMember?
    {
        try snapshot.publishedMember(withID: id)
    }

    /// Returns `hidden` for a group of the version that is not shown, as a reader that knows no other reason.
    package func concealment(ofGroup id: String, in model: VisibleModel) throws(Failure) -> Concealment? {
        model.hides(id) ? .hidden : nil
    }

    /// Returns the facts about a photo, without its owner if the site has forgotten the owner.
    package func context(ofPhoto id: String, in model: VisibleModel) throws(Failure) -> PhotoContext? {
        let removed = removed
        guard let photo = try publicPhoto(withID: id, without: removed) else { return nil }
        var context = PhotoContext(photo, in: model)
        if let owner = photo.ownerID, removed.members.contains(BytewiseString(owner)) { context.forgetOwner() }
        return context
    }

    func publicPhoto(withID id: String, without removed: RemovedThings) throws(Failure) -> PhotoRecord? {
        let found = try read { catalog throws(Failure) in
            try catalog.publicPhoto(withID: id) { !removed.hides(id, of: $0) }
        }
        guard var photo = found ?? nil else { return nil }
        photo.groups.removeAll { removed.hides(photo.id, in: $0) }
        return photo
    }

    /// Returns the vector of a public photo, or nil if it has no vector of the model.
    func vector(ofPhoto id: String, model: String) throws(Failure) -> [Float]? {
        try read { catalog throws(Failure) in try catalog.vectors.vector(ofPublicPhoto: id, model: model) } ?? nil
    }

    /// Returns what is still shown of some photos of a version; see `Catalog.current`.
    func current(_ photos: [Lookalike], looks: String, in model: VisibleModel) throws(Failure) -> [Lookalike] {
        let removed = removed
        let found = try read { catalog throws(Failure) in try catalog.current(photos, looks: looks, in: model) }
        return (found ?? []).compactMap { photo in
            guard !removed.hides(photo.id, of: photo.ownerID) else { return nil }
            // Ids of groups are read for nothing if nothing was taken out of a pool.
            guard !removed.pooled.isEmpty else { return photo }
            var shown = photo
            shown.groups = photo.groups.filter { !removed.hides(photo.id, in: model.id(of: Int($0))) }
            return shown
        }
    }

    /// Returns at most `limit` public photos of each group, the last added first.
    func photos(ofGroups ids: [String], limit: Int) throws(Failure) -> [[PooledPhoto]] {
        let removed = removed
        let wanted = limit + removed.photos.count + removed.pooled.count
        let found = try read { catalog throws(Failure) in
            try ids.map { id throws(Failure) in try catalog.publicPhotos(ofGroup: id, limit: wanted) }
        }
        return zip(ids, found ?? ids.map { _ in [] }).map { group, found in
            let kept = found.filter { !removed.hides($0.id, of: $0.ownerID) && !removed.hides($0.id, in: group) }
            return Array(kept.prefix(limit))
        }
    }

    /// Returns public photos that a member may like, best first.
    func photos(for taste: MemberTaste) throws(Failure) -> [TastePhoto] {
        let request = try request(of: taste)
        return try read { catalog throws(Failure) in
            try catalog.photos(for: request, planner: taste.planner)
        } ?? []
    }

    /// Returns at most `limit` members whom a member may want to know, best first.
    ///
    /// They are members of the catalog, after what they did since it was written.
    func contacts(for taste: MemberTaste, limit: Int) throws(Failure) -> [TasteContact] {
        let request = try request(of: taste)
        let found = try read { catalog throws(Failure) in
            try catalog.contacts(for: request, planner: taste.planner)
        }
        var contacts: [TasteContact] = []
        for contact in found ?? [] where contacts.count < limit {
            let recent = try recentChanges(ofUser: contact.id, in: taste.snapshot)
            if let contact = contact.after(recent, for: taste.planner) { contacts.append(contact) }
        }
        return contacts
    }

    /// Returns the request for photos or members, with changes that the catalog may lack.
    private func request(of taste: MemberTaste) throws(Failure) -> TasteRequest {
        var request = taste.request
        request.told = try recentChanges(ofUser: request.userID, in: taste.snapshot)?.told ?? []
        request.removed = removed
        return request
    }
}
