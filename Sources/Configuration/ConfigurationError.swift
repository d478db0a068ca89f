public import YAML

/// Why configuration files cannot be used.
public struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: Sendable, Equatable {
        /// A file cannot be read, or is not such YAML as is accepted.
        case badFile
        /// There is no such setting.
        case unknownKey
        /// The value is not one that the setting may have.
        case badValue
        /// A secret stands in the file.
        case secret
    }

    /// The kind.
    public let code: Code
    /// Where it is; nil if a file could not be read.
    public let place: YAMLPlace?
    /// What is wrong, and what to do.
    public let message: String

    /// Makes an error.
    public init(_ code: Code, at place: YAMLPlace?, _ message: String) {
        self.code = code
        self.place = place
        self.message = message
    }

    init(_ error: YAMLError) { self.init(.badFile, at: error.place, error.message) }

    /// `FILE:LINE:COLUMN: MESSAGE`.
    public var description: String { place.map { "\($0): \(message)" } ?? message }
}
