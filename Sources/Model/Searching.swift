extension Range<Int> {
    /// Returns the first index for which a predicate holds, or the upper bound if there is none.
    ///
    /// The predicate must hold for every index behind one for which it holds.
    ///
    /// - Complexity: O(log count) calls of the predicate.
    @inlinable @inline(__always)
    package func partitioningIndex<Failure: Error>(where predicate: (Int) throws(Failure) -> Bool) throws(Failure)
        -> Int
    {
        var (low, high) = (lowerBound, upperBound)
        while low < high {
            let middle = low + (high - low) / 2
            if try predicate(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// A generator of pseudorandom numbers that are the same in every run (SplitMix64; Steele, Lea and Flood 2014).
package struct SplitMix64: RandomNumberGenerator, Sendable {
    /// The step from one state to the next: 2⁶⁴ divided by the golden ratio.
    package static let goldenStep: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// The state, which starts as the seed.
    package var state: UInt64

    @inlinable
    package init(seed: UInt64) { state = seed }

    /// Returns the next 64 bits.
    @inlinable
    package mutating func next() -> UInt64 {
        state &+= Self.goldenStep
        return Self.mix(state)
    }

    /// Returns a hash of a number: inputs that differ in one bit have nothing in common.
    @inlinable
    package static func mix(_ value: UInt64) -> UInt64 {
        var mixed = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
