import Answers
import CatalogStore
import CommandLineOptions
import FoundationEssentials
import Glibc
import Model
import ModelStore
import Tokens

/// Options that several commands share.
enum CommonOptions {
    static let catalog = Option(
        "catalog", "FILE", help: "The catalog, a SQLite file", default: "coterie.sqlite", environment: "COTERIE_CATALOG"
    )
    static let store = Option(
        "store", "STORE",
        help: "Where model versions are: a folder, or redis://[user:password@]host[:port][/db]",
        default: "coterie-models", environment: "COTERIE_STORE")
    static let cache = Option(
        "cache", "FOLDER",
        help: "Where images of versions are kept that come from Redis; ~/.cache/coterie unless said otherwise",
        environment: "COTERIE_CACHE")
    static let audience = Option(
        "audience", "NAME", help: "Whom tokens are meant for, their claim aud", default: "coterie",
        environment: "COTERIE_AUDIENCE")
    static let issuer = Option(
        "issuer", "NAME", help: "Who makes tokens, their claim iss; anybody with a key unless said otherwise",
        environment: "COTERIE_ISSUER")
    static let json = Option(flag: "json", help: "Answer in JSON")
    static let limit = Option("limit", short: "n", "N", help: "How many to list, at most", default: "20")
    static let threads = Option(
        "threads", "N", help: "How many threads compute; all processors unless said otherwise")
    static let version = Option("model", "VERSION", help: "Look into this version instead of the current one")
}

extension LoadedVersion {
    /// The version as answers name it: a command reads the one that it was asked for, so that nothing newer is missing.
    var served: ServedVersion { ServedVersion(manifest.version, degraded: false) }
}

extension ParsedCommand {
    /// Opens the catalog for reading.
    func openCatalog() throws(CatalogError) -> Catalog { try Catalog(path: text("catalog"), mode: .reading) }

    /// Opens the catalog for reading if there is one.
    func openCatalogIfPresent() throws(CatalogError) -> Catalog? {
        do throws(CatalogError) {
            return try openCatalog()
        } catch {
            if error.code == .missing { return nil }
            throw error
        }
    }

    /// What tokens must say of their audience and their maker.
    var tokenChecker: TokenChecker { TokenChecker(audience: text("audience"), issuer: textIfGiven("issuer")) }

    /// Opens the store.
    func openStore() throws(StoreError) -> any VersionStore {
        try StoreLocation(text("store")).open(cacheDirectory: textIfGiven("cache") ?? Self.usualCache)
    }

    /// The folder for what must not be lost and is of this machine alone; it is made if it is not there.
    static func stateFolder() throws -> String {
        // As systemd says where a service keeps its state.
        let folder = ProcessInfo.processInfo.environment["STATE_DIRECTORY"] ?? usual("XDG_STATE_HOME", ".local/state")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }

    /// The user's own cache folder.
    private static var usualCache: String { usual("XDG_CACHE_HOME", ".cache") }

    /// The user's own folder of a kind, as the XDG base directory specification has it.
    private static func usual(_ variable: String, _ path: String) -> String {
        let environment = ProcessInfo.processInfo.environment
        if let folder = environment[variable], folder.hasPrefix("/") { return folder + "/coterie" }
        if let home = environment["HOME"], home.hasPrefix("/") { return "\(home)/\(path)/coterie" }
        return "/var/tmp/coterie-\(getuid())"
    }

    /// Loads the version that was asked for, or the current one.
    func loadVersion() throws -> LoadedVersion {
        let store = try openStore()
        if let name = textIfGiven("model") { return try store.load(VersionName(name)) }
        guard let current = try store.current() else {
            throw Failure(
                Failure.badData, "there is no model version in \(store.location): run \"coterie recompute\" first")
        }
        return try store.load(current)
    }

    /// The number of threads that was asked for, else that of the processors.
    func threadCount() throws(UsageError) -> Int {
        try integerIfGiven("threads", in: 1...1024) ?? max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    }
}
