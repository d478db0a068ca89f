/// The beginning of some bytes as a text that is safe to show: at most `limit` bytes of it.
///
/// Control characters and the invisible ones that change how a line is laid out are escaped as `\n`, `\t`, `\r` or
/// `\u{…}`; bytes that are not UTF-8 become U+FFFD, and a character that the limit cuts is left out.
func excerpt(of bytes: Span<UInt8>, limit: Int = 200) -> String {
    var end = min(limit, bytes.count)
    if end < bytes.count {
        // Back to the start of the character that the limit falls into, which is at most three bytes away.
        var back = end
        while back > 0, end - back < 3, bytes[back] & 0xC0 == 0x80 { back -= 1 }
        if bytes[back] >= 0xC0 { end = back }
    }
    var beginning: [UInt8] = []
    beginning.reserveCapacity(end)
    for index in 0..<end { beginning.append(bytes[index]) }
    var result = ""
    for scalar in String(decoding: beginning, as: UTF8.self).unicodeScalars {
        switch scalar {
        case "\n": result += "\\n"
        case "\r": result += "\\r"
        case "\t": result += "\\t"
        default:
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
    return result
}

/// A name from the input, short and safe to show.
func excerpt(of text: String) -> String { excerpt(of: text.utf8Span.span, limit: 60) }
