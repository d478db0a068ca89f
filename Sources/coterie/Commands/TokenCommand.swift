import CommandLineOptions
import FoundationEssentials
import Tokens

/// `coterie token`.
enum TokenCommand: Subcommand {
    static let command = Command(
        "token", summary: "Make a token that opens a daemon, or a key to sign tokens with",
        discussion: """
            For trying out, and for servers without a library for tokens. A token is a JSON Web Token with HS256 and the \
            claims sub, role (member, service or admin), aud, nbf and exp. It is signed with the first key of the file, \
            which its header names as kid.

            To rotate keys, use --new-key, which puts a new key first; daemons accept both within a second. Delete the old \
            key from the file when its tokens have expired.
            """,
        options: [
            Option("user", "ID", help: "For the member with this user id"),
            Option(flag: "service", help: "For the site's own servers"),
            Option(flag: "admin", help: "For administrators of the daemon"),
            Option(flag: "new-key", help: "Make no token but a key, and the file if there is none, closed to others"),
            Option("expires", "DURATION", help: "How long it is valid: 90s, 15m, 1h, 7d", default: "1h"),
            Option(
                "keys", "FILE", help: "The keys: a JSON Web Key Set", environment: "COTERIE_KEYS", isRequired: true),
            CommonOptions.audience, CommonOptions.issuer,
        ],
        examples: [
            "coterie token --new-key --keys keys.json",
            "coterie token --user laura-100 --keys keys.json",
            "coterie token --service --expires 7d --keys keys.json",
        ])

    static func run(_ parsed: ParsedCommand) throws {
        let file = KeyFile(path: parsed.text("keys"))
        let bearers: [(subject: String, role: Role)] =
            (parsed.textIfGiven("user").map { [($0, .member)] } ?? [])
            + (parsed.flag("service") ? [("service", .service)] : [])
            + (parsed.flag("admin") ? [("admin", .admin)] : [])
        guard bearers.count + (parsed.flag("new-key") ? 1 : 0) == 1 else {
            throw UsageError("give one of --user ID, --service, --admin and --new-key")
        }
        var output = try Output()
        if let bearer = bearers.first {
            try output.line(try token(parsed, bearer, signedWith: file.read().signing))
        } else {
            let key = try file.addKey(id: "key-\(Int(Date().timeIntervalSince1970))-\(UInt16.random(in: 0 ... .max))")
            try output.line("\(key.id) is the first key of \(file.path)")
        }
        try output.flush()
    }

    private static func token(
        _ parsed: ParsedCommand, _ bearer: (subject: String, role: Role), signedWith key: SigningKey
    ) throws -> String {
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let validity = try parsed.duration("expires", in: .seconds(1)...(.seconds(366 * 86400)))
        let checker = parsed.tokenChecker
        let claims = TokenClaims(
            subject: bearer.subject, role: bearer.role,
            expiresAtMilliseconds: now + validity.components.seconds * 1000, validFromMilliseconds: now)
        let token = try claims.token(signedWith: key, audience: checker.audience, issuer: checker.issuer)
        // Refuse here what a daemon would refuse, such as an empty user id.
        _ = try checker.claims(of: token, keys: KeySet([key]), atMilliseconds: now)
        return token
    }
}
