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
