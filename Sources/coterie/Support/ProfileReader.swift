import CatalogStore
import CommandLineOptions
import MemberData
import Model
import ModelStore
import Recommendation

/// Reads profiles of members from the catalog; without a catalog, from the store.
struct ProfileReader {
    /// The catalog, if there is one.
    private let catalog: Catalog?
    private let catalogPath: String
    /// The shared store; nil if there is a catalog.
    private let store: (any SharedStore)?
    private let manifest: Manifest
    private let planner: Planner
    private let instant: Int64

    /// Opens the store, if there is no catalog.
    ///
    /// - Parameter instant: the time of the profiles, in Unix milliseconds.
    init(
        _ parsed: ParsedCommand, _ catalog: Catalog?, _ manifest: Manifest, _ planner: Planner,
        atMilliseconds instant: Int64
    ) throws {
        self.catalog = catalog
        catalogPath = parsed.text("catalog")
        store = catalog == nil ? try parsed.openStore().shared : nil
        self.manifest = manifest
        self.planner = planner
        self.instant = instant
    }

    /// The profile of a user.
    ///
    /// - Throws: a failure that suggests similar ids if there is no such user.
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

    /// A request for a list.
    func request(for profile: MemberProfile, seed: UInt64) -> PlanRequest {
        PlanRequest(profile: profile, atMilliseconds: instant, seed: seed)
    }
}
