import ModelStore

/// A checksum of a file that is read piece by piece: XXH3, 64 bits, of the checksum so far, as 8 bytes of which the
/// lowest comes first, and the next piece.
///
/// It finds damage, and does not stop somebody who may write to the file.
struct RunningChecksum {
    /// The bytes of a piece, but for the last; part of the format.
    static let pieceByteCount = 1 << 20

    private var number: UInt64 = 0

    mutating func add(_ piece: [UInt8]) {
        number = Checksum.number(of: (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } + piece)
    }

    /// 16 hexadecimal digits.
    var text: String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
