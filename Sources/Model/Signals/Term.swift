/// Words that people type: topics, interests, tags.
public enum Term {
    /// A term as indexes have it: in lower case, without white space around it.
    ///
    /// Empty if there is nothing but white space.
    public static func normalized(_ text: some StringProtocol) -> String {
        // Nearly all terms are ASCII, and catalogs have many millions of them.
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return normalizedASCII(Array(text.utf8)) }
        let trimmed = text.drop { $0.isWhitespace }
        let end = trimmed.lastIndex { !$0.isWhitespace }.map { trimmed.index(after: $0) } ?? trimmed.startIndex
        return trimmed[..<end].lowercased()
    }

    private static func normalizedASCII(_ text: [UInt8]) -> String {
        func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || (9...13).contains(byte) }
        let trimmed = text.drop(while: isSpace)
        let end = trimmed.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? trimmed.startIndex
        let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
        return String(decoding: trimmed[..<end].map { capitals.contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
