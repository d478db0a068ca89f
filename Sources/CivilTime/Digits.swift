/// The number that the digits in a range write; nil if the range is empty, has something else, or the number has more
/// than 18 digits.
func number(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
    guard !range.isEmpty, range.count <= 18 else { return nil }
    var value = 0
    for index in range {
        guard isDigit(bytes[index]) else { return nil }
        value = value &* 10 &+ Int(bytes[index] &- UInt8(ascii: "0"))
    }
    return value
}

func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") <= 9 }

/// The first place from `start` on that is no digit; the end if there is none.
func endOfDigits(_ bytes: Span<UInt8>, from start: Int) -> Int {
    var index = start
    while index < bytes.count, isDigit(bytes[index]) { index += 1 }
    return index
}
