extension RecordReader {
    /// Calls `body` with the bytes of a field of the current record, which are valid UTF-8 without NUL.
    ///
    /// The bytes are the reader's own: nothing is copied, and they must be used before the reader is moved on. A column
    /// that is not there has no bytes.
    @inlinable
    public borrowing func withField<Result, Failure: Error>(
        _ column: Int, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let field = fieldOfColumn[column]
        guard field >= 0, bounds[field].start >= 0 else { return try body(Span()) }
        let range = bounds[field].start..<bounds[field].end
        return format == .jsonLines
            ? try body(jsonValues.span.extracting(range))
            : try body(input.bytes.span.extracting(range))
    }

    /// Whether the current record has the column; in JSON Lines, with a value other than null.
    @inlinable
    public func isPresent(_ column: Int) -> Bool {
        let field = fieldOfColumn[column]
        return field >= 0 && bounds[field].start >= 0
    }

    /// Whether the field has no bytes; so it is too if the record does not have the column.
    @inlinable
    public func isEmpty(_ column: Int) -> Bool {
        let field = fieldOfColumn[column]
        return field < 0 || bounds[field].start == bounds[field].end
    }

    /// A field of the current record as a text of its own; empty if the record does not have the column.
    public borrowing func text(_ column: Int) -> String {
        withField(column) { bytes in
            unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
        }
    }
}
