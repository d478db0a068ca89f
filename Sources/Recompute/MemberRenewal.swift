import Basics
import CatalogStore
import Changes
import Model
import ModelStore

/// The members of the version that serves, made anew after an import or a renaming that changed members.
///
/// So daemons without the catalog know of it before the next recompute.
struct MemberRenewal {
    let store: any VersionStore
    let catalogPath: String
    let relations: RelationTable
    let threads: Int
    /// The present, in Unix milliseconds.
    let instant: Int64

    /// Replaces the published members, if an import or a renaming has changed them in the catalog since they were read.
    ///
    /// Hints by photos and other members stay as they were published, because only a recompute compares them.
    ///
    /// Nothing is done without a version that has members and serves, nor if these come from tables, from another
    /// catalog or from a later state.
    ///
    /// - Returns: the number of members, or nil if nothing was done.
    func run() throws(Failure) -> Int? {
        let facts = try Facts(path: catalogPath, relations: relations)
        guard let current = try store.current(),
            let manifest = try store.versions().first(where: { $0.version == current }),
            manifest.members != nil, manifest.isFromTables != true, manifest.format == ModelLayout.format,
            try isDue(facts, manifest)
        else { return nil }
        // Groups that are private by now are hidden first, as all members may take minutes; another catalog is refused.
        guard SitePublication.publish(to: store, from: facts) == nil else { return nil }
        let loaded = try store.load(current)
        let published = try store.members(of: loaded)
        let snapshot = try Matrices(of: facts, threads: threads)
        guard try isDue(snapshot.catalog, loaded.manifest) else { return nil }
        let model = loaded.model
        try snapshot.useRows(ofGroups: (0..<model.groupCount).map { model.id(of: $0) })
        let catalog = snapshot.catalog
        let state = Manifest.MembersState(
            atMilliseconds: instant, taken: try catalog.appliedChanges(), memberChanges: try catalog.memberChanges())
        let forgotten = try catalog.ledger().forgottenMark
        let members = try RecomputedMembers(
            snapshot, relations[.membership]?.source ?? .memberships,
            MemberCoding(createdAtMilliseconds: manifest.createdAtMilliseconds, groupCount: model.groupCount),
            { PublishedHints(ids: $0, published: published) }, atMilliseconds: instant)
        try store.replaceMembers(of: current, by: members) { $0.renewed(state, without: forgotten) }
        return members.userCount
    }

    /// Whether a catalog has changes that published members lack, and all that they and the version have.
    private func isDue(_ catalog: Facts, _ manifest: Manifest) throws(Failure) -> Bool {
        let (state, taken) = (manifest.membersState, try catalog.appliedChanges())
        let (memberChanges, changes) = (try catalog.memberChanges(), try catalog.changeCount())
        return memberChanges != state.memberChanges && changes >= manifest.catalog.changeCount
            && state.taken.sequences.allSatisfy { taken.contains($0.value, of: $0.key) }
    }
}

/// The hints that were published of users.
private struct PublishedHints: HintSource {
    let ids: PackedTexts
    let published: PublishedMembers?

    func tells(user row: Int) -> Bool { !hints(ofUser: row).isEmpty }

    func hints(ofUser row: Int) -> [GroupHint] {
        // A member whose bucket is damaged has no hints until the next version.
        let member = try? published?.member(withID: ids[row])
        return member?.feedback.hints ?? []
    }
}
