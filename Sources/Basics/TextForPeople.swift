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
}
