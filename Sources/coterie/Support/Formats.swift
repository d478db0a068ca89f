import Glibc

/// Numbers as people read them.
enum Formats {
    /// With so many digits after the point.
    static func fixed(_ value: Double, _ digits: Int) -> String { formatted("%.*f", digits, value) }

    /// With so many significant digits, without trailing zeros.
    static func significant(_ value: Double, _ digits: Int) -> String { formatted("%.*g", digits, value) }

    /// A score, four digits; small ones, as modified formulas give, keep theirs.
    static func score(_ value: Double) -> String { value < 0.01 ? significant(value, 4) : fixed(value, 4) }

    private static func formatted(_ format: String, _ digits: Int, _ value: Double) -> String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 400) { buffer in
            let count = unsafe withVaList([Int32(digits), value]) { arguments in
                unsafe vsnprintf(buffer.baseAddress, buffer.count, format, arguments)
            }
            return unsafe String(
                decoding: UnsafeRawBufferPointer(start: buffer.baseAddress, count: Int(count)), as: UTF8.self)
        }
    }

    /// A share as a percentage with one digit: 0.981 is `98.1%`.
    static func percent(_ share: Double) -> String { fixed(share * 100, 1) + "%" }

    /// With commas between thousands.
    static func grouped(_ value: Int) -> String {
        var digits = Array(String(value.magnitude))
        var index = digits.count - 3
        while index > 0 {
            digits.insert(",", at: index)
            index -= 3
        }
        return (value < 0 ? "-" : "") + String(digits)
    }

    /// In B, KiB, MiB or GiB.
    static func bytes(_ count: Int) -> String {
        var value = Double(count)
        for unit in ["B", "KiB", "MiB"] {
            if value < 1024 { return unit == "B" ? "\(count) B" : fixed(value, 1) + " " + unit }
            value /= 1024
        }
        return fixed(value, 1) + " GiB"
    }

    /// In ms, s, min or h.
    static func seconds(_ seconds: Double) -> String {
        switch seconds {
        case ..<0.9995: fixed(seconds * 1000, 0) + " ms"
        case ..<100: fixed(seconds, 1) + " s"
        case ..<5400: fixed(seconds / 60, 0) + " min"
        case ..<172_800: fixed(seconds / 3600, 0) + " h"
        default: fixed(seconds / 86400, 0) + " days"
        }
    }
}
