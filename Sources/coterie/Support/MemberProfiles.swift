import Catalog
import CommandLineOptions
import Model
import ModelStore
import Recommendation

/// What is known of members: from the catalog, or without one from the store.
struct MemberProfiles {
    private let catalog: Catalog?
    private let catalogPath: String
    private let store: any VersionStore
    private let version: LoadedVersion

    /// Opens the catalog, if there is one.
    init(_ parsed: ParsedCommand, _ version: LoadedVersion) throws {
        catalog = try parsed.openCatalogIfPresent()
        catalogPath = parsed.text("catalog")
        store = try parsed.openStore()
        self.version = version
    }

    /// The profile of a user.
    ///
    /// - Throws: a failure that names near ids if there is no such user.
    func profile(of user: String) throws -> MemberProfile {
        guard let catalog else {
            guard let joined = try store.profile(ofUser: user, in: version.manifest.version) else {
                throw Failure(
                    Failure.badData,
                    "there is no user \"\(user)\" in the store, and no catalog at \(catalogPath) to look into")
            }
            return MemberProfile(userID: user, joined: joined.map { .init(group: $0) })
        }
        guard let member = try catalog.member(withID: user) else {
            throw Lookup.unknown(.users, user, near: try catalog.idsNear(user, in: .users))
        }
        let joined = member.memberships.compactMap { membership in
            version.model.index(ofID: membership.groupID).map { group in
                MemberProfile.JoinedGroup(
                    group: UInt32(group), atMilliseconds: membership.joinedAt.map { $0 * 1000 })
            }
        }
        return MemberProfile(userID: user, joined: joined, topics: member.interests)
    }

    /// Groups of the version that are private by now: the catalog knows better than a version that is days old.
    func hiddenGroups() throws -> Set<UInt32> {
        Set((try catalog?.privateGroupIDs() ?? []).compactMap { version.model.index(ofID: $0).map(UInt32.init) })
    }
}
