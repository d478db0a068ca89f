package import Basics

/// Integrity checks and copies of a whole database.
extension Database {
    /// Returns the findings of SQLite's integrity check, at most ten lines.
    package func integrityFindings() throws(Failure) -> [String] {
        do throws(Failure) {
            let lines = try prepare("PRAGMA integrity_check(10)").texts()
            return lines == ["ok"] ? [] : lines
        } catch {
            // Some damage ends the check itself.
            guard error.isOfDamagedDatabase else { throw error }
            return [error.ofDatabase?.reason ?? error.message]
        }
    }

    /// Writes a snapshot without deleted data to a new file that only its owner may read, and checks its integrity.
    package func copy(to path: String) throws(Failure) {
        // SQLite writes into an empty file without changing its mode. If there is none, it tells the reason.
        _ = PrivateFile.createEmpty(path)
        // Copying a damaged database may fail as if the disk were full.
        try checkWhole()
        try run("VACUUM INTO ?", path)
        try Database(path: path, mode: .immutable).checkWhole()
    }
}

extension Statement {
    /// Returns a value for each row.
    package func map<Value>(_ make: (Statement) throws(Failure) -> Value) throws(Failure) -> [Value] {
        var values: [Value] = []
        while try step() { values.append(try make(self)) }
        return values
    }

    /// Returns the first column of all rows.
    package func texts() throws(Failure) -> [String] { try map { $0.text(0) } }
}
