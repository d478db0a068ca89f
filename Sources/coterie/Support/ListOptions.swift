import CommandLineOptions
import Experiments

/// The options that set one number each of how lists are made; experiments may set the same ones in an arm.
enum ListOptions {
    private static let settings = ListSetting.all(of: Coterie.relations)

    static let all = settings.map { setting in
        Option(
            setting.name, "X", help: "Lists: \(setting.meaning)", type: .number(setting.bounds),
            setting: Setting("lists.\(Setting.camelCased(setting.name))", isLive: true))
    }

    /// The values that are given, by the names of settings.
    static func values(of parsed: ParsedCommand) throws(UsageError) -> [String: Double] {
        var values: [String: Double] = [:]
        for setting in settings { values[setting.name] = try parsed.numberIfGiven(setting.name) }
        return values
    }
}
