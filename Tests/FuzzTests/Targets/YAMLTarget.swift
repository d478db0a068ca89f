import CommandLine

/// Reading of YAML: what is accepted has its places in the file, and comes back when it is written in another style.
struct YAMLTarget: FuzzTarget {
    init() throws {}

    func seeds() -> [[UInt8]] {
        [
            "serve:\n  port: 8080 # a\n  host: \"::1\"\nlists: {lambda: 0.5}\n",
            "- a\n- |\n  text\n  more\n- [1, 'two', \"\\u00e9\"]\n",
            "---\nname: &a x\nother: *a\n...\n", "? complex\n: !!str value\n", "%YAML 1.1\n---\na: >-\n  b\n",
        ].map { Array($0.utf8) }
    }

    func take(_ bytes: [UInt8]) throws {
        guard let tree = try? YAMLFile.parse(bytes, file: "f") else { return }
        let lineCount = bytes.count + 1
        try require((1...lineCount).contains(tree.place.line), "a place outside of the file")
        let again = try? YAMLFile.parse(Array(written(tree).utf8), file: "f")
        try require(again.map(written) == written(tree), "a tree that was written is another one")
    }

    private func written(_ node: YAMLNode) -> String {
        switch node.content {
        case .scalar(let text, _): quoted(text)
        case .sequence(let elements): "[" + elements.map(written).joined(separator: ", ") + "]"
        case .mapping(let entries):
            "{" + entries.map { "? \(quoted($0.key)) : \(written($0.value))" }.joined(separator: ", ") + "}"
        }
    }

    private func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            let hex = String(scalar.value, radix: 16)
            return "\\U" + String(repeating: "0", count: 8 - hex.count) + hex
        }
        return "\"" + escaped.joined() + "\""
    }
}
