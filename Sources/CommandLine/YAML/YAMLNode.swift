/// A value in a YAML file, with its place.
///
/// The caller chooses the type: `no` is valid as a text, and an error as a truth value.
package struct YAMLNode: Sendable, Equatable {
    /// The content of a node.
    package enum Content: Sendable, Equatable {
        /// A text, a number, a truth value, or nothing; `isPlain` is true if it is written without quotes.
        case scalar(String, isPlain: Bool)
        /// A list of values, in the order of the file.
        case sequence([YAMLNode])
        /// Keys with their values, in the order of the file; no key occurs twice.
        case mapping([Entry])
    }

    /// A key of a mapping with its value.
    package struct Entry: Sendable, Equatable {
        package let key: String
        package let place: YAMLPlace
        package let value: YAMLNode

        package init(key: String, place: YAMLPlace, value: YAMLNode) {
            self.key = key
            self.place = place
            self.value = value
        }
    }

    package let content: Content
    /// The place at which the node begins.
    package let place: YAMLPlace

    package init(_ content: Content, at place: YAMLPlace) {
        self.content = content
        self.place = place
    }

    /// Whether it is empty: `null`, `~`, or the value of a `key:` with nothing after it.
    package var isNull: Bool {
        guard case .scalar(let text, isPlain: true) = content else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(text)
    }

    /// The node's name in error messages.
    var name: String {
        switch content {
        case .scalar(let text, _): isNull ? "nothing" : "\"\(text)\""
        case .sequence: "a list"
        case .mapping: "a mapping"
        }
    }
}

/// Conversions of nodes to types of the core schema of YAML 1.2; each throws a `YAMLError` with the place.
extension YAMLNode {
    /// Returns the entries of a mapping; none if the node is empty.
    package func entries() throws(YAMLError) -> [Entry] {
        if isNull { return [] }
        guard case .mapping(let entries) = content else { throw wrongType("keys with values") }
        return entries
    }

    /// Returns the value of a key of a mapping, or nil if the mapping lacks the key.
    package func value(of key: String) throws(YAMLError) -> YAMLNode? {
        try entries().first { $0.key == key }?.value
    }

    /// Returns the values of a list; none if the node is empty.
    package func elements() throws(YAMLError) -> [YAMLNode] {
        if isNull { return [] }
        guard case .sequence(let elements) = content else { throw wrongType("a list") }
        return elements
    }

    /// Returns a text: any scalar as it is written, except an empty one.
    ///
    /// A quoted `""` is an empty text and valid.
    package func text() throws(YAMLError) -> String {
        guard case .scalar(let text, _) = content, !isNull else { throw wrongType("a text") }
        return text
    }

    /// Returns an integer in decimal digits.
    package func integer() throws(YAMLError) -> Int {
        guard case .scalar(let text, isPlain: true) = content, let value = Int(text) else {
            throw wrongType("an integer")
        }
        return value
    }

    /// Returns a finite number, such as `1`, `0.25` or `1e-3`.
    package func number() throws(YAMLError) -> Double {
        // Swift also accepts hexadecimal digits, `nan` and `infinity`.
        guard case .scalar(let text, isPlain: true) = content, text.utf8.allSatisfy(Self.mayBeInNumber),
            let value = Double(text), value.isFinite
        else { throw wrongType("a number") }
        return value
    }

    /// Returns the truth value `true` or `false`.
    package func boolean() throws(YAMLError) -> Bool {
        switch content {
        case .scalar("true", isPlain: true): return true
        case .scalar("false", isPlain: true): return false
        default: throw wrongType("true or false")
        }
    }

    /// Returns an error with the expected type and the actual content.
    private func wrongType(_ expected: String) -> YAMLError {
        YAMLError(at: place, "\(expected) must stand here, not \(name)")
    }

    private static func mayBeInNumber(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "+-.eE".utf8.contains(byte)
    }
}

/// A place in a file.
package struct YAMLPlace: Sendable, Hashable, CustomStringConvertible {
    /// The path of the file, as given.
    package let file: String
    /// The line, from 1.
    package let line: Int
    /// The position of the character in the line, from 1.
    package let column: Int

    /// The place as `FILE:LINE:COLUMN`.
    package var description: String { "\(file):\(line):\(column)" }
}

/// A mistake in a YAML file, with its place.
package struct YAMLError: Error, Equatable, CustomStringConvertible {
    /// The place of the mistake, or nil if the file could not be read.
    package let place: YAMLPlace?
    /// An explanation and a remedy.
    package let message: String

    package init(at place: YAMLPlace?, _ message: String) { (self.place, self.message) = (place, message) }

    /// The error as `FILE:LINE:COLUMN: MESSAGE`.
    package var description: String { place.map { "\($0): \(message)" } ?? message }
}
