import CatalogStore
import Changes
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
    ///   - members: the members of the version, or `nil` to open them if they are needed.
    ///   - isForMany: whether the profiles of many members are read.
    init(
        _ parsed: ParsedCommand, _ version: LoadedVersion, _ catalog: Catalog?, _ planner: Planner,
        _ members: PublishedMembers? = nil, isForMany: Bool = false
    ) throws {
        if let catalog, !version.manifest.hasOwnMembers {
            source = .catalog(catalog, isForMany ? try CatalogProfiles(catalog, for: planner) : nil)
        } else {
            source = .version(try members ?? parsed.publishedMembers(version), catalog)
        }
        manifest = version.manifest
        self.planner = planner
        instant = try parsed.planInstant()
    }

    /// Returns the profile of a user.
    ///
    /// - Parameter streamed: the changes that neither the catalog nor the version has.
    /// - Throws: among others `Failure` if there is no such user; with a catalog of members, it suggests similar ids.
    func profile(of user: String, _ streamed: StreamedChanges?) throws -> MemberProfile {
        let recent = [BytewiseString(user): try streamed?.recentChanges(ofUser: user)].compactMapValues(\.self)
        let found = try profiles(of: CollectionOfOne(user), recent, endings: streamed?.endings ?? [])
        if let profile = found.first ?? nil { return profile }
        guard case .catalog(let catalog, _) = source else {
            throw Failure(Failure.badData, "there is no user \"\(user)\" in version \(manifest.version)")
        }
        throw Lookup.unknown(.users, user, near: try catalog.idsNear(user, in: .users))
    }

    /// Returns the profiles of users, with `nil` for unknown users.
    ///
    /// - Parameters:
    ///   - recent: the changes of these users that neither the catalog nor the version has.
    ///   - endings: the end of everybody's favourites and follows of what was removed.
    func profiles(
        of users: some Collection<String>, _ recent: [BytewiseString: RecentMemberChanges], endings: [ToldChange]
    ) throws -> [MemberProfile?] {
        let known =
            if case .catalog(_, let profiles?) = source {
                try profiles.profiles(of: users, atMilliseconds: instant)
            } else { try users.map(found) }
        return try zip(users, known).map { user, profile in
            let changes = recent[BytewiseString(user)]
            guard changes?.isForgotten != true,
                var profile = profile ?? changes.map({ _ in MemberProfile(userID: user) })
            else { return nil }
            if let changes { profile = profile.replaying(changes, for: planner, atMilliseconds: instant) }
            let told = (changes?.told ?? []) + endings
            if case .catalog(let catalog, _) = source, !told.isEmpty {
                profile.hints = try catalog.hints(ofUser: user, for: planner, after: told)
            }
            return profile
        }
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
