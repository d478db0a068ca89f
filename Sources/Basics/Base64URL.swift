import FoundationEssentials

/// Base64 for addresses and tokens, without padding (RFC 4648, section 5).
package enum Base64URL {
    /// Returns bytes as text.
    package static func encode(_ bytes: [UInt8]) -> String {
        let letters = Data(bytes).base64EncodedString().utf8.prefix { $0 != UInt8(ascii: "=") }.map { letter in
            switch letter {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: letter
            }
        }
        return String(decoding: letters, as: UTF8.self)
    }

    /// Returns the bytes of a text, or nil if it is not in this form.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let base = String(text).replacing("-", with: "+").replacing("_", with: "/")
        return Data(base64Encoded: base + String(repeating: "=", count: (4 - base.utf8.count % 4) % 4)).map(Array.init)
    }
}
