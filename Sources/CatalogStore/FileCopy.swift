import Glibc
import SQLite

/// Copies of files that others write to meanwhile: all of one moment, without what was deleted.
extension Database {
    /// Writes a copy to a new file that only its owner may read, and checks that it is whole.
    func copy(to path: String) throws(DatabaseError) {
        // SQLite writes into an empty file, which keeps its mode.
        close(unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600))
        // Copying what is damaged may end as if the disk were full.
        try checkWhole()
        let copy = try prepare("VACUUM INTO ?")
        copy.bind(Optional(path), at: 1)
        try copy.run()
        try Database(path: path, mode: .immutable).checkWhole()
    }
}

extension Catalog {
    /// Writes a copy of a catalog, which may be of an older program, to a new file.
    ///
    /// - Returns: its schema version.
    /// - Throws: `CatalogError`, `.badData` if the catalog is damaged; then part of a copy may be there.
    public static func copy(_ path: String, to target: String) throws(CatalogError) -> Int {
        guard unsafe access(path, F_OK) == 0 else {
            throw CatalogError(.missing, "there is no catalog at \(path): name another with --catalog")
        }
        let database = try wrapping { () throws(DatabaseError) in
            try openedForReading(path, canWrite: isWritable(path))
        }
        let version = try CatalogSchema.checkedVersion(database)
        guard version > 0 else { throw CatalogError(.notACatalog, "\(path) is empty") }
        try wrapping { () throws(DatabaseError) in try database.copy(to: target) }
        return version
    }
}

extension ChangeJournal {
    /// Writes a copy of the journal to a new file.
    public func copy(to target: String) throws(CatalogError) {
        try wrapping { () throws(DatabaseError) in try database.copy(to: target) }
    }
}
