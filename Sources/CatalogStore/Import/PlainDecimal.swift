extension Double {
    /// A number that is written with a few digits and at most one point, as `-12.345678`; nil if it is not.
    ///
    /// Both the digits without the point and the power of ten are exact, so that their quotient is the nearest number
    /// (W. D. Clinger, "How to read floating point numbers accurately", 1990). This takes a fraction of what any
    /// notation takes.
    init?(plainDecimal text: Span<UInt8>) {
        let isNegative = !text.isEmpty && text[0] == UInt8(ascii: "-")
        var digits: Int64 = 0
        var digitCount = 0
        var fractionCount: Int?
        for index in (isNegative ? 1 : 0)..<text.count {
            switch text[index] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits = digits * 10 + Int64(text[index] - UInt8(ascii: "0"))
                digitCount += 1
                fractionCount = fractionCount.map { $0 + 1 }
            case UInt8(ascii: ".") where fractionCount == nil && digitCount > 0: fractionCount = 0
            default: return nil
            }
            guard digitCount <= Self.exactDigits else { return nil }
        }
        guard digitCount > 0, fractionCount != 0 else { return nil }
        let magnitude = Double(digits) / Self.powersOfTen[fractionCount ?? 0]
        self = isNegative ? -magnitude : magnitude
    }

    /// A number of so many digits is below 2⁵³.
    private static let exactDigits = 15
    private static let powersOfTen: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ]
}
