public import SQLite

/// A failure of the catalog or of an import.
public struct CatalogError: Error, Equatable, CustomStringConvertible {
    /// What kind of failure it is.
    public enum Code: Sendable, Equatable {
        /// There is no catalog at the path.
        case missing
        /// The file is not a catalog, or of a newer program.
        case notACatalog
        /// Another process writes to it; trying later helps.
        case busy
        /// The data to import is wrong.
        case badData
        /// A file could not be read or written.
        case fileFailed
        /// SQLite failed.
        case databaseFailed
    }

    /// The kind.
    public let code: Code
    /// What happened, where, and what to do.
    public let message: String

    /// An error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// An error of SQLite's.
    public init(_ error: DatabaseError) {
        if error.isBusy {
            self.init(.busy, "another process is writing to the catalog; try again later")
        } else if error.isReadOnly {
            self.init(.fileFailed, "the catalog can only be read: this user may not write to it, or to its folder")
        } else if error.isDamaged {
            self = .damaged(error.reason)
        } else {
            self.init(.databaseFailed, error.reason)
        }
    }

    /// The message.
    public var description: String { message }
}

/// Runs `body`, and turns an error of SQLite's into one of the catalog's.
func wrapping<Result>(_ body: () throws(DatabaseError) -> Result) throws(CatalogError) -> Result {
    do { return try body() } catch { throw CatalogError(error) }
}
