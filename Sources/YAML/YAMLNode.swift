/// A value in a YAML file, and where it stands.
///
/// Types are the reader's choice: `no` is a text to one that asks for a text, and an error to one that asks for a truth
/// value. See `YAMLNode+typed.swift`.
public struct YAMLNode: Sendable, Equatable {
    /// What a node holds.
    public enum Content: Sendable, Equatable {
        /// A text, a number, a truth value, or nothing. `isPlain` says that it stands without quotes.
        case scalar(String, isPlain: Bool)
        /// Values, in the order of the file.
        case sequence([YAMLNode])
        /// Keys with their values, in the order of the file; no key twice.
        case mapping([Entry])
    }

    /// A key of a mapping with its value.
    public struct Entry: Sendable, Equatable {
        /// The key.
        public let key: String
        /// Where the key stands.
        public let place: YAMLPlace
        /// The value.
        public let value: YAMLNode

        /// Makes an entry.
        public init(key: String, place: YAMLPlace, value: YAMLNode) {
            self.key = key
            self.place = place
            self.value = value
        }
    }

    /// What it holds.
    public let content: Content
    /// Where it begins.
    public let place: YAMLPlace

    /// Makes a node.
    public init(_ content: Content, at place: YAMLPlace) {
        self.content = content
        self.place = place
    }

    /// Whether it is empty, as is the value of `key:` with nothing behind it, or `null`.
    public var isNull: Bool {
        guard case .scalar(let text, isPlain: true) = content else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(text)
    }

    /// What an error message calls it.
    var name: String {
        switch content {
        case .scalar(let text, _): isNull ? "nothing" : "\"\(text)\""
        case .sequence: "a list"
        case .mapping: "a mapping"
        }
    }
}
