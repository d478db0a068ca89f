import Glibc
import RecordReading

/// The configuration files of a program: one with defaults for all environments, and one for each environment over it.
public struct ConfigurationFiles: Sendable, Equatable {
    /// The paths, the first one first; a later one wins.
    public let paths: [String]

    /// The files of an environment.
    ///
    /// - Parameters:
    ///   - path: the file for all environments; an empty one means that there are no files.
    ///   - environment: `staging` adds `coterie.staging.yaml` beside `coterie.yaml`; nil for none.
    public init(path: String, environment: String? = nil) {
        guard !path.isEmpty else {
            paths = []
            return
        }
        paths = [path] + (environment.map { [Self.path(path, of: $0)] } ?? [])
    }

    /// Whether a text can name an environment: letters, digits, hyphens and underscores.
    public static func isEnvironmentName(_ text: String) -> Bool {
        text.wholeMatch(of: /[A-Za-z0-9_\-]{1,64}/) != nil
    }

    /// The file of an environment: its name goes before the extension.
    private static func path(_ path: String, of environment: String) -> String {
        let slash = path.lastIndex(of: "/") ?? path.startIndex
        guard let dot = path[slash...].lastIndex(of: "."), dot > slash else { return "\(path).\(environment)" }
        return "\(path[..<dot]).\(environment)\(path[dot...])"
    }

    /// What the files say.
    ///
    /// - Throws: `ConfigurationError` with the place of the first mistake.
    public func read(_ table: SettingsTable) throws(ConfigurationError) -> ConfiguredValues {
        var values = ConfiguredValues()
        for path in paths {
            var reader = FileReader(table)
            try reader.read(try Self.tree(path), group: "")
            values = values.overlaid(by: ConfiguredValues(reader.values))
        }
        return values
    }

    private static func tree(_ path: String) throws(ConfigurationError) -> YAMLNode {
        do throws(YAMLError) { return try YAMLFile.read(path) } catch { throw ConfigurationError(error) }
    }

    /// Facts that change whenever one of the files changes.
    public func stamp() -> Stamp { Stamp(files: paths.map(Stamp.File.init)) }

    /// Facts about files that change whenever one of them changes.
    public struct Stamp: Sendable, Equatable {
        fileprivate struct File: Equatable {
            var facts: [Int] = []

            /// No facts for a file that is not there.
            init(_ path: String) {
                var status = Glibc.stat()
                guard unsafe stat(path, &status) == 0 else { return }
                facts = [
                    Int(status.st_dev), Int(status.st_ino), status.st_size, status.st_mtim.tv_sec,
                    status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
                ]
            }
        }

        fileprivate let files: [File]
    }
}

/// Why configuration files cannot be used.
public struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: Sendable, Equatable {
        /// A file cannot be read, or is not such YAML as is accepted.
        case badFile
        /// There is no such setting.
        case unknownKey
        /// The value is not one that the setting may have.
        case badValue
        /// A secret stands in the file.
        case secret
    }

    /// The kind.
    public let code: Code
    /// Where it is; nil if a file could not be read.
    public let place: YAMLPlace?
    /// What is wrong, and what to do.
    public let message: String

    /// Makes an error.
    public init(_ code: Code, at place: YAMLPlace?, _ message: String) {
        self.code = code
        self.place = place
        self.message = message
    }

    init(_ error: YAMLError) { self.init(.badFile, at: error.place, error.message) }

    /// `FILE:LINE:COLUMN: MESSAGE`.
    public var description: String { place.map { "\($0): \(message)" } ?? message }
}

/// Reads the values of settings from one file.
struct FileReader {
    private let table: SettingsTable
    private(set) var values: [String: ConfiguredValues.Value] = [:]

    init(_ table: SettingsTable) { self.table = table }

    /// Reads a mapping of the file; `group` is the key it stands under, empty at the top.
    mutating func read(_ node: YAMLNode, group: String) throws(ConfigurationError) {
        for entry in try Self.entries(of: node) {
            let key = group.isEmpty ? entry.key : "\(group).\(entry.key)"
            // With a dot in the file's own key, "serve.port" would stand for "port" below "serve".
            if entry.key.contains(".") {
                throw unknown(key, at: entry.place)
            } else if table.isGroup(key) {
                try read(entry.value, group: key)
            } else if let option = table[key] {
                values[key] = ConfiguredValues.Value(
                    try Self.texts(of: option, key, entry), place: entry.value.place.description)
            } else {
                throw unknown(key, at: entry.place)
            }
        }
    }

