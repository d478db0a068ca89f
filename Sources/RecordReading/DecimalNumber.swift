/// Reads numbers in decimal digits from bytes, strictly: no blanks, no plus sign, no other bases.
public enum DecimalNumber {
    /// The whole number that all of the bytes write: an optional minus sign and digits.
    ///
    /// - Returns: nil if they are anything else, or the number lies outside `Int64`.
    public static func integer(_ bytes: Span<UInt8>) -> Int64? {
        guard !bytes.isEmpty else { return nil }
        let isNegative = bytes[0] == UInt8(ascii: "-")
        var index = isNegative ? 1 : 0
        guard index < bytes.count else { return nil }
        // Summed up below zero, where there is one number more.
        var value: Int64 = 0
        while index < bytes.count {
            let digit = Int64(bytes[index]) - Int64(UInt8(ascii: "0"))
            guard 0...9 ~= digit else { return nil }
            let (shifted, overflows) = value.multipliedReportingOverflow(by: 10)
            let (sum, underflows) = shifted.subtractingReportingOverflow(digit)
            guard !overflows, !underflows else { return nil }
            value = sum
            index += 1
        }
        guard isNegative || value != .min else { return nil }
        return isNegative ? value : -value
    }

    /// The number that all of the bytes write: digits, with a sign, a point and an exponent as in `-1.5e-3` if wanted.
    ///
    /// The nearest `Double`. At least one digit must stand before the point, and one after it if there is one.
    ///
    /// - Returns: nil if the bytes are anything else, `nan` and `inf` too, or the number is too large for a `Double`.
    public static func real(_ bytes: Span<UInt8>) -> Double? {
        guard isReal(bytes) else { return nil }
        let text = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
        guard let value = Double(text), value.isFinite else { return nil }
        return value
    }

    private static func isReal(_ bytes: Span<UInt8>) -> Bool {
        var index = 0
        func skipDigits() -> Bool {
            let start = index
            while index < bytes.count, isDigit(bytes[index]) { index += 1 }
            return index > start
        }
        func skip(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> Bool {
            guard index < bytes.count else { return false }
            guard bytes[index] == UInt8(ascii: first) || bytes[index] == UInt8(ascii: second) else { return false }
            index += 1
            return true
        }
        _ = skip("-", "-")
        guard skipDigits() else { return false }
        if skip(".", "."), !skipDigits() { return false }
        if skip("e", "E") {
            _ = skip("-", "+")
            guard skipDigits() else { return false }
        }
        return index == bytes.count
    }

    static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") <= 9 }
}
