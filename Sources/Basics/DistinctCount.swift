import Glibc

/// An estimate of how many different things were added, which names none of them, and adds up with others.
///
/// It is a HyperLogLog of 1,024 registers (Flajolet, Fusy, Gandouet and Meunier, 2007): the standard error is 3%, and
/// less for a few hundred things.
package struct DistinctCount: Sendable, Equatable, Codable {
    private static let size = 1024

    /// The longest runs of zeros at the ends of hashes, plus one; empty before the first.
    private var registers: [UInt8] = []

    package init() {}

    /// Reads the registers from base64url; those of another size are of another program, and are left out.
    package init(from decoder: any Decoder) throws {
        let found = Base64URL.decode(try decoder.singleValueContainer().decode(String.self)) ?? []
        if found.count == Self.size { registers = found }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Base64URL.encode(registers))
    }

    /// Adds a thing by a hash of 64 bits, in which all bits count.
    package mutating func add(hash: UInt64) {
        if registers.isEmpty { registers = [UInt8](repeating: 0, count: Self.size) }
        let place = Int(hash >> 54)
        registers[place] = max(registers[place], UInt8(min(54, hash.trailingZeroBitCount) + 1))
    }

    /// Adds the things of another count.
    package mutating func add(_ other: DistinctCount) {
        if registers.isEmpty { registers = other.registers }
        guard !other.registers.isEmpty else { return }
        registers = zip(registers, other.registers).map { max($0, $1) }
    }

    /// The estimate.
    package var estimate: Int {
        guard registers.count == Self.size else { return 0 }
        let size = Double(Self.size)
        let sum = registers.reduce(0.0) { $0 + scalbn(1, -Int32($1)) }
        let estimate = 0.7213 / (1 + 1.079 / size) * size * size / sum
        let empty = registers.count { $0 == 0 }
        // Few things are counted best by the registers that they leave empty.
        return Int((estimate <= 2.5 * size && empty > 0 ? size * log(size / Double(empty)) : estimate).rounded())
    }
}
