import Basics
import CatalogStore
import Foundation
import Glibc
import Model
import ModelStore
import Recommendation
import Service

/// A synthetic community: a version, a catalog with members, keys and tokens.
///
/// The folder is deleted when the scene is released.
final class ServeScene {
    struct Size {
        var groups, neighbours, joined, members: Int
    }

    let folder: String
    let size: Size
    let model: EncodedModel
    let version: ModelVersion
    /// The groups of each member.
    let profiles: [[UInt32]]
    let tokens: [String]
    /// The token of a service that may read members' lists.
    let serviceToken: String
    private let manifest: Manifest

    init(_ size: Size) throws {
        self.size = size
        folder = FileManager.default.temporaryDirectory.path + "/coterie-bench-serve-\(getpid())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let ring = RingModel(groups: size.groups, neighbours: size.neighbours)
        model = try ring.encoded()
        version = try ModelVersion(model)
        var generator = SplitMix64(seed: 7)
        profiles = (0..<size.members).map {
            ring.profile($0, size.joined, &generator).joined.map(\.group).sorted()
        }
        manifest = Manifest(
            version: try VersionName("ring"), createdAtMilliseconds: SystemClock.nowMilliseconds,
            catalog: .init(schemaVersion: 0, changeCount: 0), groups: .init(included: size.groups, leftOutPrivate: 0),
            relations: [], steps: [], sections: [])
        let key = try KeyFile(path: folder + "/keys.json").addKey(id: "bench")
        let expiry = SystemClock.nowMilliseconds + 3_600_000
        tokens = try (0..<size.members).map {
            try TokenClaims(subject: Self.userID($0), role: .member, expiresAtMilliseconds: expiry)
                .token(signedWith: key, audience: "coterie")
        }
        serviceToken = try TokenClaims(
            subject: "bench", role: .service, scopes: [.lists], expiresAtMilliseconds: expiry
        ).token(signedWith: key, audience: "coterie")
        try importMembers()
        try publish(to: FolderStore(folder + "/models"))
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    static func userID(_ member: Int) -> String { "member-\(member)" }

    /// Returns the path of a member's list.
    ///
    /// - Parameter session: the session's number, or nil for the member's own session.
    func target(_ member: Int, session: Int? = nil) -> String {
        "/v1/users/\(Self.userID(member))/recommendations" + (session.map { "?session=\($0)" } ?? "")
    }

    /// Returns the bytes of a request for a member's list.
    func request(_ member: Int, session: Int? = nil) -> [UInt8] {
        ClientConnection.request(target(member, session: session), token: tokens[member])
    }

    /// Publishes the version and makes it current.
    func publish(to store: any VersionStore) throws {
        let name = try store.publish(model, manifest: manifest, members: Members(profiles: profiles)) { _, _ in }
            .version
        try store.makeCurrent(name)
    }

    /// The members, in the form in which a recompute publishes them.
    private struct Members: MemberSource {
        let profiles: [[UInt32]]

        var userCount: Int { profiles.count }
        func id(ofUser number: Int) -> ArraySlice<UInt8> { ArraySlice(ServeScene.userID(number).utf8) }
        func appendValue(ofUser number: Int, by coding: MemberCoding, to bytes: inout [UInt8]) -> Bool {
            coding.append(PublishedMember(joined: profiles[number].map { .init(group: $0) }), to: &bytes)
        }
    }

    private func importMembers() throws {
        var groups = "group_id\n"
        for group in 0..<size.groups { groups += version.id(of: group) + "\n" }
        var memberships = "user_id\tgroup_id\n"
        for (member, joined) in profiles.enumerated() {
            for group in joined { memberships += "\(Self.userID(member))\t\(version.id(of: Int(group)))\n" }
        }
        let catalog = try Catalog(path: folder + "/catalog.sqlite", mode: .writing)
        for (kind, text) in [(ImportKind.groups, groups), (.memberships, memberships)] {
            let file = "\(folder)/\(kind.name).tsv"
            try text.write(toFile: file, atomically: false, encoding: .utf8)
            _ = try Importer(into: catalog, kind: kind, options: ImportOptions(rejectsPath: file + "-rejects"))
                .run([file])
        }
    }
}
