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
