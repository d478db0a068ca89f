/// The random numbers of one entity for one purpose (SplitMix64: Steele, Lea and Flood 2014).
///
/// Seeded by (seed, stream, entity), so that anything about an entity can be worked out again, in any
/// order and in any file, without remembering it. The standard library's `random(in:)` and `shuffled`
/// are not used: their algorithms may change between versions, and the bytes would with them.
struct EntityRandom {
    /// What the numbers are for; two purposes never share numbers.
    enum Stream: UInt64 {
        case groupOrder = 1
        case group, groupText, userActivity, photoActivity, member, membership, joining, photo, photoText, pool,
            identifier
    }

    private var state: UInt64

    init(seed: UInt64, stream: Stream, entity: Int) {
        let purpose = Self.mix(seed &+ stream.rawValue &* 0xD1B5_4A32_D192_ED03)
        state = Self.mix(purpose &+ UInt64(truncatingIfNeeded: entity) &* 0x9E37_79B9_7F4A_7C15)
    }

    /// The next 64 random bits.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mix(state)
    }

    /// A number in 0 ..< bound; its bias, at most bound / 2⁶⁴, is far below anything visible.
    mutating func below(_ bound: Int) -> Int {
        Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(bound)).high)
    }

    /// A number in [0, 1), a multiple of 2⁻⁵³.
    mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// A number in (0, 1], safe to divide by.
    mutating func positiveUnit() -> Double { Double((next() >> 11) + 1) * 0x1p-53 }

    /// True in `permille` of 1000 cases.
    mutating func chance(_ permille: Int) -> Bool { below(1000) < permille }

    /// One of a collection's elements, all equally likely; the collection is not empty.
    mutating func element<Element>(of choices: [Element]) -> Element { choices[below(choices.count)] }

    private static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
