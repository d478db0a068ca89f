import CommandLineOptions
import Configuration

/// What there is to know of a setting.
struct SettingFacts: Encodable {
    let key: String
    let variable: String
    let option: String
    let defaultValue: String?
    let type: String
    /// Whether a running daemon takes a change up.
    let isLive: Bool
    let commands: [String]
    let help: String

    /// The facts of an option; nil if it is no setting.
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

    /// Whether a daemon needs a restart to take a change up; nil if no daemon uses it.
    private var restart: String? {
        commands.contains(ServeCommand.command.name) ? isLive ? "no" : "yes" : nil
    }

    /// The settings as a table.
    static func table(_ rows: [SettingFacts]) -> [String] {
        var table = TextTable([
            .init(title: "key"), .init(title: "option"), .init(title: "variable"), .init(title: "default"),
            .init(title: "restart"), .init(title: "what it is"),
        ])
        for row in rows {
            table.add([
                row.key, row.option, row.variable, row.defaultValue ?? "-", row.restart ?? "-", row.help,
            ])
        }
        return table.lines
    }
}

/// A setting with its value, and where that comes from.
struct SettingValue: Encodable {
    let key: String
    let values: [String]
    let origin: String

    /// The value of an option; nil if it is no setting.
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

    /// The values as a table.
    static func table(_ rows: [SettingValue]) -> [String] {
        var table = TextTable([.init(title: "key"), .init(title: "value"), .init(title: "from")])
        for row in rows {
            table.add([row.key, row.values.isEmpty ? "-" : row.values.joined(separator: ", "), row.origin])
        }
        return table.lines
    }
}

extension Option {
    /// What its value must be.
    fileprivate var typeText: String {
        if isFlag { return "true or false" }
        return allowedValues.isEmpty ? type.description : "one of \(allowedValues.joined(separator: ", "))"
    }
}
