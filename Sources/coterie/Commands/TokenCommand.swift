import Basics
import CommandLine
import FoundationEssentials
import Service

/// `coterie token`.
enum TokenCommand: Subcommand {
    static let command = Command(
        "token", summary: "Make a token for requests to a daemon, or a key that signs tokens",
        discussion: """
            For tests, and for servers without a JWT library. A token is a JSON Web Token, signed with HS256 by the \
            first key of the file. Its claims are sub, role (member, service or admin), scope, aud, nbf and exp; its \
            header names the key as kid.

            A service may ask about groups, photos, trending groups, the map and metrics. With --scope lists it may also read \
            the lists of any member, record what members do, and set their interests.

            An admin may do everything, or with --scope only what the scopes name. With look it is every page but a \
            member's, and with members those. With curate it is curation and hiding. With operate it is versions, \
            experiments, removals and forgetting. No scope includes another.

            To rotate keys, run --new-key: it adds a new first key, and daemons accept both keys within a second. \
            Delete the old key from the file when its tokens have expired.
            """,
        options: [
            Option("user", "ID", help: "Make a token for the member with this user id"),
            Option(flag: "service", help: "Make a token for the site's own servers"),
            Option(
                "scope", "NAME", help: "What else the service may do, or all that the admin may do: \(scopeNames)",
                isRepeating: true),
            Option(flag: "admin", help: "Make a token for administrators"),
            Option("name", "NAME", help: "The administrator's name, for the log (default: admin)"),
            Option(
                flag: "new-key",
                help: "Add a key to the file; a missing file is created, readable only by its owner"),
            Option(
                "expires", "DURATION", help: "How long the token is valid, such as 90s, 15m, 1h or 7d", default: "1h",
                type: .duration(1...366 * 86400)),
            CommonOptions.keys(help: "The key file, a JSON Web Key Set", isRequired: true),
            CommonOptions.audience, CommonOptions.issuer,
        ],
        examples: [
            "coterie token --new-key --keys keys.json",
            "coterie token --user laura-100 --keys keys.json",
            "coterie token --service --expires 7d --keys keys.json",
            "coterie token --service --scope lists --keys keys.json",
            "coterie token --admin --name ann --scope look --scope curate --keys keys.json",
        ])

    private static var scopeNames: String { Scope.allCases.map(\.rawValue).joined(separator: ", ") }

    static func run(_ parsed: ParsedCommand) throws {
        let file = KeyFile(path: parsed.text("keys"))
        let bearers: [(subject: String, role: Role)] =
            (parsed.textIfGiven("user").map { [($0, .member)] } ?? [])
            + (parsed.flag("service") ? [("service", .service)] : [])
            + (parsed.flag("admin") ? [(parsed.textIfGiven("name") ?? "admin", .admin)] : [])
        guard bearers.count + (parsed.flag("new-key") ? 1 : 0) == 1 else {
            throw UsageError("give exactly one of --user ID, --service, --admin and --new-key")
        }
        guard parsed.textIfGiven("name") == nil || parsed.flag("admin") else {
            throw UsageError("--name is for --admin alone")
        }
        let scopes = try scopes(parsed)
        var output = try Output()
        if let bearer = bearers.first {
            try output.line(try token(parsed, bearer, scopes, signedWith: file.read().signing))
        } else {
            let key = try file.addKey(id: "key-\(SystemClock.nowMilliseconds / 1000)-\(UInt16.random(in: 0 ... .max))")
            try output.line("\(key.id) is the first key of \(file.path)")
        }
        try output.flush()
    }

    private static func scopes(_ parsed: ParsedCommand) throws -> Set<Scope> {
        let names = parsed.texts("scope")
        let role = parsed.flag("service") ? Role.service : parsed.flag("admin") ? .admin : .member
        guard names.isEmpty || role != .member else { throw UsageError("--scope is for --service and --admin alone") }
        return try Set(
            names.map { name in
                guard let scope = Scope(rawValue: name), scope.role == role else {
                    let names = Scope.allCases.filter { $0.role == role }.map(\.rawValue).joined(separator: ", ")
                    throw UsageError("--scope is \"\(name)\": it must be one of \(names)")
                }
                return scope
            })
    }

    private static func token(
        _ parsed: ParsedCommand, _ bearer: (subject: String, role: Role), _ scopes: Set<Scope>,
        signedWith key: SigningKey
    ) throws -> String {
        let now = SystemClock.nowMilliseconds
        let validity = try parsed.duration("expires")
        let checker = parsed.tokenChecker
        let claims = TokenClaims(
            subject: bearer.subject, role: bearer.role, scopes: scopes,
            expiresAtMilliseconds: now + validity.components.seconds * 1000, validFromMilliseconds: now)
        let token = try claims.token(signedWith: key, audience: checker.audience, issuer: checker.issuer)
        // A token that a daemon would refuse is refused here, for example one with an empty user id.
        _ = try checker.claims(of: token, keys: KeySet([key]), atMilliseconds: now)
        return token
    }
}
