import CommandLineOptions
import YAML

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
