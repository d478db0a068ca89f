/// An error that SQLite reported, with the statement that caused it.
public struct DatabaseError: Error, CustomStringConvertible {
    /// SQLite's extended result code.
    public let code: Int32
    /// SQLite's message.
    public let message: String
    /// The statement, if there was one.
    public let sql: String?

    /// Creates an error.
    public init(code: Int32, message: String, sql: String? = nil) {
        self.code = code
        self.message = message
        self.sql = sql
    }

    /// The primary result code, without the extension.
    public var primaryCode: Int32 { code & 0xff }

    /// Whether another connection holds a lock, so that trying again later helps.
    public var isBusy: Bool { primaryCode == 5 || primaryCode == 6 }

    /// Whether the file could not be opened: it is a folder, its folder does not exist, or permission is missing.
    public var isUnopenable: Bool { primaryCode == 14 }

    /// Whether the file, or one beside it, would have had to be written to, which is not allowed.
    public var isReadOnly: Bool { primaryCode == 8 }

    /// Whether the disk has no room.
    public var isFull: Bool { primaryCode == 13 }

    /// Whether the file is not a SQLite database.
    public var isNotADatabase: Bool { primaryCode == 26 }

    /// Whether the file is a SQLite database that is damaged.
    public var isDamaged: Bool { primaryCode == Self.damaged }

    static let damaged: Int32 = 11

    /// Message and code, for people who need not know the statement.
    public var reason: String { isFull ? "the disk is full" : "SQLite: \(message) (code \(code))" }

    /// Message, code and statement.
    public var description: String { reason + (sql.map { " in: \($0)" } ?? "") }
}
