/// A set of small non-negative integers, a bit each.
struct BitSet: Sendable {
    private var words: [UInt64]

    /// A set of numbers below `count`, empty.
    init(count: Int) { words = [UInt64](repeating: 0, count: (max(0, count) + 63) / 64) }

    /// Adds a number, growing if need be.
    mutating func insert(_ number: Int) {
        if number >> 6 >= words.count {
            words += [UInt64](repeating: 0, count: max(words.count, (number >> 6) + 1 - words.count))
        }
        words[number >> 6] |= 1 << UInt64(number & 63)
    }

    /// Whether a number is in it.
    func contains(_ number: Int) -> Bool {
        number >= 0 && number >> 6 < words.count && words[number >> 6] & (1 << UInt64(number & 63)) != 0
    }
}
