public import CatalogStore
public import ModelStore

/// Why a backup could not be made or brought back.
public struct BackupError: Error, CustomStringConvertible {
    /// What kind of failure it is; callers decide by it what the exit code is.
    public enum Code: Sendable, Equatable {
        /// Something is there that would be overwritten, or is in use.
        case occupied
        /// The backup is damaged, incomplete, or something else.
        case damaged
        /// A newer program has made the backup.
        case newer
        /// A file could not be read or written.
        case fileFailed
        /// The catalog or a journal failed.
        case catalog(CatalogError.Code)
        /// The store failed.
        case store(StoreError.Code)
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

    init(_ error: CatalogError) { self.init(.catalog(error.code), error.message) }

    init(_ error: StoreError) { self.init(.store(error.code), error.message) }

    /// The message.
    public var description: String { message }
}

/// Runs `body`, and turns an error of the catalog's into one of the backup's.
func cataloged<Result>(_ body: () throws(CatalogError) -> Result) throws(BackupError) -> Result {
    do throws(CatalogError) { return try body() } catch { throw BackupError(error) }
}

/// Runs `body`, and turns an error of the store's into one of the backup's.
func stored<Result: ~Copyable>(_ body: () throws(StoreError) -> Result) throws(BackupError) -> Result {
    do throws(StoreError) { return try body() } catch { throw BackupError(error) }
}
