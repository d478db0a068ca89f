/// SHA-256 and HMAC with it (FIPS 180-4, RFC 2104), to sign what no honest library signs.
enum SHA256 {
    /// The hash of bytes: 32 bytes.
    static func hash(_ message: [UInt8]) -> [UInt8] {
        var padded = message + [0x80]
        padded += [UInt8](repeating: 0, count: (120 - padded.count % 64) % 64)
        padded += bigEndian(UInt64(message.count) * 8)
        var state = initial
        for start in stride(from: 0, to: padded.count, by: 64) { mix(padded[start..<(start + 64)], into: &state) }
        return state.flatMap(bigEndian)
    }

    /// The keyed hash of bytes: 32 bytes.
    static func authenticate(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        let short = key.count > 64 ? hash(key) : key
        let block = short + [UInt8](repeating: 0, count: 64 - short.count)
        return hash(block.map { $0 ^ 0x5C } + hash(block.map { $0 ^ 0x36 } + message))
    }

    private static let primes = (2...311).filter { number in !(2..<number).contains { number % $0 == 0 } }
    /// The first 32 bits of the fractions of square roots.
    private static let initial = primes.prefix(8).map {
        UInt32(truncatingIfNeeded: root(of: UInt128($0) << 64, power: 2))
    }
    /// The first 32 bits of the fractions of cube roots.
    private static let constants = primes.map { UInt32(truncatingIfNeeded: root(of: UInt128($0) << 96, power: 3)) }

    /// The greatest whole number whose power is not above another.
    private static func root(of number: UInt128, power: Int) -> UInt128 {
        var root: UInt128 = 0
        for bit in (0..<42).reversed() {
            let larger = root | 1 << UInt128(bit)
            // A power that does not fit is above.
            var product: UInt128 = 1
            var isAbove = false
            for _ in 0..<power {
                let (next, overflow) = product.multipliedReportingOverflow(by: larger)
                product = next
                isAbove = isAbove || overflow
            }
            if !isAbove, product <= number { root = larger }
        }
        return root
    }

    private static func mix(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
        func turned(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }
        var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { index in
            block[index..<(index + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        for index in 16..<64 {
            let (early, late) = (words[index - 15], words[index - 2])
            let first = turned(early, 7) ^ turned(early, 18) ^ early >> 3
            let second = turned(late, 17) ^ turned(late, 19) ^ late >> 10
            words.append(words[index - 16] &+ first &+ words[index - 7] &+ second)
        }
        var s = state
        for index in 0..<64 {
            let choice = (s[4] & s[5]) ^ (~s[4] & s[6])
            let majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2])
            let first = s[7] &+ (turned(s[4], 6) ^ turned(s[4], 11) ^ turned(s[4], 25)) &+ choice
            let mixed = first &+ constants[index] &+ words[index]
            let second = (turned(s[0], 2) ^ turned(s[0], 13) ^ turned(s[0], 22)) &+ majority
            s = [mixed &+ second, s[0], s[1], s[2], s[3] &+ mixed, s[4], s[5], s[6]]
        }
        for index in 0..<8 { state[index] &+= s[index] }
    }

    private static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
        stride(from: value.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
