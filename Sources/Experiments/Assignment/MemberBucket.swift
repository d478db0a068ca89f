/// Where a member stands between 0 and 1 in an experiment: the same on every daemon and in every language.
///
/// fnv1a32(decimal(fnv1a32(seed + id))) mod 10,000, of 10,000; texts are UTF-8. It is the hash, version 2, of
/// GrowthBook's SDKs, so that a client that uses them comes to the same arm.
public struct MemberBucket: Sendable, Comparable {
    /// How many buckets there are.
    public static let count: UInt32 = 10_000

    /// 0 to 9,999.
    public let index: UInt32

    /// The bucket of a member.
    public init(seed: String, memberID: String) {
        var first = FNVHash()
        first.add(seed.utf8)
        first.add(memberID.utf8)
        var second = FNVHash()
        second.add(decimal: first.value)
        index = second.value % Self.count
    }

    /// A fraction, 0 to .9999.
    public var fraction: Double { Double(index) / Double(Self.count) }

    /// In the order of their indexes.
    public static func < (first: MemberBucket, second: MemberBucket) -> Bool { first.index < second.index }
}

/// FNV-1a of 32 bits (Fowler, Noll and Vo; RFC 9923).
private struct FNVHash {
    private(set) var value: UInt32 = 0x811c_9dc5

    mutating func add(_ byte: UInt8) { value = (value ^ UInt32(byte)) &* 0x0100_0193 }

    mutating func add(_ bytes: String.UTF8View) {
        for byte in bytes { add(byte) }
    }

    /// The digits of a number, without making a text of it.
    mutating func add(decimal number: UInt32) {
        var divisor: UInt32 = 1
        while number / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            add(UInt8(ascii: "0") + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }
}
