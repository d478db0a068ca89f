import CatalogStore
import CommandLine
import Basics
import FoundationEssentials
import HTTP
import ModelStore
import Recommendation
import Service

/// `coterie serve`.
enum ServeCommand: ConfiguredCommand {
    static let command = Command(
        "serve", summary: "Serve similar groups and recommendations over HTTP",
        discussion: """
            /openapi.json describes the API, /healthz and /readyz report the daemon's state, and /metrics has metrics \
            for Prometheus. The daemon loads newly published versions without a restart. On SIGTERM it finishes open \
            requests and exits. On SIGHUP, and every few seconds, it looks for changes of the key file and the \
            configuration files. "coterie config list" says which settings it takes up while it runs.

            With --keys, requests need a token, except for the API description, the health checks and the areas of \
            --open. A member's token is valid for /v1/users/{that member} only, a service's for groups, photos, \
            trending, the map and metrics, an admin's for /v1/admin. "coterie token" makes keys and tokens. The daemon rereads \
            the key file when it changes. Without --keys no request needs a token, and the daemon listens on loopback \
            addresses only.

            With a store in a folder, the daemon reads memberships and photos from the catalog and records \
            interactions there. Several daemons can share a store in Redis. A daemon then reads memberships from the \
            store. It reads photos and hidden groups from the catalog, if there is one. It records interactions in a \
            journal of its own and sends them to the other daemons through Redis. The next "coterie recompute" \
            applies them to the catalog. If there is no catalog yet, the daemon says so, and reads it as soon as it \
            is there. "--catalog none" says that there is none.
            The log goes to standard error, one JSON object per line. It contains no tokens and no query strings.
            """,
        options: [CommonOptions.catalog] + CommonOptions.storeOptions + [
            Option(
                "address", "ADDRESS", help: "The numeric address to listen on",
                default: "127.0.0.1", environment: "COTERIE_ADDRESS", setting: Setting("serve.address")),
            Option(
                "port", short: "p", "PORT", help: "The port to listen on; 0 for any free port", default: "8080",
                environment: "COTERIE_PORT", type: .integer(0...65535), setting: Setting("serve.port")),
            Option(
                "threads", "N", help: "The number of threads that answer requests", default: "2",
                type: .integer(1...256), setting: Setting("serve.threads")),
            CommonOptions.keys(
                help: "The keys that sign tokens: a JSON Web Key Set that only its owner can read"),
            CommonOptions.audience, CommonOptions.issuer,
        ] + LiveOptions.limits.map(\.option) + [
            Option(
                "connections", "N",
                help: "The most connections at a time; one more takes the place of an idle one, or gets status 503",
                default: "1024", type: .integer(1...65536), setting: Setting("serve.connections")),
            Option(
                "address-connections", "N",
                help: "The most connections from one address; 0 for no limit, as behind a gateway", default: "0",
                type: .integer(0...65536), setting: Setting("serve.addressConnections")),
            Option(
                "idle-seconds", "SECONDS",
                help: "Close a connection without a request after this time; more than a load balancer's idle timeout",
                default: "75", type: .integer(1...3600), setting: Setting("serve.idleSeconds")),
            Option(
                "drain-seconds", "SECONDS",
                help: "The time to go on answering after SIGTERM, while /readyz is 503",
                default: "0", type: .integer(0...600), setting: Setting("serve.drainSeconds")),
            Option(
                "answer-cache", "MIB",
                help: "The size of the cache of answers in MiB; 0 for no cache",
                default: "32", type: .integer(0...65536), setting: Setting("serve.answerCacheMiB")),
            Option(
                flag: "pages", help: "Show pages for operators below /admin, which open with an admin token",
                setting: Setting("serve.pages")),
        ] + LiveOptions.pages.map(\.option) + PlanOptions.deployed + [
            Option(
                "journal", "FILE",
                help: """
                    With a store in Redis: the daemon's own journal of interactions (default: \
                    ~/.local/state/coterie/journal-PORT.sqlite)
                    """,
                environment: "COTERIE_JOURNAL", setting: Setting("serve.journal")),
            Option(
                "sessions", "FILE",
                help: "The file for the lists of sessions (default: next to the catalog or the journal)",
                environment: "COTERIE_SESSIONS", setting: Setting("serve.sessions")),
            Option(
                flag: "skip-missing",
                help: """
                    With a store in Redis: give up damaged changes of the journal that no other daemon has. Later \
                    ones are then sent; the log names each
                    """),
        ] + LiveOptions.logs.map(\.option) + TapeOptions.recording,
        examples: [
            "coterie serve", "coterie serve --store redis://localhost --port 8081 --log-requests",
            "coterie serve --address 10.0.0.5 --keys /etc/coterie/keys.json --open groups,trending",
            "coterie serve --record tape",
        ])

