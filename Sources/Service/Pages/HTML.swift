import HTTP

/// A piece of HTML, in which every inserted value is escaped.
///
/// A literal is markup. An inserted text is escaped for elements and for attributes in double quotes, so no text of
/// the community can become markup.
struct HTML: Sendable, ExpressibleByStringInterpolation {
    private(set) var text: String

    init(stringLiteral text: String) { self.text = text }

    init(stringInterpolation pieces: Pieces) { text = pieces.text }

    /// The literals and values of an interpolated string.
    struct Pieces: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        mutating func appendLiteral(_ literal: String) { text += literal }

        /// Appends a text, escaped.
        mutating func appendInterpolation(_ value: some StringProtocol) {
            for scalar in value.unicodeScalars {
                switch scalar {
                case "&": text += "&amp;"
                case "<": text += "&lt;"
                case ">": text += "&gt;"
                case "\"": text += "&quot;"
                case "'": text += "&#39;"
                // HTML has no form for control characters (WHATWG HTML, section 13.1.4).
                case "\u{0}"..."\u{8}", "\u{B}"..."\u{1F}", "\u{7F}"..."\u{9F}": text += "\u{FFFD}"
                default: text.unicodeScalars.append(scalar)
                }
            }
        }

        /// Appends the digits of a number.
        mutating func appendInterpolation(_ value: some BinaryInteger) { text += String(value) }

        /// Appends another piece as it is; nothing for nil.
        mutating func appendInterpolation(_ piece: HTML?) { text += piece?.text ?? "" }

        /// Appends another piece as it is, under a condition.
        ///
        /// In a choice between two literals, both would be texts, and would be escaped.
        mutating func appendInterpolation(if condition: Bool, _ piece: @autoclosure () -> HTML) {
            if condition { text += piece().text }
        }

        /// Appends other pieces as they are, one after another.
        mutating func appendInterpolation(_ pieces: [HTML]) {
            for piece in pieces { text += piece.text }
        }
    }

    /// Returns a text as a segment of a path, with everything escaped but the unreserved characters of RFC 3986.
    static func segment(_ id: String) -> String { PercentEncoding.encode(id) }
}
