import CatalogStore
import SQLite

/// A SQLite file that is prepared beside its place, and then put there.
struct RestoredFile {
    /// Its place.
    let path: String

    /// Where it is prepared.
    var prepared: String { path + ".restoring" }

    init(_ path: String) { self.path = path }

    /// - Throws: `BackupError.Code.occupied` if something is at its place and must stay, or is in use.
    func checkTarget(isReplacing: Bool) throws(BackupError) {
        guard FileName.exists(path) else { return }
        guard isReplacing else {
            throw BackupError(
                .occupied, "\(path) is there already: name another place, or give --replace, which overwrites it")
        }
        guard try !ArchiveFile(reading: path).isOpenElsewhere() else {
            throw BackupError(
                .occupied, "a program has \(path) open: stop the daemons of this machine, and all other commands")
        }
    }

    /// Puts the prepared file, which nobody has open, at its place, in one step.
    ///
    /// What is there has no write-ahead log any more when it is replaced: SQLite would take that for one of the new
    /// file.
    func putInPlace() throws(BackupError) {
        try removeLog(of: prepared, keepsContent: true)
        if FileName.exists(path) { try removeLog(of: path, keepsContent: false) }
        try ArchiveFile(reading: prepared).synchronize()
        try FileName.move(prepared, to: path)
    }

    /// - Parameter keepsContent: whether it is a failure if what is in the log cannot be written to the file.
    private func removeLog(of file: String, keepsContent: Bool) throws(BackupError) {
        do throws(DatabaseError) { _ = try Database(path: file, mode: .readWrite).emptyLog() } catch {
            // A damaged file is replaced as well.
            if keepsContent { throw BackupError(CatalogError(error)) }
        }
        for suffix in ["-wal", "-shm"] { try FileName.remove(file + suffix) }
    }

    /// Removes what was prepared and not put in place.
    func removeRemains() {
        for suffix in ["", "-wal", "-shm", "-journal"] { try? FileName.remove(prepared + suffix) }
    }
}
