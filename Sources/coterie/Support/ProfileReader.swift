import CatalogStore
import CommandLine
import Model
import ModelStore
import Recommendation
import Service

/// A reader of members' profiles, for one thread.
///
/// Memberships come from the catalog, or from the version if the catalog does not have them or there is none.
struct ProfileReader {
    private enum Source {
        /// A catalog with memberships; its profiles are for reading many.
        case catalog(Catalog, CatalogProfiles?)
        /// The members of a version, and the catalog with their actions, if there is one.
        case version(PublishedMembers, Catalog?)
    }

    private let source: Source
    private let manifest: Manifest
    private let planner: Planner
    /// The instant of the profiles, in Unix milliseconds.
    var instant: Int64

    /// Opens the members of the version, if they are needed.
    ///
    /// - Parameters:
    ///   - catalog: the catalog, if there is one.
    ///   - isForMany: whether the profiles of many members are read.
    init(
        _ parsed: ParsedCommand, _ version: LoadedVersion, _ catalog: Catalog?, _ planner: Planner,
        isForMany: Bool = false
    ) throws {
        if let catalog, !version.manifest.hasOwnMembers {
            source = .catalog(catalog, isForMany ? try CatalogProfiles(catalog, for: planner) : nil)
        } else {
            source = .version(try parsed.publishedMembers(version), catalog)
        }
        manifest = version.manifest
        self.planner = planner
        instant = try parsed.planInstant()
    }

    /// Returns the profile of a user.
    ///
    /// - Throws: among others `Failure` if there is no such user; with a catalog of members, it suggests similar ids.
    func profile(of user: String) throws -> MemberProfile {
        if let profile = try profiles(of: CollectionOfOne(user)).first ?? nil { return profile }
        guard case .catalog(let catalog, _) = source else {
            throw Failure(Failure.badData, "there is no user \"\(user)\" in version \(manifest.version)")
        }
        throw Lookup.unknown(.users, user, near: try catalog.idsNear(user, in: .users))
    }

    /// Returns the profiles of users, with `nil` for unknown users.
    func profiles(of users: some Collection<String>) throws -> [MemberProfile?] {
        if case .catalog(_, let profiles?) = source { return try profiles.profiles(of: users, atMilliseconds: instant) }
        return try users.map(found)
    }

    private func found(_ user: String) throws -> MemberProfile? {
        switch source {
        case .catalog(let catalog, _):
            return try MemberProfile(ofUser: user, from: catalog, for: planner, atMilliseconds: instant)
        case .version(let members, let catalog?):
            return try MemberProfile(
                userID: user, members.member(withID: user), of: manifest, from: catalog, for: planner,
                atMilliseconds: instant)
        case .version(let members, nil):
            return try members.member(withID: user).map {
                MemberProfile(userID: user, $0, of: manifest, for: planner, atMilliseconds: instant)
            }
        }
    }
}

extension ParsedCommand {
    /// Returns the members published with a version.
    ///
    /// - Throws: among others `Failure` if there are none.
    func publishedMembers(_ version: LoadedVersion) throws -> PublishedMembers {
        let store = try openStore()
        if let members = try store.members(of: version) { return members }
        throw Failure(
            Failure.badData,
            """
            there is no catalog at \(text("catalog")), and version \(version.manifest.version) in \(store.location) was \
            published without members: name the catalog, or recompute with --members
            """)
    }
}
