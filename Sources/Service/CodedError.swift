/// An error with a code for programs and a message for people.
public struct CodedError<Kind: Sendable & Equatable>: Error, Equatable, CustomStringConvertible {
    /// The kind of failure.
    public typealias Code = Kind

    /// The kind of failure.
    public let code: Kind
    /// The failure, its place, and the remedy.
    public let message: String

    /// Creates an error.
    public init(_ code: Kind, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