    private func unknown(_ key: String, at place: YAMLPlace) -> ConfigurationError {
        if let dot = key.lastIndex(of: "."), table[key] != nil {
            return ConfigurationError(
                .unknownKey, at: place,
                "\(key) cannot stand in one word: put \(key[key.index(after: dot)...]) below \(key[..<dot])")
        }
        let near = table.nearestKey(to: key).map { ": did you mean \($0)?" } ?? ""
        return ConfigurationError(.unknownKey, at: place, "there is no setting \(key)\(near)")
    }

    private static func entries(of node: YAMLNode) throws(ConfigurationError) -> [YAMLNode.Entry] {
        do throws(YAMLError) { return try node.entries() } catch { throw ConfigurationError(error) }
    }

    /// The texts of a value, which are of the type of the option.
    private static func texts(
        of option: Option, _ key: String, _ entry: YAMLNode.Entry
    ) throws(ConfigurationError) -> [String] {
        let value = entry.value
        if value.isNull {
            throw ConfigurationError(.badValue, at: entry.place, "\(key) has no value: give one, or remove the line")
        }
        var texts: [String] = []
        do throws(YAMLError) {
            switch value.content {
            case .sequence(let elements) where option.isRepeating:
                for element in elements { texts.append(try element.text()) }
            default: texts.append(try value.text())
            }
        } catch { throw ConfigurationError(.badValue, at: error.place, "\(key): \(error.message)") }
        for text in texts {
            if let expected = option.fault(inConfigured: text) {
                throw ConfigurationError(.badValue, at: value.place, "\(key) must be \(expected), but is \"\(text)\"")
            }
            if let reason = Secrets.reason(against: text) {
                throw ConfigurationError(.secret, at: value.place, "\(key) \(reason)")
            }
        }
        return texts
    }
}

/// Secrets do not belong into configuration files, which are copied, compared and kept in version control.
public enum Secrets {
    /// Why a text may not stand in a file; nil if it may.
    static func reason(against text: String) -> String? {
        guard let scheme = text.firstRange(of: "://"), let at = text.lastIndex(of: "@"), scheme.upperBound <= at,
            text[scheme.upperBound..<at].contains(":")
        else { return nil }
        return """
            has a password in it: put it into a file that only its owner can read, and name that file in \
            store.passwordFile
            """
    }

    /// A text without the login in an address.
    public static func hidden(in text: String) -> String {
        guard let scheme = text.firstRange(of: "://"), let at = text.lastIndex(of: "@"), scheme.upperBound <= at else {
            return text
        }
        return "\(text[..<scheme.upperBound])…\(text[at...])"
    }
}

/// All settings of a program, by their keys.
public struct SettingsTable: Sendable {
    /// The options that are settings, in the order of the commands, each key once.
    public let options: [Option]
    private let byKey: [String: Option]
    /// The keys under which others stand: `serve`, `recompute`, `recompute.gate`.
    private let groups: Set<String>

    /// The settings of a program's commands.
    public init(_ program: CommandLineProgram) {
        var (options, byKey): ([Option], [String: Option]) = ([], [:])
        for option in program.commands.flatMap(\.options) {
            guard let key = option.setting?.key, byKey[key] == nil else { continue }
            byKey[key] = option
            options.append(option)
        }
        self.options = options
        self.byKey = byKey
        groups = Set(
            byKey.keys.flatMap { key in
                let words = key.split(separator: ".")
                return (1..<words.count).map { words.prefix($0).joined(separator: ".") }
            })
    }

    /// The option with a key.
    public subscript(key: String) -> Option? { byKey[key] }

    /// Whether other keys stand under this one.
    func isGroup(_ key: String) -> Bool { groups.contains(key) }

    /// The key that somebody who wrote a wrong one may have meant, or one under which others stand.
    func nearestKey(to key: String) -> String? {
        let all = options.compactMap(\.setting?.key)
        if let near = nearest(to: key, among: all + groups.sorted(), limit: 1).first { return near }
        // The last word may be right, and the group wrong or missing.
        guard let word = key.split(separator: ".").last else { return nil }
        let last = all.filter { $0.hasSuffix(".\(word)") }
        return last.count == 1 ? last[0] : nil
    }
}
