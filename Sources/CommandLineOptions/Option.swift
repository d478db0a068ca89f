/// One option of a command.
public struct Option: Sendable, Equatable {
    /// The long name without its hyphens: `limit` for `--limit`.
    public private(set) var name: String
    /// The one-letter name, if it has one: `n` for `-n`.
    public private(set) var short: Character?
    /// The name of the value in the help, such as `N` or `FILE`; nil for a flag, which takes no value.
    ///
    /// Completion offers files for `FILE` and folders for `FOLDER`.
    public let placeholder: String?
    /// What it does, in one or two sentences without a full stop at the end.
    public let help: String
    /// The value when none is given; it is shown in the help.
    public let defaultValue: String?
    /// The environment variable that is read when the option is not given; an empty variable counts as not set.
    public private(set) var environmentVariable: String?
    /// The values that are allowed, in the order of the help; empty if they cannot be listed.
    public let allowedValues: [String]
    /// What a value must be; checked when the command line is read.
    public let type: ValueType
    /// Its name in configuration files; nil if it cannot stand there.
    public let setting: Setting?
    /// Whether it may be given more than once.
    public let isRepeating: Bool
    /// Whether the command does not work without it.
    public private(set) var isRequired: Bool

    /// An option with a value.
    public init(
        _ name: String, short: Character? = nil, _ placeholder: String, help: String,
        default defaultValue: String? = nil,
        environment environmentVariable: String? = nil, allowed allowedValues: [String] = [],
        type: ValueType = .text, setting: Setting? = nil, isRepeating: Bool = false, isRequired: Bool = false
    ) {
        self.name = name
        self.short = short
        self.placeholder = placeholder
        self.help = help
        self.defaultValue = defaultValue
        self.environmentVariable = environmentVariable
        self.allowedValues = allowedValues
        self.type = type
        self.setting = setting
        self.isRepeating = isRepeating
        self.isRequired = isRequired
    }

    /// A flag: an option without a value, off unless it is given.
    ///
    /// In the environment `1`, `true`, `yes` and `on` turn it on; `0`, `false`, `no`, `off` leave it off.
    public init(
        flag name: String, short: Character? = nil, help: String, environment environmentVariable: String? = nil,
        setting: Setting? = nil
    ) {
        self.name = name
        self.short = short
        self.placeholder = nil
        self.help = help
        self.defaultValue = nil
        self.environmentVariable = environmentVariable
        self.allowedValues = []
        self.type = .text
        self.setting = setting
        self.isRepeating = false
        self.isRequired = false
    }

    /// Whether it takes no value.
    public var isFlag: Bool { placeholder == nil }

    /// What a text in a configuration file must be, to be read after "must be"; nil if it is that.
    public func fault(inConfigured text: String) -> String? {
        if isFlag { return ["true", "false"].contains(text) ? nil : "true or false" }
        guard allowedValues.isEmpty || allowedValues.contains(text) else {
            return "one of " + allowedValues.joined(separator: ", ")
        }
        return type.fault(in: text)
    }

    /// A setting by its key alone, so that those of all commands can stand beside each other; nil for other options.
    public var namedByKey: Option? {
        guard let setting else { return nil }
        var option = self
        option.name = setting.key
        (option.short, option.isRequired) = (nil, false)
        return option
    }

    /// The same; a setting that names no environment variable has one called by its key.
    func namingVariable(_ prefix: String) -> Option {
        var option = self
        option.environmentVariable = environmentVariable ?? setting?.variable(prefix: prefix)
        return option
    }
}
