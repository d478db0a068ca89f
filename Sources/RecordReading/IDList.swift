package import Basics

/// A list of ids, one a line.
///
/// Lines end as those of records do. Empty lines at the end are passed over, and `\.` ends the list. A list that is
/// something else, such as a table, is refused as a whole: its lines could be taken for ids that nobody has.
package enum IDList {
    /// The names of columns with ids, which are no ids themselves.
    private static let names: Set = ["id", "user_id", "photo_id", "group_id", "user", "photo", "group"]
    private static let maximumIDBytes = 255

    /// Returns the ids of a list, in its order; an empty line within it is an empty id.
    ///
    /// - Parameter source: The name of the list, for messages.
    /// - Throws: `Failure` with the first line that is no id.
    package static func ids(in bytes: [UInt8], source: String) throws(Failure) -> [String] {
        let text = bytes.span.startsWithByteOrderMark ? bytes[3...] : bytes[...]
        func failure(_ line: Int, _ message: String) -> Failure { .unreadable(source, line: line, message) }
        switch ForeignContent(firstBytes: bytes.span) {
        case .jsonArray, .wrappedJSON:
            throw failure(1, "this is JSON; take the ids out by: jq -r '.[].userId' \(ShellWords.file(source))")
        case let foreign?: throw failure(1, foreign.message(source: source))
        case nil: break
        }
        var lines = text.split(separator: Byte.lineFeed, omittingEmptySubsequences: false).map { line in
            var line = line
            while line.last == Byte.carriageReturn { line.removeLast() }
            return line
        }
        let endsLine = lines.last?.isEmpty ?? true
        while lines.last?.isEmpty ?? false { lines.removeLast() }
        if let end = lines.firstIndex(where: { $0.elementsEqual("\\.".utf8) }) {
            guard end == lines.count - 1 else { throw .afterEnd(markedIn: end + 1, source: source, line: end + 2) }
            lines.removeLast()
        }
        guard !lines.isEmpty else { throw failure(1, "it has no id") }
        guard endsLine || bytes.count % RecordReader.blockBytes != 0 else {
            throw failure(
                lines.count,
                "the list seems to be cut off: the last line has no end, and all is whole blocks of 4,096 bytes")
        }
        var ids: [String] = []
        ids.reserveCapacity(lines.count)
        for (index, line) in lines.enumerated() {
            if let reason = objection(to: Array(line), isFirst: index == 0) { throw failure(index + 1, reason) }
            ids.append(String(decoding: line, as: UTF8.self))
        }
        return ids
    }

    /// Returns the reason why a line is no id, or nil if it may be one.
    private static func objection(to line: [UInt8], isFirst: Bool) -> String? {
        guard let text = String(validating: line, as: UTF8.self) else { return "this line is not UTF-8" }
        if let meaning = StrayLine.meaning(of: line.span) { return "this line is \(meaning): \(StrayLine.advice)" }
        if line.contains(Byte.tab) { return "this line has a tab; a list has one id a line, and no other column" }
        if line.starts(with: "{\"".utf8) { return "this line is JSON; take the ids out by jq" }
        if line.first == Byte.quote { return "this line has quotes; a list has one id a line, as it is" }
        if !line.isEmpty, line.allSatisfy({ $0 == UInt8(ascii: " ") }) { return "this line has only blanks" }
        if line.contains(Byte.nul) { return "this line has a NUL byte" }
        if text == "\\N" { return "\(text) is no id, but COPY's sign for no value" }
        if line.count > maximumIDBytes {
            return "this line has \(line.count) bytes, and an id at most \(maximumIDBytes)"
        }
        guard isFirst else { return nil }
        if text.hasPrefix("coterie ledger ") { return "this is a ledger: coterie forget --merge reads it" }
        let words = text.split { ",;|".contains($0) }.map { RecordColumn.comparable(String($0)) }
        guard words.contains(where: names.contains) else { return nil }
        return "this line names columns; a list has one id a line, and no header (tail -n +2 leaves it out)"
    }
}
