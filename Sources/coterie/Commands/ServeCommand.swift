import CatalogStore
import CommandLineOptions
import FoundationEssentials
import HTTP
import ModelStore
import Recommendation
import Service
import Tokens

/// `coterie serve`.
enum ServeCommand: Subcommand {
    static let command = Command(
        "serve", summary: "Serve similar groups and recommendations over HTTP",
        discussion: """
            /openapi.json describes the API, /healthz and /readyz report the daemon's state, /metrics has metrics for \
            Prometheus. The daemon follows newly published versions without a restart, and ends cleanly on SIGTERM.

            With a key file, every request must bear a token: a member's opens /v1/users/{that member} and nothing else, \
            a service's opens groups, photos, trending and metrics, an admin's /v1/admin. "coterie token" makes keys and tokens. \
            The file is read again when it changes. Without one the daemon listens at loopback only, and all is open \
            there.

            With a store in a folder, memberships and photos are read from the catalog, and what members do is recorded \
            there. With a store in Redis, which several daemons share, memberships come from the store, and a catalog is \
            read only for its photos and for what is hidden; what members do is recorded in the daemon's own journal, sent \
            to the other daemons through Redis, and applied to the catalog by the next "coterie recompute". A catalog that \
            an older program made is brought up to date first. A catalog in a folder that this user may not write to is \
            served too; then nothing is recorded.

            The log goes to standard error, a JSON object a line, and has neither tokens nor queries in it.
            """,
        options: [
            CommonOptions.catalog, CommonOptions.store, CommonOptions.cache,
            Option(
                "address", "ADDRESS", help: "Where to listen: a numeric address of this machine",
                default: "127.0.0.1", environment: "COTERIE_ADDRESS"),
            Option(
                "port", short: "p", "PORT", help: "The port; 0 takes any that is free", default: "8080",
                environment: "COTERIE_PORT"),
            Option("threads", "N", help: "Threads that answer requests, each one at a time", default: "2"),
            Option(
                "keys", "FILE", help: "The keys that tokens are checked with: a JSON Web Key Set, closed to others",
                environment: "COTERIE_KEYS"),
            CommonOptions.audience, CommonOptions.issuer,
            Option(
                "open", "AREAS",
                help:
                    "What needs no token, with commas: any of \(Area.allCases.map(\.rawValue).joined(separator: ", "))",
                environment: "COTERIE_OPEN", isRepeating: true),
            Option(
                "member-rate", "N",
                help: "Requests a second from a member or an admin, twice as many at once; in this daemon; 0 for any",
                default: "20"),
            Option(
                "service-rate", "N",
                help: "Requests a second from a service, twice as many at once; in this daemon; 0 for any", default: "0"
            ),
            Option(
                "open-rate", "N",
                help:
                    "Requests a second in each open area, from all callers together, twice as many at once; in this daemon; 0 for any",
                default: "200"),
            Option(
                "connections", "N", help: "Connections served at a time; more are answered with status 503",
                default: "1024"),
            Option(
                "answer-cache", "MIB",
                help: "Memory for answers that are given again until something changes, in MiB; 0 to make each anew",
                default: "32"),
            Option(
                "stale-after", "DURATION", help: "The age at which /readyz calls a version stale: 36h, 14d",
                default: "14d"),
            PlanOptions.secret,
            Option(
                "journal", "FILE",
                help: """
                    With a store in Redis: the daemon's own journal of what members do; \
                    ~/.local/state/coterie/journal-PORT.sqlite by default
                    """,
                environment: "COTERIE_JOURNAL"),
            Option(
                "sessions", "FILE",
                help: "Where the lists of sessions are kept; beside the catalog or the journal by default",
                environment: "COTERIE_SESSIONS"),
            Option(flag: "log-requests", help: "Log every request, not only those that are refused"),
        ],
        examples: [
            "coterie serve", "coterie serve --store redis://localhost --port 8081 --log-requests",
            "coterie serve --address 10.0.0.5 --keys /etc/coterie/keys.json --open groups,trending",
        ])

