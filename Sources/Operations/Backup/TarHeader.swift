/// The header of a file in an archive that `tar` reads: the format ustar, with GNU's notation for files of 8 GiB and
/// more.
struct TarHeader: Equatable {
    /// Headers and files begin at multiples of it.
    static let blockByteCount = 512
    /// The most bytes of a name.
    static let longestName = 100

    var name: String
    var byteCount: Int

    init(name: String, byteCount: Int) {
        self.name = name
        self.byteCount = byteCount
    }

    /// The bytes that a file takes after its header.
    var paddedByteCount: Int { (byteCount + Self.blockByteCount - 1) / Self.blockByteCount * Self.blockByteCount }

    /// The header as a block.
    var block: [UInt8] {
        var block = [UInt8](repeating: 0, count: Self.blockByteCount)
        func put(_ text: String, at offset: Int) {
            block.replaceSubrange(offset..<offset + text.utf8.count, with: text.utf8)
        }
        put(name, at: 0)
        put("0000600", at: 100)
        put("0000000", at: 108)
        put("0000000", at: 116)
        if byteCount < 1 << 33 {
            put(Self.octal(byteCount, digits: 11), at: 124)
        } else {
            block[124] = 0x80
            for place in 0..<8 { block[135 - place] = UInt8(truncatingIfNeeded: byteCount >> (8 * place)) }
        }
        put("00000000000", at: 136)
        put("0", at: 156)
        put("ustar", at: 257)
        put("00", at: 263)
        put(Self.octal(Self.sum(block), digits: 6), at: 148)
        block[155] = UInt8(ascii: " ")
        return block
    }

    /// Reads a header; nil if the block is none of a plain file.
    init?(block: [UInt8]) {
        guard block.count == Self.blockByteCount, block[257..<262].elementsEqual("ustar".utf8),
            Self.number(block[148..<154]) == Self.sum(block), block[156] == UInt8(ascii: "0"),
            let name = String(validating: block[..<Self.longestName].prefix { $0 != 0 }, as: UTF8.self)
        else { return nil }
        let byteCount: Int? =
            block[124] == 0x80
            ? block[128..<136].reduce(0) { $0 << 8 | Int($1) } : Self.number(block[124..<135])
        guard let byteCount, byteCount >= 0, byteCount < 1 << 60 else { return nil }
        self.init(name: name, byteCount: byteCount)
    }

    /// The sum of all bytes, those of the sum itself taken for blanks.
    private static func sum(_ block: [UInt8]) -> Int {
        block.indices.reduce(0) { $0 + ((148..<156).contains($1) ? 32 : Int(block[$1])) }
    }

    private static func octal(_ number: Int, digits: Int) -> String {
        let text = String(number, radix: 8)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        Int(String(decoding: digits, as: UTF8.self), radix: 8)
    }
}
