import Answers
import CommandLine
import Recommendation
import Service

/// The settings that a running daemon can reload.
enum ServeSettings {
    /// Returns the settings that a running daemon can reload.
    ///
    /// - Parameter keys: the keys of the daemon, or `nil` for none.
    /// - Throws: `UsageError` or `Failure` if a setting is invalid.
    static func live(_ parsed: ParsedCommand, keys: KeyRing?) throws -> LiveSettings {
        var settings = LiveSettings()
        settings.access = try access(parsed, keys)
        settings.rateLimits = RateLimits(
            bearers: [
                .member: try rate("member-rate", parsed), .admin: try rate("member-rate", parsed),
                .service: try rate("service-rate", parsed),
            ].compactMapValues(\.self), openArea: try rate("open-rate", parsed))
        settings.quota = try quota(parsed)
        settings.staleAfter = try parsed.duration("stale-after")
        settings.logsRequests = parsed.flag("log-requests")
        settings.logsMembers = parsed.text("log-members") == "yes"
        settings.crossOrigin = try crossOrigin(parsed)
        settings.addresses = SiteAddresses(
            groups: try address("group-url", hasSize: false, parsed),
            photos: try address("photo-url", hasSize: true, parsed),
            arePhotosOnPages: !parsed.flag("no-page-photos"))
        settings.apps = try apps(parsed)
        settings.planning.key = try parsed.rotationKey()
        settings.planning.configuration = try parsed.deployedConfiguration()
        settings.listSettings = parsed.listSettings(settings.planning.key)
        return settings
    }

    /// Reads the keys of the key file, or returns `nil` if none is named.
    static func keys(_ parsed: ParsedCommand) throws -> KeyRing? {
        try parsed.textIfGiven("keys").map { path throws in try KeyRing(KeyFile(path: path)) }
    }

    private static func crossOrigin(_ parsed: ParsedCommand) throws(UsageError) -> CrossOriginPolicy {
        let origins = parsed.texts("allow-origin").flatMap { $0.split(separator: ",").map(String.init) }
        for origin in origins where !CrossOriginPolicy.isOrigin(origin) {
            throw UsageError(
                """
                --allow-origin is "\(origin)": give a scheme and a host in lower case, without a path, \
                such as https://photos.example or capacitor://localhost
                """)
        }
        return CrossOriginPolicy(origins: origins)
    }

    private static func apps(_ parsed: ParsedCommand) throws(UsageError) -> AppLinks {
        var apps = AppLinks()
        for app in parsed.texts("apple-app") where !apps.add(appleApp: app) {
            throw UsageError(
                "--apple-app is \"\(app)\": give the id of the team and of the bundle, such as ABCDE12345.com.example.photos"
            )
        }
        for app in parsed.texts("android-app") where !apps.add(androidApp: app) {
            throw UsageError(
                "--android-app is \"\(app)\": give the package, = and the SHA-256 fingerprint of its certificate, such as "
                    + "com.example.photos=14:6D:E9:…, which has 32 pairs of digits")
        }
        return apps
    }

    private static func address(_ option: String, hasSize: Bool, _ parsed: ParsedCommand) throws(UsageError)
        -> AddressTemplate?
    {
        guard let text = parsed.textIfGiven(option) else { return nil }
        guard let template = AddressTemplate(text, hasSize: hasSize) else {
            let example = hasSize ? "https://pictures.example/{id}_{size}.jpg" : "https://photos.example/groups/{id}"
            throw UsageError(
                "--\(option) is \"\(text)\": give an address with {id}\(hasSize ? " and perhaps {size}" : "") in it, "
                    + "such as \(example)")
        }
        return template
    }

    /// Returns the rate of an option, with bursts of twice the rate of a second, or `nil` for no limit.
    private static func rate(_ option: String, _ parsed: ParsedCommand) throws(UsageError) -> RateLimit? {
        let perSecond = try parsed.integer(option)
        return perSecond > 0 ? RateLimit(perSecond: perSecond, burst: 2 * perSecond) : nil
    }

    private static func quota(_ parsed: ParsedCommand) throws(UsageError) -> MemberQuota {
        let perDay = try parsed.integer("member-interactions")
        guard perDay == 0 || perDay >= MemberQuota.fewestInteractions else {
            throw UsageError(
                "--member-interactions is \(perDay): a batch may have \(MemberQuota.fewestInteractions), so it is 0 or "
                    + "more than that")
        }
        let mebibytes = try parsed.integer("member-kept")
        return MemberQuota(
            interactionsPerDay: perDay > 0 ? perDay : nil, keptBytes: mebibytes > 0 ? mebibytes << 20 : nil)
    }

