/// Tab-separated values.
enum TabSeparated {
    /// A field as RFC 4180 quotes it, so that any id can be read back.
    static func field(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == 9 || $0 == 10 || $0 == 13 || $0 == UInt8(ascii: "\"") }) else {
            return text
        }
        var escaped = "\""
        for character in text.unicodeScalars {
            escaped.unicodeScalars.append(character)
            if character == "\"" { escaped.unicodeScalars.append(character) }
        }
        return escaped + "\""
    }
}
