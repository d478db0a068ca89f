package import Basics
import Glibc

/// An error that SQLite reported, with the statement; the cause of a `Failure`.
package struct DatabaseError: Error {
    /// SQLite's extended result code.
    package let code: Int32
    /// SQLite's message.
    package let message: String
    /// The statement that failed, or nil if there was none.
    package let sql: String?
    /// The system's error number that caused it, or 0.
    let systemError: Int32
    /// The temporary folder of SQLite, if that is what has no room.
    var fullTemporaryFolder: String?

    init(_ code: Int32, _ message: String, sql: String? = nil, systemError: Int32 = 0) {
        (self.code, self.message, self.sql, self.systemError) = (code, message, sql, systemError)
    }

    /// The primary result code, without the extension.
    package var primaryCode: Int32 { code & 0xff }

    /// Whether another connection holds a lock.
    var isBusy: Bool { primaryCode == 5 }

    /// Whether the file could not be opened: it is a folder, its folder does not exist, or permission is missing.
    var isUnopenable: Bool { primaryCode == 14 && !isFull }

    /// Whether a write to the file, or to one beside it, was needed but is not allowed.
    var isReadOnly: Bool { primaryCode == 8 }

    /// Whether the disk has no room.
    ///
    /// SQLite reports a full disk in three ways. Some writes fail with the code for it, others with the code for any
    /// failure of the disk. A write to the index of a write-ahead log fails with a code of its own.
    var isFull: Bool {
        switch primaryCode {
        case 13: true
        case 10, 14: code == Self.noRoomForLogIndex || systemError == ENOSPC || systemError == EDQUOT
        default: false
        }
    }

    private static let noRoomForLogIndex: Int32 = 4874

    /// Whether the file is not a SQLite database.
    var isNotADatabase: Bool { primaryCode == 26 }

    /// Whether the file is a SQLite database that is damaged.
    var isDamaged: Bool { primaryCode == Self.damaged }

    /// The result code of a damaged file, or of one with values that nothing writes.
    static let damaged: Int32 = 11

    /// The message, for people who need not know the statement.
    var reason: String {
        if let folder = fullTemporaryFolder {
            return "SQLite's temporary folder \(folder) is full: make room, or name another with SQLITE_TMPDIR"
        }
        if isFull { return "the disk is full" }
        return "SQLite: \(message)" + (systemError == 0 ? "" : ": \(SystemWords.words(ofError: systemError))")
    }
}

extension Failure {
    /// The error of SQLite, if one is the cause.
    package var ofDatabase: DatabaseError? { cause as? DatabaseError }

    package var isOfReadOnlyDatabase: Bool { ofDatabase?.isReadOnly ?? false }
    /// Whether a file could not be opened as a database.
    package var isOfUnopenableDatabase: Bool { ofDatabase?.isUnopenable ?? false }
    /// Whether a file is no database.
    package var isOfNoDatabase: Bool { ofDatabase?.isNotADatabase ?? false }
    /// Whether a file is no database, or a damaged one.
    package var isOfDamagedDatabase: Bool { isOfNoDatabase || ofDatabase?.isDamaged ?? false }
}

extension Database {
    /// A kind of database, in messages.
    package struct Subject: Sendable {
        /// The noun with its article.
        let name: String
        /// The remedy for damage, after a comma.
        let remedy: String

        package init(_ name: String, remedy: String = "") { (self.name, self.remedy) = (name, remedy) }

        package static let database = Subject("the database")

        func failure(_ error: DatabaseError, _ path: String) -> Failure {
            if error.isBusy {
                return Failure(.busy, "another process is writing to \(name); try again later", cause: error)
            }
            if error.isReadOnly {
                let message = """
                    \(name) \(path) can only be read: \(FileAccess.user) may not write to it, which \
                    \(FileAccess.ownership(of: path)), or to its folder
                    """
                return Failure(.fileFailed, message, cause: error)
            }
            guard error.isDamaged else {
                return Failure(error.isFull ? .diskFull : .databaseFailed, error.reason, cause: error)
            }
            return damaged(error.reason, cause: error)
        }

        /// Returns the failure for content that nothing writes.
        package func damaged(_ finding: String, cause: DatabaseError? = nil) -> Failure {
            Failure(.badData, "\(name) is damaged\(remedy): \(finding)", cause: cause)
        }
    }
}
