package import Redis
import SQLite

/// A failure of a journal, or of the streams of changes.
package struct ChangeError: Error, Equatable, CustomStringConvertible {
    /// The kind of a failure.
    package enum Code: Sendable, Equatable {
        /// The file is not a journal, or is a journal of another program version.
        case notAJournal
        /// Another process writes to the journal; a retry later may succeed.
        case busy
        /// A file could not be opened, or may not be written to.
        case fileFailed
        /// SQLite failed.
        case databaseFailed
        /// The server cannot be reached, or refuses.
        case serverFailed
        /// The server has something other than streams of changes.
        case badStreams
        /// A file is no ledger of forgotten members.
        case badLedger
    }

    /// The kind of the failure.
    package let code: Code
    /// A sentence that says what happened, where, and what to do.
    package let message: String

    /// Whether the cause is a disk that is full.
    package private(set) var isFull = false

    /// The kind of the server's error behind `serverFailed`.
    package let cause: RedisError.Code?

    package init(_ code: Code, _ message: String, cause: RedisError.Code? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// Turns an error of SQLite into an error about a journal.
    init(_ error: DatabaseError) {
        if error.isBusy {
            self.init(.busy, "another process is writing to the journal; try again later")
        } else if error.isReadOnly {
            self.init(.fileFailed, "the journal can only be read: this user may not write to it, or to its folder")
        } else if error.isDamaged {
            self.init(.databaseFailed, "the journal is damaged: \(error.reason)")
        } else {
            self.init(.databaseFailed, error.reason)
            isFull = error.isFull
        }
    }

    /// The message.
    package var description: String { message }
}

/// Runs `body`, and turns an error of SQLite into an error about a journal.
func wrapping<Result>(_ body: () throws(DatabaseError) -> Result) throws(ChangeError) -> Result {
    do { return try body() } catch { throw ChangeError(error) }
}
