import Catalog
import CommandLineOptions
import Model
import ModelStore
import Recommendation
import Service

/// What is known of members: from the catalog, or without one from the store.
struct MemberProfiles {
    /// The catalog, if there is one.
    let catalog: Catalog?
    private let catalogPath: String
    /// The store; only where there is no catalog.
    private let store: (any VersionStore)?
    private let manifest: Manifest
    private let planner: Planner
    private let instant: Int64

    /// Opens the catalog, if there is one.
    ///
    /// - Parameter instant: the moment that profiles are of, in Unix milliseconds.
    init(_ parsed: ParsedCommand, _ manifest: Manifest, _ planner: Planner, atMilliseconds instant: Int64) throws {
        catalog = try parsed.openCatalogIfPresent()
        catalogPath = parsed.text("catalog")
        store = catalog == nil ? try parsed.openStore() : nil
        self.manifest = manifest
        self.planner = planner
        self.instant = instant
    }

    /// The profile of a user.
    ///
    /// - Throws: a failure that names near ids if there is no such user.
    func profile(of user: String) throws -> MemberProfile {
        guard let catalog else {
            guard let member = try store?.member(withID: user, in: manifest.version) else {
                throw Failure(
                    Failure.badData,
                    "there is no user \"\(user)\" in the store, and no catalog at \(catalogPath) to look into"
                )
            }
            return MemberProfile(userID: user, member, of: manifest, for: planner, atMilliseconds: instant)
        }
        guard
            let profile = try MemberProfile(ofUser: user, from: catalog, for: planner, atMilliseconds: instant)
        else { throw Lookup.unknown(.users, user, near: try catalog.idsNear(user, in: .users)) }
        return profile
    }

    /// Groups of the version that are private by now: the catalog knows better than a version that is days old.
    func hiddenGroups() throws -> Set<UInt32> {
        try catalog?.unshownGroups(in: planner.model) ?? []
    }
}
