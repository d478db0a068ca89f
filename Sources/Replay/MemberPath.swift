/// Which members of a JSON document a rule is about: names from the outside to the inside, with dots between them.
///
/// Lists add nothing to a path: `recommendations.score` is the score of every recommendation. `*` stands for any one
/// name, `**` for any number of names, also none.
public struct MemberPath: Sendable, Equatable {
    private enum Part: Sendable, Equatable {
        case name(String)
        case anyName
        case anyNames
    }

    private let parts: [Part]

    /// Reads a path; nil if it is empty, or a name in it is.
    public init?(_ text: String) {
        let names = text.split(separator: ".", omittingEmptySubsequences: false)
        guard !names.contains("") else { return nil }
        parts = names.map { name in
            switch name {
            case "*": .anyName
            case "**": .anyNames
            default: .name(String(name))
            }
        }
    }

    /// Whether it is about a member.
    ///
    /// - Parameter names: of the member and of all those that it is in, from the outside to the inside.
    func matches(_ names: [String]) -> Bool { Self.matches(parts[...], names[...]) }

    private static func matches(_ parts: ArraySlice<Part>, _ names: ArraySlice<String>) -> Bool {
        guard let part = parts.first else { return names.isEmpty }
        switch part {
        case .anyNames:
            return matches(parts.dropFirst(), names) || (!names.isEmpty && matches(parts, names.dropFirst()))
        case .anyName: return !names.isEmpty && matches(parts.dropFirst(), names.dropFirst())
        case .name(let name): return names.first == name && matches(parts.dropFirst(), names.dropFirst())
        }
    }
}
