package import Basics
import RecordReading

/// The configuration files of a program: one for all environments, and one for each environment that overrides it.
package struct ConfigurationFiles: Sendable, Equatable {
    /// The paths of the files, in order; values of a later file override those of an earlier one.
    package let paths: [String]

    /// Chooses the files of an environment.
    ///
    /// - Parameters:
    ///   - path: the file for all environments; an empty path means that there are no files.
    ///   - environment: the environment, or nil for none; `staging` adds `coterie.staging.yaml` beside `coterie.yaml`.
    package init(path: String, environment: String? = nil) {
        guard !path.isEmpty else {
            paths = []
            return
        }
        paths = [path] + (environment.map { [Self.path(path, of: $0)] } ?? [])
    }

    /// Whether a text can name an environment: 1 to 64 letters, digits, hyphens and underscores.
    package static func isEnvironmentName(_ text: String) -> Bool {
        text.isWord(ofAtMost: 64, with: "-_")
    }

    /// Returns the path of an environment's file, with the environment's name before the extension.
    private static func path(_ path: String, of environment: String) -> String {
        let slash = path.lastIndex(of: "/") ?? path.startIndex
        guard let dot = path[slash...].lastIndex(of: "."), dot > slash else { return "\(path).\(environment)" }
        return "\(path[..<dot]).\(environment)\(path[dot...])"
    }

    /// Reads the values in the files.
    ///
    /// - Throws: `YAMLError` with the place of the first mistake.
    package func read(_ table: SettingsTable) throws(YAMLError) -> ConfiguredValues {
        var values = ConfiguredValues()
        for path in paths {
            var reader = FileReader(table)
            try reader.read(try YAMLFile.read(path), group: "")
            values = values.overlaid(by: ConfiguredValues(reader.values, gone: reader.gone, file: path))
        }
        return values
    }

    /// Returns facts that change whenever one of the files changes; nil for a file that does not exist.
    package func stamps() -> [FileStamp?] { paths.map(FileStamp.init(path:)) }
}

/// A reader of the values of settings in one file.
struct FileReader {
    private let table: SettingsTable
    private(set) var values: [String: ConfiguredValues.Value] = [:]
    /// The lines of settings of earlier releases.
    private(set) var gone: [ConfiguredValues.Gone] = []

    init(_ table: SettingsTable) { self.table = table }

    /// Reads a mapping of the file; `group` is the key that contains it, or empty at the top level.
    mutating func read(_ node: YAMLNode, group: String) throws(YAMLError) {
        for entry in try node.entries() {
            let key = group.isEmpty ? entry.key : "\(group).\(entry.key)"
            // If a key in the file could contain a dot, `serve.port` would mean `port` below `serve`.
            if entry.key.contains(".") {
                throw unknown(key, at: entry.place)
            } else if table.gone.contains(key) {
                gone.append(ConfiguredValues.Gone(key: key, place: entry.place.description))
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

    private func unknown(_ key: String, at place: YAMLPlace) -> YAMLError {
        if let dot = key.lastIndex(of: "."), table[key] != nil {
            return YAMLError(
                at: place,
                "\(key) cannot stand in one word: put \(key[key.index(after: dot)...]) below \(key[..<dot])")
        }
        let near = table.nearestKey(to: key).map { ": did you mean \($0)?" } ?? ""
        return YAMLError(at: place, "there is no setting \(key)\(near)")
    }

    /// Returns the texts of a value, which must be of the option's type.
    private static func texts(
        of option: Option, _ key: String, _ entry: YAMLNode.Entry
    ) throws(YAMLError) -> [String] {
        let value = entry.value
        if value.isNull {
            throw YAMLError(at: entry.place, "\(key) has no value: give one, or remove the line")
        }
        var texts: [String] = []
        do throws(YAMLError) {
            switch value.content {
            case .sequence(let elements) where option.isRepeating:
                for element in elements { texts.append(try element.text()) }
            default: texts.append(try value.text())
            }
        } catch { throw YAMLError(at: error.place, "\(key): \(error.message)") }
        for text in texts {
            if let expected = option.fault(inConfigured: text) {
                throw YAMLError(at: value.place, "\(key) must be \(expected), but is \"\(text)\"")
            }
            if let reason = Secrets.reason(against: text) {
                throw YAMLError(at: value.place, "\(key) \(reason)")
            }
        }
        return texts
    }
}

/// Checks for secrets, which do not belong in files that are copied, compared and kept in version control.
package enum Secrets {
    /// Returns the reason why a text must not be in a file, or nil if it may be.
    static func reason(against text: String) -> String? {
        guard let scheme = text.firstRange(of: "://"), let at = text.lastIndex(of: "@"), scheme.upperBound <= at,
            text[scheme.upperBound..<at].contains(":")
        else { return nil }
        return """
            has a password in it: put it into a file that only its owner can read, and name that file in \
            store.passwordFile
            """
    }

    /// Returns a text with the login in its address replaced by `…`.
    package static func hidden(in text: String) -> String {
        guard let scheme = text.firstRange(of: "://"), let at = text.lastIndex(of: "@"), scheme.upperBound <= at else {
            return text
        }
        return "\(text[..<scheme.upperBound])…\(text[at...])"
    }
}

/// All settings of a program, by their keys.
package struct SettingsTable: Sendable {
    /// The options that are settings, in the order of the commands, each key once.
    package let options: [Option]
    private let byKey: [String: Option]
    /// The keys of settings that only earlier releases had; they are warned of, and no fault.
    let gone: Set<String>
    /// The keys that contain other keys: `serve`, `recompute`, `recompute.gate`.
    private let groups: Set<String>

    /// Collects the settings of a program's commands.
    package init(_ program: CommandLineProgram, gone: Set<String> = []) {
        self.gone = gone
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

    /// The option with a key, or nil if there is none.
    package subscript(key: String) -> Option? { byKey[key] }

    func isGroup(_ key: String) -> Bool { groups.contains(key) }

    /// Returns the key that the author of a wrong key may have meant, or nil if none is near.
    ///
    /// The result may be a key that contains other keys.
    func nearestKey(to key: String) -> String? {
        let all = options.compactMap(\.setting?.key)
        if let near = nearest(to: key, among: all + groups.sorted(), limit: 1).first { return near }
        // The last word may be right, and the group wrong or missing.
        guard let word = key.split(separator: ".").last else { return nil }
        let last = all.filter { $0.hasSuffix(".\(word)") }
        return last.count == 1 ? last[0] : nil
    }
}
