/// Unsigned numbers in as few bytes as they need (LEB128): seven bits a byte, the lowest first; all bytes but the
/// last have their highest bit set.
enum Varint {
    /// Appends a number: 1 to 5 bytes.
    @inline(__always)
    static func append(_ number: UInt32, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Reads a number and moves `offset` past it; nil if the bytes end within it or it has more than 32 bits.
    @inline(__always)
    static func read(_ bytes: borrowing Span<UInt8>, at offset: inout Int) -> UInt32? {
        var number: UInt32 = 0
        var shift: UInt32 = 0
        while offset < bytes.count {
            let byte = bytes[offset]
            offset += 1
            // The fifth byte has room for four bits.
            if shift == 28, byte > 0x0F { return nil }
            number |= UInt32(byte & 0x7F) << shift
            if byte < 0x80 { return number }
            shift += 7
        }
        return nil
    }
}