    static func run(_ invocation: Invocation) throws {
        Daemon.holdSignals()
        let watched = try WatchedConfiguration(invocation)
        let parsed = watched.parsed
        let path = parsed.text("catalog")
        let store = try parsed.openStore(hasOwnCopies: true)
        let catalog = try readyCatalog(path)
        var configuration = Daemon.Configuration(
            try deployment(parsed, store, catalog: catalog), server: try server(parsed))
        if catalog == nil, path != Catalog.noneWord {
            configuration.awaited = AwaitedCatalog(path: path) {
                try Self.readyCatalog(path).map { try Self.deployment(parsed, store, catalog: $0) }
            }
        }
        configuration.drain = Drain(.seconds(try parsed.integer("drain-seconds")))
        configuration.live = watched.live
        configuration.settingsSource = watched
        configuration.answerCacheBytes = try parsed.integer("answer-cache") << 20
        configuration.hasPages = parsed.flag("pages")
        configuration.tape = try TapeOptions.settings(parsed, fingerprint: watched.fingerprint)
        try Daemon(configuration).runUntilTerminated()
    }

    /// Returns the places of versions, members and recorded changes.
    ///
    /// - Parameter catalog: the path of the catalog, or nil if there is none.
    private static func deployment(_ parsed: ParsedCommand, _ store: any VersionStore, catalog: String?) throws
        -> Deployment
    {
        let sessions = parsed.textIfGiven("sessions")
        guard let shared = store.shared else {
            guard parsed.textIfGiven("journal") == nil else {
                throw UsageError(
                    "--journal needs a store in Redis; with a folder, interactions are recorded beside the catalog")
            }
            if let catalog {
                let usual = try sessionsFile(beside: catalog) ?? usualFile("sessions", ofPort: parsed.text("port"))
                return .catalog(store, path: catalog, sessions: sessions ?? usual)
            }
            // Without a folder for it, every request gets a new list.
            return .versionsOnly(store, sessions: sessions ?? (try? usualFile("sessions", ofPort: parsed.text("port"))))
        }
        let journal = try parsed.textIfGiven("journal") ?? usualFile("journal", ofPort: parsed.text("port"))
        return .shared(
            shared, journal: journal, catalog: catalog, sessions: sessions, skipsMissing: parsed.flag("skip-missing"))
    }

    /// Returns the file of sessions beside a catalog, or nil if this user may not write to the catalog.
    ///
    /// If the catalog is a link into another folder and the link's folder is not writable, the file is beside the
    /// link's target.
    private static func sessionsFile(beside catalog: String) -> String? {
        guard Catalog.isWritable(catalog) else { return nil }
        let mayWrite = FileManager.default.isWritableFile(atPath: FileTree.folder(of: catalog))
        return (mayWrite ? catalog : Catalog.resolved(catalog) ?? catalog) + "-sessions"
    }

    /// Returns a file of this daemon in the state folder, which holds data that must not be lost.
    private static func usualFile(_ name: String, ofPort port: String) throws -> String {
        "\(try ParsedCommand.stateFolder())/\(name)-\(port).sqlite"
    }

    private static func server(_ parsed: ParsedCommand) throws -> HTTPServer.Configuration {
        var server = HTTPServer.Configuration()
        server.address = parsed.text("address")
        server.port = UInt16(try parsed.integer("port"))
        server.threadCount = try parsed.integer("threads")
        server.connectionLimit = try parsed.integer("connections", in: server.threadCount...65536)
        server.connectionLimitPerAddress = try parsed.integer("address-connections")
        server.idleTimeoutSeconds = try parsed.integer("idle-seconds")
        return server
    }

    /// Returns the path of the catalog, or nil if there is none; warns of a place that does not suit one.
    private static func readyCatalog(_ path: String) throws(Failure) -> String? {
        guard path != Catalog.noneWord, try isCatalogReady(path) else { return nil }
        if let place = CatalogPlace(of: path) {
            EventLog.standardError.warning("\(place.problem(ofCatalog: path)); \(place.advice)")
        }
        return path
    }

    private static func isCatalogReady(_ path: String) throws(Failure) -> Bool {
        do throws(Failure) {
            guard Catalog.isWritable(path) || !FileManager.default.fileExists(atPath: path) else {
                _ = try Facts(path: path)
                let reason =
                    Catalog.obstacle(toWriting: path)
                    ?? "\(FileAccess.user) may not write to the catalog \(path), which \(FileAccess.ownership(of: path))"
                EventLog.standardError.warning("\(reason): nothing is recorded")
                return true
            }
            try checkRecording(path)
            return true
        } catch {
            guard error.code == .missing else { throw error }
            return false
        }
    }

    /// Checks that a catalog can be opened for recording or, if the disk is full, read.
    private static func checkRecording(_ path: String) throws(Failure) {
        do throws(Failure) { _ = try Catalog(path: path, mode: .recording) } catch {
            guard error.code == .diskFull else { throw error }
            _ = try Facts(path: path)
            EventLog.standardError.warning("the catalog \(path) cannot be written: \(error.message)")
        }
    }
}
