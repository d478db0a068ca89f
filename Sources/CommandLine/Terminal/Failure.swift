/// The failure of a command: an exit code and a message for people.
public struct Failure: Error, CustomStringConvertible {
    /// The exit code.
    public let exitCode: Int32
    /// The message.
    public let message: String
    /// The message.
    public var description: String { message }

    /// The exit code of a failure without a code in sysexits.h, from which the others come.
    public static let general: Int32 = 1
    /// The exit code of a check that found warnings, and nothing bad.
    public static let warning: Int32 = 3
    /// The exit code for data that cannot be used.
    public static let badData: Int32 = 65
    /// The exit code of a failure that may pass by itself.
    public static let tryLater: Int32 = 75

    /// Creates a failure.
    public init(_ exitCode: Int32, _ message: String) {
        self.exitCode = exitCode
        self.message = message
    }
}
