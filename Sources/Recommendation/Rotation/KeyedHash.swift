/// SipHash-2-4 (Aumasson and Bernstein 2012): a hash of 64 bits that nobody can predict without the key.
struct KeyedHash {
    private var v0: UInt64
    private var v1: UInt64
    private var v2: UInt64
    private var v3: UInt64

    private init(_ key: (UInt64, UInt64)) {
        v0 = key.0 ^ 0x736f_6d65_7073_6575
        v1 = key.1 ^ 0x646f_7261_6e64_6f6d
        v2 = key.0 ^ 0x6c79_6765_6e65_7261
        v3 = key.1 ^ 0x7465_6462_7974_6573
    }

    /// Returns the hash of some bytes under a key.
    static func hash(_ bytes: some Sequence<UInt8>, key: (UInt64, UInt64)) -> UInt64 {
        unsafe Array(bytes).withUnsafeBytes { unsafe hash($0, key: key) }
    }

    /// Returns the hash of some bytes under a key.
    static func hash(_ bytes: UnsafeRawBufferPointer, key: (UInt64, UInt64)) -> UInt64 {
        var state = KeyedHash(key)
        let whole = bytes.count & ~7
        for start in stride(from: 0, to: whole, by: 8) {
            state.take(UInt64(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)))
        }
        var last = UInt64(bytes.count) << 56
        for position in whole..<bytes.count { unsafe last |= UInt64(bytes[position]) << UInt64((position & 7) * 8) }
        state.take(last)
        return state.finish()
    }

    /// Returns the hash of the eight bytes of a word under a key, the lowest byte first.
    @inline(__always)
    static func hash(_ word: UInt64, key: (UInt64, UInt64)) -> UInt64 {
        var state = KeyedHash(key)
        state.take(word)
        state.take(8 << 56)
        return state.finish()
    }

    @inline(__always)
    private mutating func take(_ word: UInt64) {
        v3 ^= word
        round()
        round()
        v0 ^= word
    }

    @inline(__always)
    private mutating func finish() -> UInt64 {
        v2 ^= 0xff
        for _ in 0..<4 { round() }
        return v0 ^ v1 ^ v2 ^ v3
    }

    @inline(__always)
    private mutating func round() {
        v0 = v0 &+ v1
        v1 = Self.rotate(v1, 13) ^ v0
        v0 = Self.rotate(v0, 32)
        v2 = v2 &+ v3
        v3 = Self.rotate(v3, 16) ^ v2
        v0 = v0 &+ v3
        v3 = Self.rotate(v3, 21) ^ v0
        v2 = v2 &+ v1
        v1 = Self.rotate(v1, 17) ^ v2
        v2 = Self.rotate(v2, 32)
    }

    @inline(__always)
    private static func rotate(_ value: UInt64, _ bits: UInt64) -> UInt64 { value &<< bits | value &>> (64 &- bits) }
}
