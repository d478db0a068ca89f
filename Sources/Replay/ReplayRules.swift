public import YAML

/// What of two answers may differ, and which requests are not played.
public struct ReplayRules: Sendable {
    /// Paths of routes whose answers are about the daemon itself, or this very moment.
    public var leftOut = ["/healthz", "/readyz", "/metrics", "/openapi.json", "/v1/admin/model"]
    /// Members that are not compared.
    public var ignored: [MemberPath]
    /// Members whose numbers are compared with so many digits after the point.
    public var rounded: [(path: MemberPath, digits: Int)] = []

    /// The usual rules: names of versions and of lists are not compared.
    public init() { ignored = ["**.modelVersion", "**.recommendationId"].compactMap(MemberPath.init) }

    /// Reads rules; what a file says takes the place of the usual.
    ///
    /// - Throws: `YAMLError` for what is not as it should be, with its place.
    public init(path: String) throws(YAMLError) {
        self.init()
        for entry in try YAMLFile.read(path).entries() {
            switch entry.key {
            case "leave-out":
                leftOut = []
                for element in try entry.value.elements() { leftOut.append(try element.text()) }
            case "ignore":
                ignored = []
                for element in try entry.value.elements() { ignored.append(try Self.path(element.text(), element)) }
            case "round":
                for member in try entry.value.entries() {
                    let digits = try member.value.integer()
                    guard (0...12).contains(digits) else {
                        throw YAMLError(.wrongType, at: member.value.place, "give 0 to 12 digits")
                    }
                    rounded.append((try Self.path(member.key, member.value), digits))
                }
            default:
                throw YAMLError(
                    .wrongType, at: entry.place, "\"\(entry.key)\" is unknown here: give leave-out, ignore, round")
            }
        }
    }

    private static func path(_ text: String, _ node: YAMLNode) throws(YAMLError) -> MemberPath {
        guard let path = MemberPath(text) else {
            throw YAMLError(.wrongType, at: node.place, "give a path such as recommendations.score or **.score")
        }
        return path
    }

    /// A document without what may differ.
    func normalised(_ tree: JSONTree, at names: [String] = []) -> JSONTree {
        switch tree {
        case .object(let members):
            var kept: [String: JSONTree] = [:]
            for (name, value) in members {
                let path = names + [name]
                if !ignored.contains(where: { $0.matches(path) }) { kept[name] = normalised(value, at: path) }
            }
            return .object(kept)
        case .list(let elements): return .list(elements.map { normalised($0, at: names) })
        case .number(let number):
            guard let digits = rounded.first(where: { $0.path.matches(names) })?.digits else { return tree }
            let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
            return .number((number * scale).rounded() / scale)
        case .null, .boolean, .text: return tree
        }
    }
}
