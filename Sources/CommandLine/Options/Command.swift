/// A word after a command's name that belongs to no option: a file, a user, a group.
public struct Argument: Sendable, Equatable {
    /// The name in capitals, as the usage line shows it: `FILE`.
    ///
    /// Completion offers files for `FILE` and folders for `FOLDER`.
    public let name: String
    /// What it is, in a few words.
    public let help: String
    /// Whether it may be left out.
    public let isOptional: Bool
    /// Whether any number of them may be given; only the last argument of a command may repeat.
    public let isRepeating: Bool

    /// An argument; by default it is required and given once.
    public init(_ name: String, help: String, isOptional: Bool = false, isRepeating: Bool = false) {
        self.name = name
        self.help = help
        self.isOptional = isOptional
        self.isRepeating = isRepeating
    }
}

/// One command of a program, such as `coterie import`, with its arguments and options.
public struct Command: Sendable, Equatable {
    /// The word on the command line that chooses it.
    public let name: String
    /// What it does, in one line.
    public let summary: String
    /// The details, for its own help page; empty lines separate paragraphs.
    public let discussion: String
    /// Its arguments, in their order.
    public let arguments: [Argument]
    /// Its options, in the order of the help; `--help`, which every command has, is not listed.
    public let options: [Option]
    /// Complete command lines, as examples.
    public let examples: [String]

    /// A command; everything but name and summary may be left out.
    public init(
        _ name: String, summary: String, discussion: String = "", arguments: [Argument] = [], options: [Option] = [],
        examples: [String] = []
    ) {
        self.name = name
        self.summary = summary
        self.discussion = discussion
        self.arguments = arguments
        self.options = options
        self.examples = examples
    }

    /// The option with this long name.
    func option(named name: String) -> Option? { options.first { $0.name == name } }

    /// The option with this one-letter name.
    func option(short: Character) -> Option? { options.first { $0.short == short } }
}

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

/// What the value of an option must be.
public enum ValueType: Sendable, Equatable {
    /// Any text.
    case text
    /// A whole number; bounds are inclusive.
    case integer(ClosedRange<Int>)
    /// A number; bounds are inclusive.
    case number(ClosedRange<Double>)
    /// Digits and s, m, h or d, such as `15m`; bounds are inclusive, in seconds.
    case duration(ClosedRange<Int>)

    /// What a text must be, to be read after "must be"; nil if it is that.
    func fault(in text: String) -> String? {
        switch self {
        case .text: nil
        case .integer(let bounds): Self.integer(text, in: bounds) == nil ? description : nil
        case .number(let bounds): Self.number(text, in: bounds) == nil ? description : nil
        case .duration(let bounds): Self.seconds(text, in: bounds) == nil ? description : nil
        }
    }

    /// A whole number within bounds; nil for other texts.
    static func integer(_ text: String, in bounds: ClosedRange<Int>) -> Int? {
        Int(text).flatMap { bounds.contains($0) ? $0 : nil }
    }

    /// A number within bounds; nil for other texts.
    static func number(_ text: String, in bounds: ClosedRange<Double>) -> Double? {
        // "nan" is a Double too, and lies in no range.
        Double(text).flatMap { bounds.contains($0) ? $0 : nil }
    }

    /// A duration within bounds, in seconds; nil for other texts.
    static func seconds(_ text: String, in bounds: ClosedRange<Int>) -> Int? {
        guard let unit = text.last.flatMap({ units[$0] }), let count = Int(text.dropLast()),
            (0...bounds.upperBound / unit).contains(count), bounds.contains(count * unit)
        else { return nil }
        return count * unit
    }

    private static let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86400]
}

extension ValueType: CustomStringConvertible {
    /// What a value must be, such as "a whole number from 0 to 65535".
    public var description: String {
        switch self {
        case .text: "a text"
        case .integer(let bounds):
            bounds.upperBound == .max
                ? "a whole number, at least \(bounds.lowerBound)"
                : "a whole number from \(bounds.lowerBound) to \(bounds.upperBound)"
        case .number(let bounds): "a number from \(bounds.lowerBound) to \(bounds.upperBound)"
        case .duration(let bounds):
            "a duration such as 90s, 15m, 1h or 7d, from \(bounds.lowerBound)s to \(bounds.upperBound / 86400)d"
        }
    }
}

/// What makes an option a setting: it can also stand in a configuration file.
///
/// The options of all commands are the one table of settings: parser, help, completion, environment, files and
/// documents follow from it.
public struct Setting: Sendable, Equatable {
    /// Its name: words in camel case with dots between them, such as `serve.port`, for `port` below `serve` in a file.
    public let key: String
    /// Whether a running daemon takes a change up; if not, it needs a restart.
    public let isLive: Bool

    /// A setting.
    public init(_ key: String, isLive: Bool = false) {
        self.key = key
        self.isLive = isLive
    }

    /// The name of an option as a word of a key: `maxLost` for `max-lost`.
    public static func camelCased(_ name: String) -> String {
        let words = name.split(separator: "-")
        return (words.prefix(1).map(String.init) + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() })
            .joined()
    }

    /// The name of an environment variable: the prefix and the words of the key in capitals, as in
    /// `COTERIE_SERVE_PORT`.
    public func variable(prefix: String) -> String {
        var name = prefix + "_"
        for (character, next) in zip(key, key.dropFirst() + ["."]) {
            // The B of MiB begins no word.
            if character.isUppercase, next.isLowercase { name += "_" }
            name += character == "." ? "_" : character.uppercased()
        }
        return name
    }
}

/// The values that configuration files give to settings.
public struct ConfiguredValues: Sendable, Equatable {
    /// What stands in a file.
    public struct Value: Sendable, Equatable {
        /// The texts, as on the command line: one, or several for an option that may repeat; for a flag, `true` or
        /// `false`.
        public var texts: [String]
        /// Where they stand: `FILE:LINE:COLUMN`.
        public var place: String

        /// A value.
        public init(_ texts: [String], place: String) {
            self.texts = texts
            self.place = place
        }
    }

    /// Values by keys.
    public var values: [String: Value]

    /// Values by keys.
    public init(_ values: [String: Value] = [:]) { self.values = values }

    /// These values, and over them others.
    public func overlaid(by others: ConfiguredValues) -> ConfiguredValues {
        ConfiguredValues(values.merging(others.values) { $1 })
    }
}

/// Where the value of an option comes from.
public enum ValueOrigin: Sendable, Equatable {
    /// The command line.
    case commandLine
    /// The option's environment variable.
    case environment
    /// A configuration file; `FILE:LINE:COLUMN`.
    case file(place: String)
    /// The option's default, or nothing if it has none.
    case standard
}
