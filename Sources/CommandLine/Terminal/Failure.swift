/// The failure of a command: an exit code and a message for people.
package struct Failure: Error, CustomStringConvertible {
    package let exitCode: Int32
    package let message: String
    package var description: String { message }

    /// The exit code of a failure without a code in sysexits.h, from which the others come.
    package static let general: Int32 = 1
    /// The exit code of a check that found warnings, and nothing bad.
    package static let warning: Int32 = 3
    /// The exit code for data that cannot be used.
    package static let badData: Int32 = 65
    /// The exit code of a failure that may pass by itself.
    package static let tryLater: Int32 = 75

    package init(_ exitCode: Int32, _ message: String) {
        self.exitCode = exitCode
        self.message = message
    }
}
