import Basics

/// A positional argument of a command: a file, a user, a group.
package struct Argument: Sendable, Equatable {
    /// The name in capitals, as the usage line shows it: `FILE`.
    ///
    /// Shell completion offers files for `FILE` and folders for `FOLDER`.
    package let name: String
    /// The description, in a few words.
    package let help: String
    /// Whether the argument may be left out.
    package let isOptional: Bool
    /// Whether it may be given any number of times; only the last argument of a command may repeat.
    package let isRepeating: Bool
    /// The allowed words, in the order of the help; empty if they cannot be listed.
    let allowedValues: [String]
    /// Whether the command writes the file that it names.
    let isOutput: Bool

    package init(
        _ name: String, help: String, allowed allowedValues: [String] = [], isOptional: Bool = false,
        isRepeating: Bool = false, isOutput: Bool = false
    ) {
        (self.name, self.help, self.allowedValues) = (name, help, allowedValues)
        (self.isOptional, self.isRepeating, self.isOutput) = (isOptional, isRepeating, isOutput)
    }
}

/// One command of a program, such as `coterie import`, with its arguments and options.
package struct Command: Sendable, Equatable {
    /// The word on the command line that selects the command.
    package let name: String
    /// The purpose of the command, in one line.
    package let summary: String
    /// The details for its help page; empty lines separate paragraphs.
    package let discussion: String
    /// The arguments, in order.
    package let arguments: [Argument]
    /// The options, in the order of the help, without `--help`, which every command has.
    package let options: [Option]
    /// Examples of complete command lines.
    package let examples: [String]
    /// Whether the command changes the site, and says so when it is done.
    package let changes: Bool

    package init(
        _ name: String, changes: Bool = false, summary: String, discussion: String = "", arguments: [Argument] = [],
        options: [Option] = [], examples: [String] = []
    ) {
        (self.name, self.summary, self.discussion) = (name, summary, discussion)
        (self.arguments, self.options, self.examples, self.changes) = (arguments, options, examples, changes)
    }

    /// Returns the option with a long name, or nil if there is none.
    func option(named name: String) -> Option? { options.first { $0.name == name } }

    /// Returns the option with a one-letter name, or nil if there is none.
    func option(short: Character) -> Option? { options.first { $0.short == short } }
}

/// One option of a command.
package struct Option: Sendable, Equatable {
    /// The long name without its hyphens: `limit` for `--limit`.
    package private(set) var name: String
    /// The one-letter name, such as `n` for `-n`, or nil if there is none.
    package private(set) var short: Character?
    /// The name of the value in the help, such as `N` or `FILE`; nil for a flag, which takes no value.
    ///
    /// Shell completion offers files for `FILE` and folders for `FOLDER`.
    package let placeholder: String?
    /// The description, in one or two sentences without a full stop at the end.
    package let help: String
    /// The value used if none is given, which the help shows; nil if there is none.
    package let defaultValue: String?
    /// The environment variable that is read if the option is not given; an empty variable counts as not set.
    package private(set) var environmentVariable: String?
    /// The allowed values, in the order of the help; empty if they cannot be listed.
    package let allowedValues: [String]
    /// The type of the value, which is checked when the command line is read.
    package let type: ValueType
    /// The option's setting in configuration files, or nil if the files may not contain it.
    package let setting: Setting?
    /// Whether it may be given more than once.
    package let isRepeating: Bool
    package private(set) var isRequired: Bool
    /// Whether the command writes the file that it names.
    let isOutput: Bool

    package init(
        _ name: String, short: Character? = nil, _ placeholder: String?, help: String,
        default defaultValue: String? = nil,
        environment environmentVariable: String? = nil, allowed allowedValues: [String] = [],
        type: ValueType = .text, setting: Setting? = nil, isRepeating: Bool = false, isRequired: Bool = false,
        isOutput: Bool = false
    ) {
        (self.name, self.short, self.placeholder, self.help) = (name, short, placeholder, help)
        (self.defaultValue, self.environmentVariable) = (defaultValue, environmentVariable)
        (self.allowedValues, self.type, self.setting) = (allowedValues, type, setting)
        (self.isRepeating, self.isRequired, self.isOutput) = (isRepeating, isRequired, isOutput)
    }

    /// Creates a flag: an option without a value, which is off unless given.
    ///
    /// In the environment, `1`, `true`, `yes` and `on` turn it on; `0`, `false`, `no` and `off` leave it off.
    package init(
        flag name: String, short: Character? = nil, help: String, environment environmentVariable: String? = nil,
        setting: Setting? = nil
    ) {
        self.init(name, short: short, nil, help: help, environment: environmentVariable, setting: setting)
    }

    /// Whether the option is a flag, which takes no value.
    package var isFlag: Bool { placeholder == nil }

    /// Returns the requirement that a text in a configuration file fails, as words after "must be"; nil if it is valid.
    package func fault(inConfigured text: String) -> String? {
        if isFlag { return ["true", "false"].contains(text) ? nil : "true or false" }
        guard allowedValues.isEmpty || allowedValues.contains(text) else {
            return oneOf(allowedValues)
        }
        return type.fault(in: text)
    }

    /// The option under its setting's key, without short name, for a list of all settings; nil if it is no setting.
    package var namedByKey: Option? {
        guard let setting else { return nil }
        var option = self
        option.name = setting.key
        (option.short, option.isRequired) = (nil, false)
        return option
    }

    /// Returns the option with an environment variable named after its setting's key, unless it already has one.
    func namingVariable(_ prefix: String) -> Option {
        var option = self
        option.environmentVariable = environmentVariable ?? setting?.variable(prefix: prefix)
        return option
    }
}

