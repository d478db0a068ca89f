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

/// The values of nodes as types of YAML 1.2's core schema. Each throws `YAMLError.wrongType` with the place.
extension YAMLNode {
    /// The entries of a mapping; none if the node is empty.
    public func entries() throws(YAMLError) -> [Entry] {
        if isNull { return [] }
        guard case .mapping(let entries) = content else { throw wrongType("keys with values") }
        return entries
    }

    /// The value of a key of a mapping; nil if it has no such key.
    public func value(of key: String) throws(YAMLError) -> YAMLNode? {
        try entries().first { $0.key == key }?.value
    }

    /// The values of a list; none if the node is empty.
    public func elements() throws(YAMLError) -> [YAMLNode] {
        if isNull { return [] }
        guard case .sequence(let elements) = content else { throw wrongType("a list") }
        return elements
    }

    /// A text: any scalar but an empty one, as it is written.
    ///
    /// `""` is an empty text.
    public func text() throws(YAMLError) -> String {
        guard case .scalar(let text, _) = content, !isNull else { throw wrongType("a text") }
        return text
    }

    /// An integer in decimal digits.
    public func integer() throws(YAMLError) -> Int {
        guard case .scalar(let text, isPlain: true) = content, let value = Int(text) else {
            throw wrongType("an integer")
        }
        return value
    }

    /// A finite number, such as `1`, `0.25` or `1e-3`.
    public func number() throws(YAMLError) -> Double {
        // Swift also takes hexadecimal digits, `nan` and `infinity`.
        guard case .scalar(let text, isPlain: true) = content, text.utf8.allSatisfy(Self.mayBeInNumber),
            let value = Double(text), value.isFinite
        else { throw wrongType("a number") }
        return value
    }

    /// `true` or `false`.
    public func boolean() throws(YAMLError) -> Bool {
        switch content {
        case .scalar("true", isPlain: true): return true
        case .scalar("false", isPlain: true): return false
        default: throw wrongType("true or false")
        }
    }

    /// An error that says which type was expected here, and what stands here.
    private func wrongType(_ expected: String) -> YAMLError {
        YAMLError(.wrongType, at: place, "\(expected) must stand here, not \(name)")
    }

    private static func mayBeInNumber(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "+-.eE".utf8.contains(byte)
    }
}

/// A place in a file.
public struct YAMLPlace: Sendable, Hashable, CustomStringConvertible {
    /// The path of the file, as it was given.
    public let file: String
    /// The line, from 1.
    public let line: Int
    /// The character in the line, from 1.
    public let column: Int

    /// Makes a place; lines and columns count from 1.
    public init(file: String, line: Int, column: Int) {
        self.file = file
        self.line = line
        self.column = column
    }

    /// `FILE:LINE:COLUMN`.
    public var description: String { "\(file):\(line):\(column)" }
}

/// Why a file cannot be used as YAML.
public struct YAMLError: Error, Equatable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: Sendable, Equatable {
        /// The file cannot be opened or read.
        case unreadable
        /// The bytes are not YAML.
        case malformed
        /// It is YAML, but of a kind that is refused: an anchor, an alias, a tag, a second document, a key that is not
        /// plain text.
        case unsupported
        /// A mapping has the same key twice.
        case duplicateKey
        /// The file is too long, or nested too deeply.
        case tooLarge
        /// A value has another type than the reader asked for.
        case wrongType
    }

    /// The kind.
    public let code: Code
    /// Where it is; nil if the file could not be read.
    public let place: YAMLPlace?
    /// What is wrong, and what to do.
    public let message: String

    /// Makes an error.
    public init(_ code: Code, at place: YAMLPlace?, _ message: String) {
        self.code = code
        self.place = place
        self.message = message
    }

    /// `FILE:LINE:COLUMN: MESSAGE`.
    public var description: String { place.map { "\($0): \(message)" } ?? message }
}
