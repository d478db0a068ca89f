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
            /openapi.json describes the API, /healthz and /readyz report the daemon's state, and /metrics has metrics \
            for Prometheus. The daemon loads newly published versions without a restart. On SIGTERM it finishes open \
            requests and exits; on SIGHUP it rereads the key file.

            With --keys, requests need a token, except for the API description, the health checks and the areas of \
            --open. A member's token is valid for /v1/users/{that member} only, a service's for groups, photos, \
            trending and metrics, an admin's for /v1/admin. "coterie token" makes keys and tokens. The daemon rereads \
            the key file when it changes. Without --keys no request needs a token, and the daemon listens on loopback \
            addresses only.

            With a store in a folder, the daemon reads memberships and photos from the catalog and records \
            interactions there. With a store in Redis, which several daemons can share, it reads memberships from the \
            store, and from the catalog, if there is one, only photos and hidden groups. It records interactions in a \
            journal of its own and sends them to the other daemons through Redis; the next "coterie recompute" applies \
            them to the catalog. A catalog of an older program is migrated at the start.
            The log goes to standard error, one JSON object per line. It contains no tokens and no query strings.
            """,
        options: [
            CommonOptions.catalog, CommonOptions.store, CommonOptions.cache,
            Option(
                "address", "ADDRESS", help: "The numeric address to listen on",
                default: "127.0.0.1", environment: "COTERIE_ADDRESS"),
            Option(
                "port", short: "p", "PORT", help: "The port to listen on; 0 for any free port", default: "8080",
                environment: "COTERIE_PORT"),
            Option("threads", "N", help: "The number of threads that answer requests", default: "2"),
            Option(
                "keys", "FILE",
                help: "The keys that sign tokens: a JSON Web Key Set that only its owner can read",
                environment: "COTERIE_KEYS"),
            CommonOptions.audience, CommonOptions.issuer,
            Option(
                "open", "AREAS",
                help: """
                    The areas that need no token, separated by commas: \
                    \(Area.allCases.map(\.rawValue).joined(separator: ", "))
                    """,
                environment: "COTERIE_OPEN", isRepeating: true),
            Option(
                "allow-origin", "ORIGIN",
                help: "Let pages of this site, such as https://photos.example, read answers in a browser; * for any",
                environment: "COTERIE_ALLOW_ORIGIN", isRepeating: true),
            Option(
                "member-rate", "N",
                help: "Requests per second that this daemon accepts from each member and admin\(burst)", default: "20"),
            Option(
                "service-rate", "N",
                help: "Requests per second that this daemon accepts from each service\(burst)", default: "0"),
            Option(
                "open-rate", "N",
                help: """
                    Requests per second that this daemon accepts in each open area, from all callers together\(burst)
                    """,
                default: "200"),
            Option(
                "member-interactions", "N",
                help: "Interactions that this daemon records of each member in a day; 0 for no limit",
                default: "\(MemberQuota.usual.interactionsPerDay ?? 0)"),
            Option(
                "member-kept", "MIB",
                help: "Interactions that are kept of each member, in MiB; 0 for no limit",
                default: "\((MemberQuota.usual.keptBytes ?? 0) >> 20)"),
            Option(
                "connections", "N",
                help: "The most connections at a time; one more takes the place of an idle one, or gets status 503",
                default: "1024"),
            Option(
                "address-connections", "N",
                help: "The most connections from one address; 0 for no limit, as behind a gateway", default: "0"),
            Option(
                "answer-cache", "MIB",
                help: "The size of the cache of answers in MiB; 0 for no cache",
                default: "32"),
            Option(
                "stale-after", "DURATION", help: "The age at which /readyz calls a version stale, such as 36h or 14d",
                default: "14d"),
            PlanOptions.secret, PlanOptions.variety,
            Option(
                "journal", "FILE",
                help: """
                    With a store in Redis: the daemon's own journal of interactions (default: \
                    ~/.local/state/coterie/journal-PORT.sqlite)
                    """,
                environment: "COTERIE_JOURNAL"),
            Option(
                "sessions", "FILE",
                help: "The file for the lists of sessions (default: next to the catalog or the journal)",
                environment: "COTERIE_SESSIONS"),
            Option(flag: "log-requests", help: "Log every request, not only refused ones"),
        ],
        examples: [
            "coterie serve", "coterie serve --store redis://localhost --port 8081 --log-requests",
            "coterie serve --address 10.0.0.5 --keys /etc/coterie/keys.json --open groups,trending",
        ])

    /// What the three rate options have in common.
    private static let burst = "; a burst may be twice as large; 0 for no limit"

    static func run(_ parsed: ParsedCommand) throws {
        Daemon.holdSignals()
        var configuration = Daemon.Configuration(try deployment(parsed), server: try server(parsed))
        configuration.access = try access(parsed)
        configuration.rateLimits = RateLimits(
            bearers: [
                .member: try rate("member-rate", parsed), .admin: try rate("member-rate", parsed),
                .service: try rate("service-rate", parsed),
            ].compactMapValues(\.self), openArea: try rate("open-rate", parsed))
        configuration.quota = try quota(parsed)
        configuration.staleAfter = try parsed.duration("stale-after", in: .seconds(60)...(.seconds(3650 * 86400)))
        configuration.answerCacheBytes = try parsed.integer("answer-cache", in: 0...65536) << 20
        configuration.logsRequests = parsed.flag("log-requests")
        configuration.crossOrigin = try crossOrigin(parsed)
        configuration.planning.key = try parsed.rotationKey()
        configuration.planning.configuration = try parsed.deployedConfiguration()
        try Daemon(configuration).runUntilTerminated()
    }

    private static func crossOrigin(_ parsed: ParsedCommand) throws(UsageError) -> CrossOriginPolicy {
        let origins = parsed.texts("allow-origin").flatMap { $0.split(separator: ",").map(String.init) }
        for origin in origins where !CrossOriginPolicy.isOrigin(origin) {
            throw UsageError(
                """
                --allow-origin is "\(origin)": give a scheme and a host in lower case, without a path, \
                such as https://photos.example
                """)
        }
        return CrossOriginPolicy(origins: origins)
    }

    /// Where the daemon has versions and members from, and where it records changes.
    private static func deployment(_ parsed: ParsedCommand) throws -> Deployment {
        let store = try parsed.openStore(hasOwnCopies: true)
        let (path, sessions) = (parsed.text("catalog"), parsed.textIfGiven("sessions"))
        let catalog = try isCatalogReady(path) ? path : nil
        guard let shared = store.shared else {
            guard parsed.textIfGiven("journal") == nil else {
                throw UsageError(
                    "--journal needs a store in Redis; with a folder, interactions are recorded in the catalog")
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

    /// The rate that an option gives, with twice as many in a burst; nil for no limit.
    private static func rate(_ option: String, _ parsed: ParsedCommand) throws(UsageError) -> RateLimit? {
        let perSecond = try parsed.integer(option, in: 0...500_000)
        return perSecond > 0 ? RateLimit(perSecond: perSecond, burst: 2 * perSecond) : nil
    }

    private static func quota(_ parsed: ParsedCommand) throws(UsageError) -> MemberQuota {
        let perDay = try parsed.integer("member-interactions", in: 0...1_000_000_000)
        guard perDay == 0 || perDay >= MemberQuota.fewestInteractions else {
            throw UsageError(
                "--member-interactions is \(perDay): a batch may have \(MemberQuota.fewestInteractions), so it is 0 or "
                    + "more than that")
        }
        let mebibytes = try parsed.integer("member-kept", in: 0...1 << 20)
        return MemberQuota(
            interactionsPerDay: perDay > 0 ? perDay : nil, keptBytes: mebibytes > 0 ? mebibytes << 20 : nil)
    }

    private static func server(_ parsed: ParsedCommand) throws -> HTTPServer.Configuration {
        var server = HTTPServer.Configuration()
        server.address = parsed.text("address")
        server.port = UInt16(try parsed.integer("port", in: 0...65535))
        server.threadCount = try parsed.integer("threads", in: 1...256)
        server.connectionLimit = try parsed.integer("connections", in: server.threadCount...65536)
        server.connectionLimitPerAddress = try parsed.integer("address-connections", in: 0...65536)
        return server
    }

    private static func access(_ parsed: ParsedCommand) throws -> AccessPolicy {
        var policy = AccessPolicy(checker: parsed.tokenChecker)
        policy.keys = try parsed.textIfGiven("keys").map { path throws in try KeyRing(KeyFile(path: path)) }
        for name in parsed.texts("open").flatMap({ $0.split(separator: ",") }) {
            guard let area = Area(rawValue: String(name)) else {
                let names = Area.allCases.map(\.rawValue).joined(separator: ", ")
                throw parsed.badValue(
                    String(name), of: "open", expected: "one or more of \(names), separated by commas")
            }
            policy.openAreas.insert(area)
        }
        return policy
    }

    /// Whether there is a catalog; one of an older program is migrated.
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
                    "the catalog \(path) was migrated from schema version \(older) to \(catalog.schemaVersion)")
            }
            return true
        } catch {
            guard error.code == .missing else { throw error }
            return false
        }
    }
}
