/// Writes one JSON document, straight to bytes: an answer of 50 rows takes a tenth of what `JSONEncoder` takes.
struct JSONWriter {
    private(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// The bytes of one object with the members that `members` writes.
    static func object(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.bytes.reserveCapacity(16_384)
        writer.enclosed("{", "}", members)
        return writer.bytes
    }

    /// A member that is text.
    mutating func member(_ name: String, _ value: String) {
        key(name)
        text(value)
    }

    /// A member that is an integer.
    mutating func member(_ name: String, _ value: some FixedWidthInteger) {
        key(name)
        literal(value.description)
    }

    /// A member that is a number, in the fewest digits that read back as the same; null if it is not finite.
    mutating func member<Number: BinaryFloatingPoint & CustomStringConvertible>(_ name: String, _ value: Number) {
        key(name)
        literal(value.isFinite ? value.description : "null")
    }

    /// A member that is true or false.
    mutating func member(_ name: String, _ value: Bool) {
        key(name)
        literal(value ? "true" : "false")
    }

    /// A member that is an object.
    mutating func object(_ name: String, _ members: (inout JSONWriter) -> Void) {
        key(name)
        enclosed("{", "}", members)
    }

    /// A member that is a list of objects, one for each element.
    mutating func objects<Elements: Sequence>(
        _ name: String, _ elements: Elements, _ members: (inout JSONWriter, Elements.Element) -> Void
    ) {
        key(name)
        enclosed("[", "]") { list in
            for element in elements { list.enclosed("{", "}") { members(&$0, element) } }
        }
    }

    /// A member that is a list of texts.
    mutating func texts(_ name: String, _ elements: some Sequence<String>) {
        key(name)
        enclosed("[", "]") { list in
            for element in elements { list.text(element) }
        }
    }

    private mutating func enclosed(
        _ opening: Unicode.Scalar, _ closing: Unicode.Scalar, _ content: (inout JSONWriter) -> Void
    ) {
        comma()
        bytes.append(UInt8(ascii: opening))
        needsComma = false
        content(&self)
        bytes.append(UInt8(ascii: closing))
        needsComma = true
    }

    private mutating func key(_ name: String) {
        text(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    private mutating func literal(_ value: String) {
        comma()
        var value = value
        value.withUTF8 { unsafe bytes.append(contentsOf: $0) }
        needsComma = true
    }

    private mutating func text(_ value: String) {
        comma()
        bytes.append(UInt8(ascii: "\""))
        var value = value
        // In place: looking through the bytes of a text one by one is dear.
        value.withUTF8 { text in
            // All at once, as nearly always, takes a fraction of byte by byte.
            if unsafe text.contains(where: Self.needsEscape) {
                unsafe appendEscaped(text)
            } else {
                unsafe bytes.append(contentsOf: text)
            }
        }
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
        for place in text.indices {
            let byte = unsafe text[place]
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0..<0x20: appendControl(byte)
            default: bytes.append(byte)
            }
        }
    }

    private mutating func appendControl(_ byte: UInt8) {
        let digits = Array("0123456789abcdef".utf8)
        bytes.append(contentsOf: "\\u00".utf8)
        bytes += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }

    private mutating func comma() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }
}
