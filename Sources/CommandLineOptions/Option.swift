/// One option of a command.
public struct Option: Sendable, Equatable {
    /// The long name without its hyphens: `limit` for `--limit`.
    public let name: String
    /// The one-letter name, if it has one: `n` for `-n`.
    public let short: Character?
    /// The name of the value in the help, such as `N` or `FILE`; nil for a flag, which takes no value.
    ///
    /// Completion offers files for `FILE` and folders for `FOLDER`.
    public let placeholder: String?
    /// What it does, in one or two sentences without a full stop at the end.
    public let help: String
    /// The value when none is given; it is shown in the help.
    public let defaultValue: String?
    /// The environment variable that is read when the option is not given; an empty variable counts as not set.
    public let environmentVariable: String?
    /// The values that are allowed, in the order of the help; empty if they cannot be listed.
    public let allowedValues: [String]
    /// Whether it may be given more than once.
    public let isRepeating: Bool
    /// Whether the command does not work without it.
    public let isRequired: Bool

    /// An option with a value.
    public init(
        _ name: String, short: Character? = nil, _ placeholder: String, help: String,
        default defaultValue: String? = nil,
        environment environmentVariable: String? = nil, allowed allowedValues: [String] = [], isRepeating: Bool = false,
        isRequired: Bool = false
    ) {
        self.name = name
        self.short = short
        self.placeholder = placeholder
        self.help = help
        self.defaultValue = defaultValue
        self.environmentVariable = environmentVariable
        self.allowedValues = allowedValues
        self.isRepeating = isRepeating
        self.isRequired = isRequired
    }

    /// A flag: an option without a value, off unless it is given.
    ///
    /// In the environment `1`, `true`, `yes` and `on` turn it on; `0`, `false`, `no`, `off` leave it off.
    public init(
        flag name: String, short: Character? = nil, help: String, environment environmentVariable: String? = nil
    ) {
        self.name = name
        self.short = short
        self.placeholder = nil
        self.help = help
        self.defaultValue = nil
        self.environmentVariable = environmentVariable
        self.allowedValues = []
        self.isRepeating = false
        self.isRequired = false
    }

    /// Whether it takes no value.
    public var isFlag: Bool { placeholder == nil }
}
