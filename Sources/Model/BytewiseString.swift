/// A string compared by its UTF-8 bytes, as ids are: Swift's `String` takes canonically equivalent spellings for equal.
public struct BytewiseString: Hashable, Sendable {
    /// The string itself.
    public let text: String

    /// A string that is to be compared by its bytes.
    public init(_ text: String) { self.text = text }

    /// Whether both have the same UTF-8 bytes.
    public static func == (one: BytewiseString, other: BytewiseString) -> Bool { one.text.hasSameBytes(as: other.text) }

    /// Hashes the bytes, and 255, which is in no UTF-8 text, as their end.
    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        hasher.combine(UInt8.max)
    }
}

extension String {
    /// Whether two strings have the same UTF-8 bytes, as ids must to be the same.
    public func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
