import Glibc

/// The weight d^-a of a column that is in d rows, as fixed-point integers.
///
/// Integers add up to the same sum in any order, on any number of threads and on any processor; this table is all that
/// has to be stored to reproduce a model's sums.
public struct DegreeWeights: Sendable, Equatable {
    /// The weight of a column that counts in full: 2³¹.
    public static let one: UInt32 = 1 << 31

    /// Weights by degree, from 0; degree 0 stands only so that a degree is its own index, and weighs as degree 1 does.
    public let table: [UInt32]

    /// Tabulates the weights of all degrees.
    ///
    /// - Parameters:
    ///   - degreeDiscount: a, 0 or more.
    ///   - largestDegree: the table ends with it (inclusive).
    public init(degreeDiscount: Double, largestDegree: UInt32) {
        table = (0...largestDegree).map { Self.weight(ofDegree: $0, discount: degreeDiscount) }
    }

    /// max(1, round(2³¹ d^-a)); the least unit keeps a pair with common entries above 0.
    public static func weight(ofDegree degree: UInt32, discount: Double) -> UInt32 {
        precondition(discount >= 0, "a negative discount would weigh a column above one")
        let exact = Double(one) * pow(Double(max(1, degree)), -discount)
        return max(1, UInt32(exact.rounded()))
    }

    /// The weight of a column of this degree.
    public subscript(degree degree: UInt32) -> UInt32 { table[Int(degree)] }
}
