public import CatalogStore
public import Changes
public import Model
public import Recommendation

/// The members and photos that answers are made from, for a route or a command.
///
/// Its conforming types differ in three things: the catalog, the changes that the catalog lacks, and whose profiles
/// they trust. Members and photos come without groups that are hidden or that the version lacks.
public protocol CommunityReader {
    /// Runs `body` with the catalog, or returns nil without one.
    func read<Result>(_ body: (Catalog) throws(CatalogError) -> Result) throws(ServiceError) -> Result?

    /// Returns the changes of a member that neither the version nor the catalog has, or nil if there are none.
    func recentChanges(ofUser id: String, in snapshot: VisibleSnapshot) throws(ServiceError) -> RecentMemberChanges?

    /// The photos, members and entries that were removed, and that the version and the catalog still have.
    var removed: RemovedThings { get }

    /// Returns the profile of a user at an instant, in Unix milliseconds, or nil if there is no such user.
    func profile(ofUser id: String, in snapshot: VisibleSnapshot, atMilliseconds instant: Int64) throws(ServiceError)
        -> MemberProfile?

    /// Returns the reason why a group is not shown, or nil if it is shown or unknown.
    func concealment(ofGroup id: String, in model: VisibleModel) throws(ServiceError) -> Concealment?

    /// Returns the facts about a photo, or nil if there is no public photo with the id.
    func context(ofPhoto id: String, in model: VisibleModel) throws(ServiceError) -> PhotoContext?
}

extension CommunityReader {
    /// Returns the profile as the catalog or the version knows it, with newer changes replayed on top.
    public func profile(ofUser id: String, in snapshot: VisibleSnapshot, atMilliseconds instant: Int64)
        throws(ServiceError) -> MemberProfile?
    {
        try profile(
            ofUser: id, knownProfile(ofUser: id, in: snapshot, atMilliseconds: instant),
            after: recentChanges(ofUser: id, in: snapshot), in: snapshot, atMilliseconds: instant)
    }

    /// Returns the profile without changes that neither the version nor the catalog has.
    ///
    /// The memberships are those of the version, if the catalog does not have them or there is none.
    public func knownProfile(ofUser id: String, in snapshot: VisibleSnapshot, atMilliseconds instant: Int64)
        throws(ServiceError) -> MemberProfile?
    {
        let (manifest, planner) = (snapshot.manifest, snapshot.planner)
        if !manifest.hasOwnMembers {
            let found = try read { catalog throws(CatalogError) in
                try MemberProfile(ofUser: id, from: catalog, for: planner, atMilliseconds: instant)
            }
            if let found { return found }
        }
        let published = try snapshot.publishedMember(withID: id)
        let found = try read { catalog throws(CatalogError) in
            try MemberProfile(
                userID: id, published, of: manifest, from: catalog, for: planner, atMilliseconds: instant)
        }
        if let found { return found }
        return published.map {
            MemberProfile(userID: id, $0, of: manifest, for: planner, atMilliseconds: instant)
        }
    }

    /// Returns a known profile with newer changes replayed on top, or nil if there is no such user.
    public func profile(
        ofUser id: String, _ known: MemberProfile?, after recent: RecentMemberChanges?, in snapshot: VisibleSnapshot,
        atMilliseconds instant: Int64
    ) throws(ServiceError) -> MemberProfile? {
        let kept = recent?.isCleared == true ? nil : known
        guard recent?.isGone != true, var profile = kept ?? recent.map({ _ in MemberProfile(userID: id) })
        else { return nil }
        if let recent { profile = profile.replaying(recent, for: snapshot.planner, atMilliseconds: instant) }
        let told = (recent?.told ?? []) + removed.endings
        guard !told.isEmpty, !snapshot.manifest.hasOwnMembers else { return profile }
        let hints = try read { catalog throws(CatalogError) in
            try catalog.hints(ofUser: id, for: snapshot.planner, after: told)
        }
        if let hints { profile.hints = hints }
        return profile
    }

    /// Returns `hidden` for a group of the version that is not shown, as a reader that knows no other reason.
    public func concealment(ofGroup id: String, in model: VisibleModel) throws(ServiceError) -> Concealment? {
        model.hides(id) ? .hidden : nil
    }

    /// Returns the facts about a photo, without its owner if the site has forgotten the owner.
    public func context(ofPhoto id: String, in model: VisibleModel) throws(ServiceError) -> PhotoContext? {
        let removed = removed
        guard let photo = try publicPhoto(withID: id, without: removed) else { return nil }
        var context = PhotoContext(photo, in: model)
        if let owner = photo.ownerID, removed.members.contains(BytewiseString(owner)) { context.forgetOwner() }
        return context
    }

    private func publicPhoto(withID id: String, without removed: RemovedThings) throws(ServiceError) -> PhotoRecord? {
        let found = try read { catalog throws(CatalogError) in
            try catalog.publicPhoto(withID: id) { !removed.hides(id, of: $0) }
        }
        guard var photo = found ?? nil else { return nil }
        photo.groups.removeAll { removed.hides(photo.id, in: $0) }
        return photo
    }

    /// Returns the vector of a public photo, or nil if it has no vector of the model.
    func vector(ofPhoto id: String, model: String) throws(ServiceError) -> [Float]? {
        try read { catalog throws(CatalogError) in try catalog.vector(ofPublicPhoto: id, model: model) } ?? nil
    }

    /// Returns what is still shown of some photos of a version; see `Catalog.current`.
    func current(_ photos: [Lookalike], looks: String, in model: VisibleModel) throws(ServiceError) -> [Lookalike] {
        let removed = removed
        let found = try read { catalog throws(CatalogError) in try catalog.current(photos, looks: looks, in: model) }
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
    func photos(ofGroups ids: [String], limit: Int) throws(ServiceError) -> [[PooledPhoto]] {
        let removed = removed
        let wanted = limit + removed.photos.count + removed.pooled.count
        let found = try read { catalog throws(CatalogError) in
            try ids.map { id throws(CatalogError) in try catalog.publicPhotos(ofGroup: id, limit: wanted) }
        }
        return zip(ids, found ?? ids.map { _ in [] }).map { group, found in
            let kept = found.filter { !removed.hides($0.id, of: $0.ownerID) && !removed.hides($0.id, in: group) }
            return Array(kept.prefix(limit))
        }
    }

    /// Returns public photos that a member may like, best first.
    func photos(for taste: MemberTaste) throws(ServiceError) -> [TastePhoto] {
        let request = try request(of: taste)
        return try read { catalog throws(CatalogError) in
            try catalog.photos(for: request, planner: taste.planner)
        } ?? []
    }

    /// Returns at most `limit` members whom a member may want to know, best first.
    ///
    /// They are members of the catalog, after what they did since it was written.
    func contacts(for taste: MemberTaste, limit: Int) throws(ServiceError) -> [TasteContact] {
        let request = try request(of: taste)
        let found = try read { catalog throws(CatalogError) in
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
    private func request(of taste: MemberTaste) throws(ServiceError) -> TasteRequest {
        var request = taste.request
        request.told = try recentChanges(ofUser: request.userID, in: taste.snapshot)?.told ?? []
        request.removed = removed
        return request
    }
}
