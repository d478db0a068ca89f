extension UInt8 {
    /// Whether the byte is an ASCII letter or digit.
    @inlinable package var isLetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}

extension String {
    /// Whether the text is 1 to `limit` bytes of ASCII letters, digits and some other characters.
    package func isWord(ofAtMost limit: Int, with others: String) -> Bool {
        (1...limit).contains(utf8.count) && utf8.allSatisfy { $0.isLetterOrDigit || others.utf8.contains($0) }
    }
}
