package import Basics
import CSQLite

/// A compiled statement.
///
/// Parameters are numbered from 1, columns from 0.
@safe
package final class Statement {
    private let handle: OpaquePointer
    private let database: Database
    private let sql: String

    init(_ handle: OpaquePointer, database: Database, sql: String) {
        unsafe self.handle = unsafe handle
        self.database = database
        self.sql = sql
    }

    deinit { unsafe database.takeBack(handle, sql) }

    /// Whether running it changes nothing in the database.
    var isReading: Bool { unsafe sqlite3_stmt_readonly(handle) != 0 }

    // Binding fails only for a parameter that the statement does not have, which is a programmer's mistake.
    private func check(_ code: Int32) {
        precondition(code == SQLITE_OK, "binding a parameter failed with code \(code): \(sql)")
    }

    /// Binds an integer.
    package func bind(_ value: Int64, at index: Int32) { check(unsafe sqlite3_bind_int64(handle, index, value)) }

    /// Binds an integer, or NULL.
    package func bind(_ value: Int64?, at index: Int32) {
        if let value { bind(value, at: index) } else { bindNull(at: index) }
    }

    /// Binds a number, or NULL.
    package func bind(_ value: Double?, at index: Int32) {
        guard let value else { return bindNull(at: index) }
        check(unsafe sqlite3_bind_double(handle, index, value))
    }

    /// Binds a text, which SQLite copies, or NULL.
    package func bind(_ value: String?, at index: Int32) {
        guard var value else { return bindNull(at: index) }
        let code = value.withUTF8 { bytes in
            // An empty text may have no address, which would bind NULL.
            guard let base = bytes.baseAddress else { return unsafe sqlite3_bind_text(handle, index, "", 0, nil) }
            return unsafe base.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
                unsafe coterie_sqlite_bind_text_copy(handle, index, $0, Int32(bytes.count))
            }
        }
        check(code)
    }

    /// Binds a text that SQLite does not copy.
    ///
    /// - Parameter text: the text, which must stay in place and unchanged until the statement has run.
    @unsafe
    package func bindInPlace(_ text: Span<UInt8>, at index: Int32) {
        let code = unsafe text.withUnsafeBufferPointer { bytes in
            // An empty text may have no address, which would bind NULL.
            guard let base = bytes.baseAddress else { return unsafe sqlite3_bind_text(handle, index, "", 0, nil) }
            return unsafe base.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
                unsafe sqlite3_bind_text(handle, index, $0, Int32(bytes.count), nil)
            }
        }
        check(code)
    }

    /// Binds bytes, which SQLite copies.
    package func bind(bytes: [UInt8], at index: Int32) {
        check(
            unsafe bytes.withUnsafeBytes {
                unsafe coterie_sqlite_bind_blob_copy(handle, index, $0.baseAddress, Int32($0.count))
            }
        )
    }

    package func bindNull(at index: Int32) { check(unsafe sqlite3_bind_null(handle, index)) }

    /// Moves to the next row.
    ///
    /// - Returns: false if there is no next row; the statement is then reset and can run again.
    package func step() throws(Failure) -> Bool {
        let code = unsafe sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        let failure = code == SQLITE_DONE ? nil : database.error(code, sql)
        unsafe sqlite3_reset(handle)
        if let failure { throw failure }
        return false
    }

    /// Runs a statement to its end, ignoring any rows, and resets it.
    package func run() throws(Failure) {
        while try step() {}
    }

    /// Skips the rows that were not read; bindings are kept.
    package func reset() { unsafe sqlite3_reset(handle) }

    /// Whether a column of the current row is NULL.
    package func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_NULL }

    /// Returns a column of the current row as an integer; 0 for NULL.
    package func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

    /// Returns a column of the current row as an integer, or nil for NULL.
    package func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    /// Returns a column of the current row as a number, or nil for NULL.
    package func optionalNumber(_ column: Int32) -> Double? {
        isNull(column) ? nil : unsafe sqlite3_column_double(handle, column)
    }

    /// Returns a column of the current row as text; empty for NULL.
    package func text(_ column: Int32) -> String {
        unsafe withText(column) { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// Returns a column of the current row as text, or nil for NULL.
    package func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    /// Returns a column of the current row as bytes; empty for NULL.
    package func bytes(_ column: Int32) -> [UInt8] {
        let base = unsafe sqlite3_column_blob(handle, column)
        return unsafe Array(
            UnsafeRawBufferPointer(start: base, count: base == nil ? 0 : Int(sqlite3_column_bytes(handle, column))))
    }

    /// Calls `body` with the bytes of a text column of the current row, which are valid during the call.
    package func withText<Result>(_ column: Int32, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        let base = unsafe sqlite3_column_text(handle, column)
        let count = unsafe sqlite3_column_bytes(handle, column)
        return unsafe body(UnsafeBufferPointer(start: base, count: base == nil ? 0 : Int(count)))
    }
}

extension Statement {
    /// Calls `body` with the first two columns of every remaining row.
    ///
    /// The loop is in this module, where calls of SQLite are direct.
    package func forEachIntegerPair(_ body: (Int64, Int64) -> Void) throws(Failure) {
        while try step() { body(integer(0), integer(1)) }
    }

    /// Calls `body` with the first three columns of every remaining row; the third may be NULL.
    package func forEachIntegerTriple(_ body: (Int64, Int64, Int64?) -> Void) throws(Failure) {
        while try step() { body(integer(0), integer(1), optionalInteger(2)) }
    }

    /// Runs the statement once with two integers and one that may be NULL.
    package func run(_ first: Int64, _ second: Int64, _ third: Int64?) throws(Failure) {
        bind(first, at: 1)
        bind(second, at: 2)
        bind(third, at: 3)
        try run()
    }

    /// Binds values to the first parameters, in their order; nil is NULL.
    package func bind(_ values: (any BoundValue)?...) { _ = binding(values) }

    package func binding(_ values: [(any BoundValue)?]) -> Statement {
        for (index, value) in values.enumerated() {
            if let value { value.bind(to: self, at: Int32(index + 1)) } else { bindNull(at: Int32(index + 1)) }
        }
        return self
    }

    /// Runs the statement once with values for its first parameters, in their order; nil is NULL.
    package func run(_ values: (any BoundValue)?...) throws(Failure) {
        try binding(values).run()
    }
}

/// A value that a parameter can have.
package protocol BoundValue {
    func bind(to statement: Statement, at index: Int32)
}

extension Int64: BoundValue {
    package func bind(to statement: Statement, at index: Int32) { statement.bind(self, at: index) }
}

extension Int: BoundValue {
    package func bind(to statement: Statement, at index: Int32) { statement.bind(Int64(self), at: index) }
}

extension String: BoundValue {
    package func bind(to statement: Statement, at index: Int32) { statement.bind(Optional(self), at: index) }
}

extension [UInt8]: BoundValue {
    package func bind(to statement: Statement, at index: Int32) { statement.bind(bytes: self, at: index) }
}
