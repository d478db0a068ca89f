public import CommandLineOptions
import TextDistance

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
