import CatalogStore
import CommandLineOptions
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

            Memberships and photos are read from the catalog, and what members do is kept there. Several daemons share a \
            store in Redis without a catalog, or with one that is read for its photos alone if a journal is named: \
            memberships come from the store then, and what members do is kept in the daemon's own journal, sent on to the \
            other daemons through Redis, and taken over into the catalog by the next "coterie recompute". A catalog that an older \
            program made is brought up to date first.

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
                    Where a daemon that shares a store in Redis keeps what members do, of its own and durable; without a \
                    catalog ~/.local/state/coterie/journal-PORT.sqlite unless said otherwise
                    """,
                environment: "COTERIE_JOURNAL"),
            Option(
                "sessions", "FILE",
                help: "Where the lists of sessions are kept; beside the catalog unless said otherwise",
                environment: "COTERIE_SESSIONS"),
            Option(flag: "log-requests", help: "Log every request, not only those that are refused"),
        ],
        examples: [
            "coterie serve", "coterie serve --store redis://localhost --port 8081 --log-requests",
            "coterie serve --address 10.0.0.5 --keys /etc/coterie/keys.json --open groups,trending",
        ])

    static func run(_ parsed: ParsedCommand) throws {
        Daemon.holdTerminationSignals()
        let store = try parsed.openStore()
        var configuration = Daemon.Configuration(store: store, server: try server(parsed))
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
        configuration.directory = try directory(parsed, store)
        try keepRecords(parsed, &configuration)
        try Daemon(configuration).runUntilTerminated()
    }

    /// Where what members do is kept, and the lists of their sessions.
    private static func keepRecords(_ parsed: ParsedCommand, _ configuration: inout Daemon.Configuration) throws {
        let hasCatalog = configuration.directory is CatalogDirectory
        let sessions = parsed.textIfGiven("sessions")
        if configuration.store.channel == nil {
            guard parsed.textIfGiven("journal") == nil else {
                throw UsageError(
                    "--journal is for daemons that share a store in Redis; with a folder, the catalog has all")
            }
        } else if parsed.textIfGiven("journal") != nil || !hasCatalog {
            let path = try parsed.textIfGiven("journal") ?? usualJournal(ofPort: parsed.text("port"))
            configuration.sharedJournalPath = path
            configuration.sessions = try SessionFile(path: sessions ?? path + "-sessions")
            return
        }
        if hasCatalog {
            configuration.journal = try CatalogJournal(path: parsed.text("catalog"))
            configuration.sessions = try SessionFile(path: sessions ?? parsed.text("catalog") + "-sessions")
        }
    }

    private static func usualJournal(ofPort port: String) throws -> String {
        "\(try ParsedCommand.stateFolder())/journal-\(port).sqlite"
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

    private static func directory(_ parsed: ParsedCommand, _ store: any VersionStore) throws -> (any MemberDirectory)? {
        let path = parsed.text("catalog")
        guard try isCatalogReady(path) else {
            EventLog.standardError.warning(
                store.keepsProfiles
                    ? "no catalog at \(path): memberships are read from the store, photos are not served"
                    : "no catalog at \(path): only groups are served")
            return store.keepsProfiles ? StoreDirectory(store) : nil
        }
        return try CatalogDirectory(path: path)
    }

    /// Whether there is a catalog; one that an older program made is brought up to date.
    private static func isCatalogReady(_ path: String) throws(CatalogError) -> Bool {
        do throws(CatalogError) {
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
