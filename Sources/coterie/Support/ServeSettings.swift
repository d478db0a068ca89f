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
        settings.access = AccessPolicy(keys: keys, checker: parsed.tokenChecker)
        for option in LiveOptions.all { try option.read(parsed, into: &settings) }
        settings.planning.key = try parsed.rotationKey()
        settings.planning.configuration = try parsed.deployedConfiguration()
        settings.listSettings = parsed.listSettings(settings.planning.key)
        return settings
    }

    /// Reads the keys of the key file, or returns `nil` if none is named.
    static func keys(_ parsed: ParsedCommand) throws -> KeyRing? {
        try parsed.textIfGiven("keys").map { path throws in try KeyRing(KeyFile(path: path)) }
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
    func listSettings(_ key: RotationKey) -> String {
        let lines = listSettingValues.map { "\($0.key)=\($0.value)" }.sorted()
        return Pseudonyms.fingerprint(of: (lines + [key.fingerprint, Coterie.program.version]).joined(separator: "\n"))
    }
}

extension RotationKey {
    /// A fingerprint from which the key does not follow.
    var fingerprint: String { Pseudonyms.fingerprint(of: "\(words.0) \(words.1)") }
}
