import CommandLine

/// A tree without places, to compare with what was read.
indirect enum RandomTree: Equatable {
    case text(String)
    case list([RandomTree])
    case mapping([String: RandomTree])

    init(_ node: YAMLNode) {
        switch node.content {
        case .scalar(let text, _): self = .text(text)
        case .sequence(let elements): self = .list(elements.map(RandomTree.init))
        case .mapping(let entries):
            self = .mapping(Dictionary(uniqueKeysWithValues: entries.map { ($0.key, RandomTree($0.value)) }))
        }
    }

    static func tree(depth: Int, using random: inout some RandomNumberGenerator) -> RandomTree {
        let count = Int.random(in: 0...4, using: &random)
        switch depth == 0 ? 0 : Int.random(in: 0...2, using: &random) {
        case 0: return .text(text(using: &random))
        case 1: return .list((0..<count).map { _ in tree(depth: depth - 1, using: &random) })
        default:
            var entries: [String: RandomTree] = [:]
            for _ in 0..<count { entries[text(using: &random)] = tree(depth: depth - 1, using: &random) }
            return .mapping(entries)
        }
    }

    /// Short texts of characters that mean something in YAML, and some that mean nothing.
    private static func text(using random: inout some RandomNumberGenerator) -> String {
        let characters = Array("ab 1:#-[]{}&*!|>'\"%@`,?\\\n\té🙂~")
        let count = Int.random(in: 0...8, using: &random)
        return String((0..<count).map { _ in characters.randomElement(using: &random) ?? "a" })
    }

    /// The tree in YAML, in block or in flow style.
    func written(using random: inout some RandomNumberGenerator, indent: Int = 0) -> String {
        let isFlow = Bool.random(using: &random)
        let space = String(repeating: " ", count: indent)
        switch self {
        case .text(let text): return Self.quoted(text)
        case .list(let elements):
            let parts = elements.map { $0.written(using: &random, indent: indent + 2) }
            guard !isFlow, !parts.isEmpty else { return flow(using: &random) }
            return parts.map { "\n\(space)- \($0)" }.joined()
        case .mapping(let entries):
            guard !isFlow, !entries.isEmpty else { return flow(using: &random) }
            return entries.map { "\n\(space)\(Self.quoted($0)): \($1.written(using: &random, indent: indent + 2))" }
                .joined()
        }
    }

    private func flow(using random: inout some RandomNumberGenerator) -> String {
        switch self {
        case .text(let text): Self.quoted(text)
        case .list(let elements): "[" + elements.map { $0.flow(using: &random) }.joined(separator: ", ") + "]"
        case .mapping(let entries):
            "{" + entries.map { "\(Self.quoted($0)): \($1.flow(using: &random))" }.joined(separator: ", ") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
            .replacing("\t", with: "\\t")
        return "\"\(escaped)\""
    }
}
