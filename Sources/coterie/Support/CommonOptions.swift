import CatalogStore
import CommandLine
import Experiments
import Basics
import FoundationEssentials
import Glibc
import Model
import ModelStore
import Recompute
import Service

/// Options that several commands share.
enum CommonOptions {
    static let catalog = Option(
        "catalog", "FILE", help: "The catalog, a SQLite file", default: "coterie.sqlite",
        environment: "COTERIE_CATALOG", setting: Setting("catalog.file"))
    static let store = Option(
        "store", "STORE",
        help: """
            The store of model versions: a folder, redis://[user:password@]host[:port][/db], or \
            redis-sentinel://[user:password@]host[:port],…/NAME[/db]
            """,
        default: "coterie-models", environment: "COTERIE_STORE", setting: Setting("store.location"))
    /// The options for the location of the store, the login there, and the cache of its versions.
    static let storeOptions = [
        store,
        Option(
            "store-user", "NAME", help: "The user to log in as at Redis (default: Redis's own default user)",
            setting: Setting("store.user")),
        Option(
            "store-password-file", "FILE",
            help: "The file with Redis's password, which only its owner and group can read",
            setting: Setting("store.passwordFile")),
        cache,
    ]
    static let cache = Option(
        "cache", "FOLDER",
        help: "The folder in which versions from Redis are cached (default: ~/.cache/coterie)",
        environment: "COTERIE_CACHE", setting: Setting("store.cache"))
    /// The options of commands that read a version and, if there is one, the catalog.
    static let readingOptions = [version, catalog] + storeOptions
    static let audience = Option(
        "audience", "NAME", help: "The audience of tokens, the claim aud", default: "coterie",
        environment: "COTERIE_AUDIENCE", setting: Setting("access.audience", isLive: true))
    static let issuer = Option(
        "issuer", "NAME", help: "The issuer of tokens, the claim iss (default: not checked)",
        environment: "COTERIE_ISSUER", setting: Setting("access.issuer", isLive: true))
    /// Returns the option for the key file, with a command's own help.
    static func keys(help: String, isRequired: Bool = false) -> Option {
        Option(
            "keys", "FILE", help: help, environment: "COTERIE_KEYS", setting: Setting("access.keys"),
            isRequired: isRequired)
    }
    static let recomputeMetrics = Option(
        "metrics", "FILE",
        help: "The file that tells Prometheus when the weekly job last succeeded and last failed, and why",
        environment: "COTERIE_RECOMPUTE_METRICS", setting: Setting("recompute.metrics"), isOutput: true)
    static let json = Option(flag: "json", help: "Write JSON")
    static let limit = Option("limit", short: "n", "N", help: "The maximum number of rows", default: "20")
    static let threads = Option(
        "threads", "N", help: "The number of threads (default: one for each processor that may be used)",
        type: .integer(1...1024),
        setting: Setting("recompute.threads"))
    static let version = Option("model", "VERSION", help: "Use this version instead of the current one")
}

extension ParsedCommand {
    func openCatalog() throws(Failure) -> Facts { try Facts(path: text("catalog")) }

    /// Opens the catalog for reading if there is one.
    func openCatalogIfPresent() throws(Failure) -> Facts? {
        do throws(Failure) {
            return try openCatalog()
        } catch {
            if error.code == .missing { return nil }
            throw error
        }
    }

    var tokenChecker: TokenChecker { TokenChecker(audience: text("audience"), issuer: textIfGiven("issuer")) }

    /// Opens the store.
    ///
    /// - Parameter hasOwnCopies: whether loaded versions are copied first, for a process that keeps them for long.
    func openStore(hasOwnCopies: Bool = false) throws -> any VersionStore {
        try storeLocation().open(
            cacheDirectory: cacheFolder, hasOwnCopies: hasOwnCopies)
    }

    /// The folder in which versions from Redis are cached.
    var cacheFolder: String { textIfGiven("cache") ?? Self.usualCache }

    /// Returns the location of the store, with the login there.
    func storeLocation() throws -> StoreLocation {
        let location = try StoreLocation(text("store"))
        if location.hasPassword, origin(of: "store") == .commandLine {
            printToStandardError(
                "warning: everybody on this machine can see the password in --store: use --store-password-file")
        }
        guard let path = textIfGiven("store-password-file") else { return location }
        let file = SecretFile(path)
        return location.loggingIn(user: textIfGiven("store-user"), password: try file.read()) { try? file.read() }
    }

