extension InputBuffer {
    /// Skips a byte order mark, and finds out the format if it is not given.
    ///
    /// - Throws: `RecordError.Code.foreign` for what is no text of records, with what makes it one.
    mutating func prepare(format: RecordFormat?, source: String) throws(RecordError) -> RecordFormat {
        // Enough for the first line of nearly all files, which need not be complete.
        do {
            while unreadCount < 4096, !isAtEnd { try readMore() }
        } catch  where unreadCount > 0 {
            // The records before the failure are read; then it is met again.
        } catch {
            throw RecordError(code: .readFailed, source: source, line: 1, message: "reading failed: \(error)")
        }
        let content = beginning(ofSource: source)
        if let foreign = content.foreign {
            throw RecordError(code: .foreign, source: source, line: 1, message: foreign.message(source: source))
        }
        if content.hasByteOrderMark { start += 3 }
        return format ?? content.format
    }

    /// What the first bytes tell, and the name of the source.
    private func beginning(ofSource source: String)
        -> (foreign: ForeignContent?, format: RecordFormat, hasByteOrderMark: Bool)
    {
        let first = bytes.span.extracting(start..<min(end, start + 4096))
        // Only the name tells an empty file of JSON Lines from one without a header.
        let isJSONLines = RecordFormat(fileName: source) == .jsonLines
        return (
            ForeignContent(firstBytes: first), isJSONLines ? .jsonLines : RecordFormat(firstBytes: first),
            first.startsWithByteOrderMark
        )
    }
}