    private static func access(_ parsed: ParsedCommand, _ keys: KeyRing?) throws(UsageError) -> AccessPolicy {
        var policy = AccessPolicy(keys: keys, checker: parsed.tokenChecker)
        policy.checker.yearLimit = try parsed.integer("token-years")
        policy.checker.leewaySeconds = try parsed.integer("token-leeway")
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
}

/// The description of a setting.
struct SettingFacts: Answer {
    let key: String
    let variable: String
    let option: String
    let defaultValue: String?
    let type: String
    /// Whether a running daemon applies a change.
    let isLive: Bool
    let commands: [String]
    let help: String

    /// The description of an option, or `nil` if it is no setting.
    init?(_ option: Option) {
        guard let setting = option.setting else { return nil }
        key = setting.key
        variable = option.environmentVariable ?? ""
        self.option = "--\(option.name)"
        defaultValue = option.defaultValue
        type = option.typeText
        isLive = setting.isLive
        commands = Coterie.program.commands.filter { $0.options.contains { $0.setting == setting } }.map(\.name)
        help = option.help
    }

    /// The need of a daemon's restart after a change, "yes" or "no", or `nil` if no daemon uses the setting.
    private var restart: String? {
        commands.contains(ServeCommand.command.name) ? isLive ? "no" : "yes" : nil
    }

    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("key", \.key, "Its place in configuration files", column: .text("key"))
        fields.always("option", \.option, "Its option", column: .text("option"))
        fields.always("variable", \.variable, "Its environment variable", column: .text("variable"))
        fields.sometimes("defaultValue", \.defaultValue, "Its value if none is given", column: .text("default"))
        fields.always("type", \.type, "What its values are")
        fields.always("isLive", \.isLive, "Whether a running daemon applies a change")
        fields.always("commands", \.commands, "The commands that read it")
        fields.column(Column("restart") { $0.restart ?? "-" })
        fields.always("help", \.help, "What it is", column: .text("what it is"))
    }
}

/// A setting with its values and their origin.
struct SettingValue: Answer {
    let key: String
    let values: [String]
    let origin: String

    /// The values of an option, or `nil` if it is no setting.
    init?(_ option: Option, _ texts: [String], _ origin: ValueOrigin) {
        guard let setting = option.setting else { return nil }
        key = setting.key
        values = option.isFlag ? [texts.isEmpty ? "false" : "true"] : texts.map(Secrets.hidden)
        self.origin =
            switch origin {
            case .commandLine: "--\(option.name)"
            case .environment: option.environmentVariable ?? "environment"
            case .file(let place): place
            case .standard: "default"
            }
    }

    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("key", \.key, "Its place in configuration files", column: .text("key"))
        fields.always(
            "values", \.values, "Its values",
            column: Column("value") { $0.isEmpty ? "-" : $0.joined(separator: ", ") })
        fields.always("origin", \.origin, "Where they come from", column: .text("from"))
    }
}

extension Option {
    /// The type of the option's value, in words.
    fileprivate var typeText: String {
        if isFlag { return "true or false" }
        return allowedValues.isEmpty ? type.description : "one of \(allowedValues.joined(separator: ", "))"
    }
}

extension ParsedCommand {
    /// The values of the settings that lists depend on, by key.
    var listSettingValues: [String: String] {
        var values: [String: String] = [:]
        for (option, texts) in settings {
            guard let setting = option.setting, setting.key.hasPrefix("lists.") else { continue }
            values[setting.key] = texts.joined(separator: ",")
        }
        return values
    }

    /// Returns a fingerprint of all that lists are made with but the version: settings, rotation key and release.
    fileprivate func listSettings(_ key: RotationKey) -> String {
        let lines = listSettingValues.map { "\($0.key)=\($0.value)" }.sorted()
        return Pseudonyms.fingerprint(of: (lines + [key.fingerprint, Coterie.program.version]).joined(separator: "\n"))
    }
}

extension RotationKey {
    /// A fingerprint from which the key does not follow.
    var fingerprint: String { Pseudonyms.fingerprint(of: "\(words.0) \(words.1)") }
}
