import Basics

/// A line between records that is no record: what a program printed when it failed, or a line of a page.
///
/// A database client that loses its connection may write the error behind the rows it has sent. The rows that are
/// missing would then go unnoticed.
enum StrayLine {
    /// Returns the meaning of a line, in words that follow "is ", or nil if the line may be a record.
    ///
    /// - Parameter line: The bytes from the beginning of the line on.
    static func meaning(of line: Span<UInt8>) -> String? {
        guard !line.isEmpty else { return nil }
        let first = line[0]
        if first == UInt8(ascii: "<") { return pages.contains { begins(line, $0) } ? "a line of a page" : nil }
        // Nearly every record ends here: few messages, if any, begin with its first byte.
        return errorsByFirstByte[Int(first)].contains { begins(line, $0) }
            ? "an error of the program that wrote the file" : nil
    }

    /// The advice for such a line.
    static let advice =
        "the rows may end here although there are more; write the file anew, and look how the program ends"

    /// The beginnings of messages; `#` stands for digits.
    private static let errors = [
        // mysql, mysqldump and their forks
        "ERROR # (", "ERROR at line #:", "mysql: [", "mysqldump: ", "mariadb: ", "mariadb-dump: ",
        "Lost connection to MySQL server", "MySQL server has gone away",
        // psql, pg_dump, and what the server said
        "ERROR:  ", "FATAL:  ", "PANIC:  ", "psql:", "pg_dump: ", "pg_restore: ", "SSL SYSCALL error",
        "server closed the connection unexpectedly", "connection to server ", "could not receive data from server",
        "SSL connection has been closed unexpectedly",
        // sqlite3, sqlcmd, Oracle
        "Runtime error near line #", "Parse error near line #", "Error: near line #", "Error: stepping, ",
        "Error: in prepare, ", "Error: database disk image is malformed", "Msg #, Level #", "ORA-#:",
        // languages
        "Traceback (most recent call last):", "SQLSTATE[", "PHP Fatal error:", "PHP Warning:",
    ].map { Array($0.utf8) }

    private static let errorsByFirstByte = (0...255).map { byte in errors.filter { Int($0[0]) == byte } }

    /// The beginnings of lines of pages, in lower case.
    private static let pages = [
        "<!doctype", "<html", "</html", "<head", "</head", "<body", "</body", "<?xml", "<br />",
    ]
    .map { Array($0.utf8) }

    private static func begins(_ line: Span<UInt8>, _ beginning: [UInt8]) -> Bool {
        let isPage = beginning[0] == UInt8(ascii: "<")
        var index = 0
        for byte in beginning {
            if byte == UInt8(ascii: "#") {
                let start = index
                while index < line.count, line[index] &- UInt8(ascii: "0") <= 9 { index += 1 }
                guard index > start else { return false }
                continue
            }
            guard index < line.count, line[index] == byte || isPage && line[index] | 0x20 == byte else { return false }
            index += 1
        }
        return true
    }
}

extension RecordReader {
    /// Refuses a source whose current line is no record but a message of a program.
    func refuseStrayLine(_ window: ScanWindow) throws(Failure) {
        guard let meaning = StrayLine.meaning(of: input.bytes.span.extracting(window.start..<window.stop)) else {
            return
        }
        throw .unreadable(
            source, line: line, "this line is \(meaning): \(StrayLine.advice)")
    }
}