/// The type of an option's value.
package enum ValueType: Sendable, Equatable {
    case text
    /// A whole number; bounds are inclusive.
    case integer(ClosedRange<Int>)
    /// A number; bounds are inclusive.
    case number(ClosedRange<Double>)
    /// A duration of digits and s, m, h or d, such as `15m`; bounds are inclusive, in seconds.
    case duration(ClosedRange<Int>)

    /// Returns the requirement that a text fails, as words after "must be", or nil if the text is valid.
    func fault(in text: String) -> String? {
        switch self {
        case .text: nil
        case .integer(let bounds): Self.integer(text, in: bounds) == nil ? description : nil
        case .number(let bounds): Self.number(text, in: bounds) == nil ? description : nil
        case .duration(let bounds): Self.seconds(text, in: bounds) == nil ? description : nil
        }
    }

    /// Returns a whole number within bounds, or nil for other texts.
    static func integer(_ text: String, in bounds: ClosedRange<Int>) -> Int? {
        Int(text).flatMap { bounds.contains($0) ? $0 : nil }
    }

    /// Returns a number within bounds, or nil for other texts.
    static func number(_ text: String, in bounds: ClosedRange<Double>) -> Double? {
        // `Double` also accepts "nan", which is in no range.
        Double(text).flatMap { bounds.contains($0) ? $0 : nil }
    }

    /// Returns a duration within bounds in seconds, or nil for other texts.
    static func seconds(_ text: String, in bounds: ClosedRange<Int>) -> Int? {
        guard let unit = text.last.flatMap({ units[$0] }), let count = Int(text.dropLast()),
            (0...bounds.upperBound / unit).contains(count), bounds.contains(count * unit)
        else { return nil }
        return count * unit
    }

    private static let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86400]
}

extension ValueType: CustomStringConvertible {
    /// The requirement on a value, such as "a whole number from 0 to 65535".
    package var description: String {
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

/// The description of an option as a setting, which configuration files can contain.
///
/// The options of all commands together are the table of settings. Parser, help, completion, environment variables,
/// files and documents are derived from this table.
package struct Setting: Sendable, Equatable {
    /// The key: words in camel case joined by dots; `serve.port` is `port` below `serve` in a file.
    package let key: String
    /// Whether a running daemon applies a change; otherwise it must be restarted.
    package let isLive: Bool

    package init(_ key: String, isLive: Bool = false) {
        self.key = key
        self.isLive = isLive
    }

    /// Returns the name of an option as a word of a key: `maxLost` for `max-lost`.
    package static func camelCased(_ name: String) -> String {
        let words = name.split(separator: "-")
        return (words.prefix(1).map(String.init) + words.dropFirst().map(\.withCapital)).joined()
    }

    /// Returns the name of its environment variable: the prefix and the key's words in capitals.
    ///
    /// An example is `COTERIE_SERVE_PORT`.
    package func variable(prefix: String) -> String {
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
package struct ConfiguredValues: Sendable, Equatable {
    /// The value of one setting in a file.
    package struct Value: Sendable, Equatable {
        /// The texts, as on the command line; for a flag, `true` or `false`.
        ///
        /// There is one text, or several for an option that may repeat.
        package var texts: [String]
        /// The place of the value: `FILE:LINE:COLUMN`.
        package var place: String

        package init(_ texts: [String], place: String) {
            self.texts = texts
            self.place = place
        }
    }

    /// A line of a setting that only earlier releases had, and that has no effect.
    package struct Gone: Sendable, Equatable {
        let key, place: String

        /// The sentence that names it.
        package var warning: String { "\(place): the setting \(key) is gone, and has no effect: remove it" }
    }

    /// The values, by the keys of settings.
    package var values: [String: Value]
    /// The lines without effect, in the order of the files.
    package private(set) var gone: [Gone] = []
    /// The keys of the settings in each file, by the path of the file; also of those that a later file overrides.
    package private(set) var keysByFile: [String: Set<String>] = [:]

    package init(_ values: [String: Value] = [:]) { self.values = values }

    init(_ values: [String: Value], gone: [Gone], file: String) {
        self.values = values
        self.gone = gone
        keysByFile = [file: Set(values.keys)]
    }

    package func overlaid(by others: ConfiguredValues) -> ConfiguredValues {
        var result = self
        result.values.merge(others.values) { $1 }
        result.gone += others.gone
        result.keysByFile.merge(others.keysByFile) { $1 }
        return result
    }
}

/// The source of an option's value.
package enum ValueOrigin: Sendable, Equatable {
    case commandLine
    /// The option's environment variable.
    case environment
    /// A configuration file, with the place `FILE:LINE:COLUMN`.
    case file(place: String)
    /// The option's default, or no value if it has none.
    case standard
}
