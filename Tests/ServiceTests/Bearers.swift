import Glibc
@testable import Service
import TestSupport
import Testing

/// A key file, and header fields with tokens that were signed with its keys.
final class Bearers {
    static let now: Int64 = 61_000_000
    private let folder: TemporaryDirectory
    let file: KeyFile
    let ring: KeyRing

    init() throws {
        folder = try TemporaryDirectory()
        file = KeyFile(path: "\(folder.path)/keys.json")
        _ = try file.addKey(id: "first")
        ring = try KeyRing(file)
    }

    func policy(open: Set<Area> = []) -> AccessPolicy { AccessPolicy(keys: ring, openAreas: open) }

    /// A whole header field.
    func field(
        _ subject: String, _ role: Role = .member, scopes: Set<Scope> = [], seconds: Int64 = 60, from: Int64 = 0,
        audience: String = "coterie"
    ) throws -> String {
        let claims = TokenClaims(
            subject: subject, role: role, scopes: scopes, expiresAtMilliseconds: Self.now + seconds * 1000,
            validFromMilliseconds: Self.now + from * 1000)
        return "Authorization: Bearer \(try claims.token(signedWith: file.read().signing, audience: audience))"
    }
}

extension Bearers {
    /// Replaces the file by one with a single, new key.
    func replaceKeys() throws {
        let other = KeyFile(path: "\(file.path).other")
        _ = try other.addKey(id: "other")
        #expect(unsafe rename(other.path, file.path) == 0)
    }
}
