/// A text that is another one as soon as a byte differs, as ids are: to Swift, texts are equal already if they look the same.
public struct ExactText: Hashable, Sendable {
    /// The text itself.
    public let text: String

    /// A text by its bytes.
    public init(_ text: String) { self.text = text }

    /// Whether both have the same bytes of UTF-8.
    public static func == (one: ExactText, other: ExactText) -> Bool { one.text.hasSameBytes(as: other.text) }

    /// Hashes the bytes, with an end that no text has among them.
    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        hasher.combine(UInt8.max)
    }
}

extension String {
    /// Whether two ids are the same: to Swift, texts are equal already if they look the same.
    public func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
