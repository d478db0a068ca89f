/// Words that people type: topics, interests, tags.
public enum Term {
    /// A term as indexes have it: in lower case, without white space around it.
    ///
    /// Empty if there is nothing but white space.
    public static func normalized(_ text: some StringProtocol) -> String {
        let trimmed = text.drop { $0.isWhitespace }
        let end = trimmed.lastIndex { !$0.isWhitespace }.map { trimmed.index(after: $0) } ?? trimmed.startIndex
        return trimmed[..<end].lowercased()
    }
}