    /// Returns the folder for durable data of this machine, and creates it if it is missing.
    static func stateFolder() throws -> String {
        let folder = stateFolderPath
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw Failure(
                .general,
                """
                cannot make the folder \(folder): \(SystemWords.sentence(error)); name files elsewhere with --journal \
                and --sessions, or another folder with XDG_STATE_HOME
                """)
        }
        guard isOwn(folder) else {
            throw Failure(
                .general,
                "the folder \(folder) is another user's: name files elsewhere with --journal and --sessions")
        }
        return folder
    }

    /// The path of the folder for durable data of this machine, which may not exist.
    static var stateFolderPath: String {
        // systemd sets this variable to the state folder of a service.
        ProcessInfo.processInfo.environment["STATE_DIRECTORY"] ?? usual("XDG_STATE_HOME", ".local/state")
    }

    /// The user's cache folder.
    private static var usualCache: String { usual("XDG_CACHE_HOME", ".cache") }

    /// Returns the user's folder of a kind, by the XDG base directory specification.
    ///
    /// - Parameters:
    ///   - variable: the environment variable of this kind; a value that is no absolute path is ignored.
    ///   - path: the default, relative to the home folder.
    private static func usual(_ variable: String, _ path: String) -> String {
        let environment = ProcessInfo.processInfo.environment
        if let folder = environment[variable], folder.hasPrefix("/") { return folder + "/coterie" }
        if let home = environment["HOME"], home.hasPrefix("/") {
            let folder = "\(home)/\(path)/coterie"
            if FileTree.exists(folder) || canMake(folder) { return folder }
        }
        return "/var/tmp/coterie-\(getuid())"
    }

    /// Whether a folder that is missing can be made: many users of services have no home folder, or may not write
    /// there.
    private static func canMake(_ folder: String) -> Bool {
        let parent = FileTree.folder(of: folder)
        return FileTree.exists(parent) ? unsafe access(parent, W_OK | X_OK) == 0 : parent != "/" && canMake(parent)
    }

    /// Whether a folder belongs to this user, and is no link: in /var/tmp anybody can make one.
    private static func isOwn(_ folder: String) -> Bool {
        guard folder.hasPrefix("/var/tmp/") else { return true }
        var status = stat()
        return unsafe lstat(folder, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
    }

    /// Loads the requested version, or the current one.
    func loadVersion() throws -> LoadedVersion {
        let store = try openStore()
        if let name = textIfGiven("model") { return try store.load(VersionName(name)) }
        guard let current = try store.current() else {
            throw Failure(
                .badData, "there is no model version in \(store.location): run \"coterie recompute\" first")
        }
        return try store.load(current)
    }

    /// Returns the requested number of threads, or that of the processors.
    func threadCount() throws(UsageError) -> Int {
        try integerIfGiven("threads") ?? AvailableProcessors.count()
    }
}

/// The options for the numbers that determine lists; an arm of an experiment can set the same numbers.
enum ListOptions {
    private static let settings = ListSetting.all(of: Coterie.relations)

    static let all = settings.map { setting in
        Option(
            setting.name, "X", help: "Lists: \(setting.meaning)", type: .number(setting.bounds),
            setting: Setting("lists.\(Setting.camelCased(setting.name))", isLive: true))
    }

    /// Returns the given values, by the names of their settings.
    static func values(of parsed: ParsedCommand) throws(UsageError) -> [String: Double] {
        var values: [String: Double] = [:]
        for setting in settings { values[setting.name] = try parsed.numberIfGiven(setting.name) }
        return values
    }
}

/// The options that limit the difference between a new version and the current one.
enum GateOptions {
    private static let standard = GateLimits()

    static var all: [Option] {
        [
            limit("max-lost", "The share of groups, members or entries that may be gone", standard.lost),
            limit("max-emptied", "The share of groups that may lose all neighbours", standard.emptied),
            limit("min-overlap", "The mean share of the 10 best neighbours that must stay", standard.overlap),
            limit("max-drift", "The mean relative change of scores that is allowed", standard.drift),
            Option(flag: "force", help: "Make the new version current, however different it is"),
        ]
    }

    static func limits(of parsed: ParsedCommand) throws(UsageError) -> GateLimits {
        func share(_ name: String) throws(UsageError) -> Double { Double(try parsed.integer(name)) / 100 }
        return GateLimits(
            lost: try share("max-lost"), emptied: try share("max-emptied"), overlap: try share("min-overlap"),
            drift: try share("max-drift"))
    }

    private static func limit(_ name: String, _ help: String, _ share: Double) -> Option {
        Option(
            name, "PERCENT", help: help, default: String(Int((share * 100).rounded())), type: .integer(0...1000),
            setting: Setting("recompute.gate.\(Setting.camelCased(name))Percent"))
    }
}

/// The options that let other processes find the neighbours.
enum ShareOptions {
    static let all = [
        Option(
            "tables", "FOLDER",
            help: "Read entries, users and photos from a folder of tables, and the rest from the catalog"),
        Option(
            "share", "FOLDER",
            help: "Let others find the neighbours, by files in this folder: see the article \"Past one machine\""),
        Option("parts", "N", help: "With --share: the number of parts of the work", default: "64"),
        Option(
            "block-rows", "N",
            help: "With --share: the number of groups in a block, a multiple of 64 (default: to fit the caches)"),
    ]

    /// Returns the processes that find neighbours, or `nil` for threads of this one.
    static func finding(_ parsed: ParsedCommand) throws -> SharedFinding? {
        guard let folder = parsed.textIfGiven("share") else { return nil }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return SharedFinding(
            folder: folder, partCount: try parsed.integer("parts", in: 1...1_000_000),
            blockRows: try parsed.integerIfGiven("block-rows", in: 1...1 << 20), ask: ask)
    }

    /// Writes the order as a line of JSON to standard output, and waits for the line "done" on standard input.
    ///
    /// - Throws: `Failure` with the code `tryLater` if another line comes, or none.
    @Sendable private static func ask(_ order: SharedFinding.Order) throws(Failure) {
        guard let json = try? JSON.encoded(order), Descriptor.write(json + [UInt8(ascii: "\n")], to: 1),
            readLine() == "done"
        else {
            throw Failure(
                .tryLater,
                "nobody answered \"done\" to the order of work by \(order.relation): the current version stays")
        }
    }
}
