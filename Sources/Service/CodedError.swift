/// An error with a code for programs and a message for people.
package struct CodedError<Kind: Sendable & Equatable>: Error, Equatable, CustomStringConvertible {
    /// The kind of failure.
    package typealias Code = Kind

    package let code: Kind
    /// The failure, its place, and the remedy.
    package let message: String

    package init(_ code: Kind, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
