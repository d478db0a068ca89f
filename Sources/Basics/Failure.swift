/// The reason why something could not be done: a kind for programs, and a message for people.
package struct Failure: Error, Equatable, CustomStringConvertible {
    /// The kind of a failure, which tells a caller whether to try again.
    package enum Code: Sendable, Equatable {
        /// The words of a command, or an address, are wrong.
        case badUsage
        /// Data from outside is wrong, or what a catalog or journal has is damaged.
        case badData
        /// The stored bytes of a version or of another value are damaged.
        case corrupt
        /// There is no such file.
        case missing
        /// There is no such version.
        case unknownVersion
        /// The file or value is something else, or of an older or newer program.
        case otherFormat
        /// A version was published, and did not become current.
        case refused
        /// Another process is writing, or the file is in use. Trying later helps.
        case busy
        /// Memory is short, or the help of other processes. Trying later may help.
        case tryLater
        /// The store cannot be reached or refuses. Trying later may help.
        case unavailable
        /// The server is a replica, and its data may be old.
        ///
        /// Trying again helps after the server is promoted, or when the address leads to a primary.
        case replica
        /// The server refuses the login or the command, or the folder is closed to this user.
        ///
        /// Trying again helps after the permissions are changed.
        case notPermitted
        /// A file or a value of a server could not be read or written.
        case fileFailed
        /// Standard output could not be written.
        case outputFailed
        /// The disk has no room.
        case diskFull
        case databaseFailed
        /// A journal cannot record what happens.
        case journalFailed
        /// It failed in another way, or a check found a fault.
        case general
        /// A check found something that needs no haste.
        case warning

        /// Whether what is asked cannot be read now: a server is away, is a replica, or refuses this user.
        package var isOutOfReach: Bool { [.unavailable, .replica, .notPermitted].contains(self) }

        /// The exit code of a command that fails in this way; those from 64 on are of sysexits.h.
        package var exitCode: Int32 {
            switch self {
            case .fileFailed, .outputFailed, .diskFull, .databaseFailed, .journalFailed, .general: 1
            case .warning: 3
            case .badUsage: 64
            case .badData, .corrupt, .missing, .unknownVersion, .otherFormat, .refused: 65
            case .busy, .tryLater, .unavailable, .replica, .notPermitted: 75
            }
        }
    }

    package let code: Code
    /// The failure, its place, and the remedy.
    package let message: String
    /// The error of a library that led to it, if a caller may want to look into it.
    package let cause: (any Error)?

    package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        (self.code, self.message, self.cause) = (code, message, cause)
    }

    package var exitCode: Int32 { code.exitCode }
    package var description: String { message }

    /// Whether two failures have the same kind and message.
    package static func == (left: Failure, right: Failure) -> Bool {
        left.code == right.code && left.message == right.message
    }
}
