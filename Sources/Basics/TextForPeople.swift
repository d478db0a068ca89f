import Glibc

/// Numbers as people read them.
package enum Formats {
    /// Returns a number with a fixed count of digits after the point.
    package static func fixed(_ value: Double, _ digits: Int) -> String { formatted("%.*f", digits, value) }

    /// Returns a number with at most `digits` significant digits, without trailing zeros.
    package static func significant(_ value: Double, _ digits: Int) -> String {
        decimal(value, digits) ?? formatted("%.*g", digits, value)
    }

    /// Returns the same text ten times as fast, or `nil` if it is not certain or may have an exponent.
    ///
    /// It is not certain if the number lies near the middle between two decimal numbers.
    private static func decimal(_ value: Double, _ digits: Int) -> String? {
        guard (1...9).contains(digits), value >= 0.001, value < powers[digits] else { return nil }
        // The number of digits after the point.
        var decimals = digits + 2
        while decimals > 0, value * powers[decimals] >= powers[digits] { decimals -= 1 }
        let scaled = value * powers[decimals]
        let rounded = scaled.rounded()
        // A number that is rounded up to a power of ten has one digit too many.
        guard abs(abs(scaled - rounded) - 0.5) > 1e-3, rounded < powers[digits] else { return nil }
        var number = Int(rounded)
        while decimals > 0, number.isMultiple(of: 10) {
            number /= 10
            decimals -= 1
        }
        guard decimals > 0 else { return String(number) }
        let (whole, fraction) = number.quotientAndRemainder(dividingBy: Int(powers[decimals]))
        return "\(whole).\(padded(fraction, to: decimals))"
    }

    /// The powers of ten, from 10⁰ to 10¹¹.
    private static let powers: [Double] = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11]

    /// Returns a score with four digits after the point, or with four significant digits below 0.01.
    ///
    /// Modified formulas can give such small scores.
    package static func score(_ value: Double) -> String { value < 0.01 ? significant(value, 4) : fixed(value, 4) }

    private static func formatted(_ format: String, _ digits: Int, _ value: Double) -> String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 400) { buffer in
            let count = unsafe withVaList([Int32(digits), value]) { arguments in
                unsafe vsnprintf(buffer.baseAddress, buffer.count, format, arguments)
            }
            return unsafe String(
                decoding: UnsafeRawBufferPointer(start: buffer.baseAddress, count: Int(count)), as: UTF8.self)
        }
    }

    /// Returns a share as a percentage: 0.981 is `98.1%` with one digit after the point.
    package static func percent(_ share: Double, digits: Int = 1) -> String { fixed(share * 100, digits) + "%" }

    /// Returns a relative difference in percent, with its sign: 0.05 is `+5.0%`; a dash if it is not finite.
    package static func difference(_ part: Double) -> String {
        let size = percent(abs(part))
        return !part.isFinite ? "–" : (size == "0.0%" ? "" : part < 0 ? "−" : "+") + size
    }

    /// Returns a time in UTC, such as `2026-11-14T03:00:00Z`, or `-` for nil.
    package static func time(milliseconds: Int64?) -> String {
        milliseconds.map { UnixTime(seconds: $0 / 1000)?.description ?? "\($0)" } ?? "-"
    }

    /// Returns a time in UTC, such as `2026-11-14T03:00:00Z`.
    package static func time(seconds: Int64) -> String { UnixTime(seconds: seconds)?.description ?? "\(seconds)" }

    /// Returns the title of a thing, or its id if it has no title.
    package static func name(_ id: String, _ title: String) -> String { title.isEmpty ? id : title }

    /// Returns a number of bytes in B, KiB, MiB or GiB.
    package static func bytes(_ count: Int) -> String {
        let unit = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")].first { count >= $0.0 }
        return unit.map { fixed(Double(count) / Double($0.0), 1) + " " + $0.1 } ?? "\(count) B"
    }

    /// Returns a duration in ms, s, min, h or days.
    package static func seconds(_ seconds: Double) -> String {
        switch seconds {
        case ..<0.9995: fixed(seconds * 1000, 0) + " ms"
        case ..<100: fixed(seconds, 1) + " s"
        case ..<5400: fixed(seconds / 60, 0) + " min"
        case ..<172_800: fixed(seconds / 3600, 0) + " h"
        default: fixed(seconds / 86400, 0) + " days"
        }
    }
}

extension BinaryInteger {
    /// The number with commas between thousands, for people: `118,285`.
    package var grouped: String {
        var digits = Array(String(magnitude))
        var index = digits.count - 3
        while index > 0 {
            digits.insert(",", at: index)
            index -= 3
        }
        return (self < 0 ? "-" : "") + String(digits)
    }
}

extension StringProtocol {
    /// The text with a capital letter at its beginning.
    package var withCapital: String { prefix(1).uppercased() + dropFirst() }

    /// The text as the value of a label in Prometheus's text format, between double quotes.
    package var asLabelValue: String {
        let escapes: [Unicode.Scalar: String] = ["\\": "\\\\", "\"": "\\\"", "\n": "\\n"]
        return unicodeScalars.map { escapes[$0] ?? String($0) }.joined()
    }
}

/// The words of a command to copy, as a shell reads them.
package enum ShellWords {
    /// Returns a text as one word, which is in quotes unless it is plain.
    ///
    /// Characters that a terminal does not show, such as line feeds, are escaped as bash and zsh read them.
    package static func quoted(_ text: String) -> String {
        let isShown = text.unicodeScalars.allSatisfy {
            ![.control, .format, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory)
        }
        guard isShown else {
            let escaped = text.utf8.map { byte in
                0x20..<0x7F ~= byte && byte != UInt8(ascii: "'") && byte != UInt8(ascii: "\\")
                    ? String(Unicode.Scalar(byte)) : "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
            return "$'" + escaped.joined() + "'"
        }
        let isPlain = text.unicodeScalars.allSatisfy {
            $0.properties.isAlphabetic || ("0"..."9").contains($0) || "/._-+=:@%,".unicodeScalars.contains($0)
        }
        if isPlain, !text.isEmpty { return text }
        if text.contains("'"), !text.contains(where: { "\"$`\\!".contains($0) }) { return "\"\(text)\"" }
        return "'" + text.replacing("'", with: #"'\''"#) + "'"
    }

    /// Returns ids as the last words of a command; no id is taken for an option.
    package static func ids(_ ids: String...) -> String {
        (ids.contains { $0.hasPrefix("-") } ? "-- " : "") + ids.map(quoted).joined(separator: " ")
    }

    /// Returns the name of a file as one word, which is not taken for an option; FILE for the standard input.
    package static func file(_ name: String) -> String {
        name == "standard input" ? "FILE" : quoted(name.hasPrefix("-") ? "./\(name)" : name)
    }
}
