import CommandLineOptions
import Glibc
import HTTP
import ModelStore
import Service

/// `coterie serve`.
enum ServeCommand: Subcommand {
    static let command = Command(
        "serve", summary: "Serve similar groups and recommendations over HTTP",
        discussion: """
            GET /v1/groups/{id}/similar, /v1/users/{id}/recommendations, /v1/photos/{id}/groups, /healthz and /readyz. \
            Follows newly published versions without a restart. Listens at loopback only, because it does not yet ask \
            clients for a token. Ends cleanly on SIGTERM.

            Memberships and photos are read from the catalog. Without one, memberships come from the store if it is \
            Redis, and photos are not served.
            """,
        options: [
            CommonOptions.catalog, CommonOptions.store, CommonOptions.cache,
            Option(
                "address", "ADDRESS", help: "Where to listen: 127.0.0.1 or ::1", default: "127.0.0.1",
                environment: "COTERIE_ADDRESS"),
            Option(
                "port", short: "p", "PORT", help: "The port; 0 takes any that is free", default: "8080",
                environment: "COTERIE_PORT"),
            Option("threads", "N", help: "Threads that answer requests", default: "2"),
            Option(flag: "log-requests", help: "Write a JSON line to standard error for every request"),
        ],
        examples: [
            "coterie serve", "coterie serve --store redis://localhost --port 8081 --log-requests",
        ])

    static func run(_ parsed: ParsedCommand) throws {
        let store = try parsed.openStore()
        var server = HTTPServer.Configuration()
        server.address = parsed.text("address")
        server.port = UInt16(try parsed.integer("port", in: 0...65535))
        server.threadCount = try parsed.integer("threads", in: 1...256)
        let directory = try directory(parsed, store)
        var configuration = Daemon.Configuration(store: store, directory: directory, server: server)
        if parsed.flag("log-requests") { configuration.requestLog = { StandardErrorLog.write($0) } }
        try Daemon(configuration).runUntilTerminated()
    }

    private static func directory(_ parsed: ParsedCommand, _ store: any VersionStore) throws -> (any MemberDirectory)? {
        let path = parsed.text("catalog")
        guard try parsed.openCatalogIfPresent() != nil else {
            StandardErrorLog.write(
                store.keepsProfiles
                    ? "no catalog at \(path): memberships are read from the store, photos are not served"
                    : "no catalog at \(path): only groups are served")
            return store.keepsProfiles ? StoreDirectory(store) : nil
        }
        return try CatalogDirectory(path: path)
    }
}