    static func run(_ parsed: ParsedCommand) throws {
        Daemon.holdTerminationSignals()
        var configuration = Daemon.Configuration(try deployment(parsed), server: try server(parsed))
        configuration.access = try access(parsed)
        configuration.rateLimits = RateLimits(
            bearers: [
                .member: try rate("member-rate", parsed), .admin: try rate("member-rate", parsed),
                .service: try rate("service-rate", parsed),
            ].compactMapValues(\.self), openArea: try rate("open-rate", parsed))
        configuration.staleAfter = try parsed.duration("stale-after", in: .seconds(60)...(.seconds(3650 * 86400)))
        configuration.answerCacheBytes = try parsed.integer("answer-cache", in: 0...65536) << 20
        configuration.logsRequests = parsed.flag("log-requests")
        configuration.planning.key = try parsed.rotationKey()
        configuration.planning.configuration.relations = Coterie.relations
        try Daemon(configuration).runUntilTerminated()
    }

    /// Where the daemon has versions and members from, and where it records changes.
    private static func deployment(_ parsed: ParsedCommand) throws -> Deployment {
        let store = try parsed.openStore()
        let (path, sessions) = (parsed.text("catalog"), parsed.textIfGiven("sessions"))
        let catalog = try isCatalogReady(path) ? path : nil
        guard let shared = store.shared else {
            guard parsed.textIfGiven("journal") == nil else {
                throw UsageError(
                    "--journal is for daemons that share a store in Redis; with a folder, the catalog has all")
            }
            if let catalog {
                let usual = Catalog.isWritable(catalog) ? nil : try usualFile("sessions", ofPort: parsed.text("port"))
                return .catalog(store, path: catalog, sessions: sessions ?? usual)
            }
            EventLog.standardError.warning("no catalog at \(path): only groups are served")
            return .groupsOnly(store)
        }
        if catalog == nil {
            EventLog.standardError.warning(
                "no catalog at \(path): memberships are read from the store, photos are not served")
        }
        let journal = try parsed.textIfGiven("journal") ?? usualFile("journal", ofPort: parsed.text("port"))
        return .shared(shared, journal: journal, catalog: catalog, sessions: sessions)
    }

    /// A file of this daemon in the folder for what must not be lost.
    private static func usualFile(_ name: String, ofPort port: String) throws -> String {
        "\(try ParsedCommand.stateFolder())/\(name)-\(port).sqlite"
    }

    /// The rate that an option gives, twice as many at once; nil for any.
    private static func rate(_ option: String, _ parsed: ParsedCommand) throws(UsageError) -> RateLimit? {
        let perSecond = try parsed.integer(option, in: 0...500_000)
        return perSecond > 0 ? RateLimit(perSecond: perSecond, burst: 2 * perSecond) : nil
    }

    private static func server(_ parsed: ParsedCommand) throws -> HTTPServer.Configuration {
        var server = HTTPServer.Configuration()
        server.address = parsed.text("address")
        server.port = UInt16(try parsed.integer("port", in: 0...65535))
        server.threadCount = try parsed.integer("threads", in: 1...256)
        server.connectionLimit = try parsed.integer("connections", in: server.threadCount...65536)
        return server
    }

    private static func access(_ parsed: ParsedCommand) throws -> AccessPolicy {
        var policy = AccessPolicy(checker: parsed.tokenChecker)
        policy.keys = try parsed.textIfGiven("keys").map { path throws in try KeyRing(KeyFile(path: path)) }
        for name in parsed.texts("open").flatMap({ $0.split(separator: ",") }) {
            guard let area = Area(rawValue: String(name)) else {
                let names = Area.allCases.map(\.rawValue).joined(separator: ", ")
                throw parsed.badValue(String(name), of: "open", expected: "any of \(names), with commas")
            }
            policy.openAreas.insert(area)
        }
        return policy
    }

    /// Whether there is a catalog; one that an older program made is brought up to date.
    private static func isCatalogReady(_ path: String) throws(CatalogError) -> Bool {
        do throws(CatalogError) {
            guard Catalog.isWritable(path) || !FileManager.default.fileExists(atPath: path) else {
                _ = try Catalog(path: path, mode: .reading)
                EventLog.standardError.warning("the catalog \(path) can only be read: nothing is recorded")
                return true
            }
            let catalog = try Catalog(path: path, mode: .recording)
            if let older = catalog.olderVersion {
                EventLog.standardError.info(
                    "the catalog \(path) was brought from schema version \(older) to \(catalog.schemaVersion)")
            }
            return true
        } catch {
            guard error.code == .missing else { throw error }
            return false
        }
    }
}
