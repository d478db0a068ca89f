extension RecordReader {
    /// Calls `body` with the bytes of a field of the current record, which are valid UTF-8 without NUL.
    ///
    /// Nothing is copied: the bytes are valid until the reader moves on. A column that the record does not have is
    /// empty.
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

    /// Whether the field is empty, or the record does not have the column.
    @inlinable
    public func isEmpty(_ column: Int) -> Bool {
        let field = fieldOfColumn[column]
        return field < 0 || bounds[field].start == bounds[field].end
    }

    /// A copy of a field of the current record; empty if the record does not have the column.
    public borrowing func text(_ column: Int) -> String {
        withField(column) { bytes in
            unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
        }
    }
}
