/// Vectors of one dimension, each of length 1, that an index is built from.
package protocol VectorRows: Sendable {
    var count: Int { get }
    var dimension: Int { get }
    /// Writes some vectors to the beginning of an array, row after row.
    func read(_ rows: Range<Int>, into numbers: inout [Float])
}

/// Vectors in memory.
package struct VectorArray: VectorRows {
    package let dimension: Int
    /// All numbers, row after row.
    package let numbers: [Float]

    /// Creates vectors from their numbers, row after row.
    package init(_ numbers: [Float], dimension: Int) {
        self.dimension = dimension
        self.numbers = numbers
    }

    package var count: Int { numbers.count / dimension }

    /// Writes some vectors to the beginning of an array.
    package func read(_ rows: Range<Int>, into numbers: inout [Float]) {
        for place in 0..<rows.count * dimension { numbers[place] = self.numbers[rows.lowerBound * dimension + place] }
    }
}

/// A vector divided by its length.
package enum UnitVector {
    /// Returns a vector of length 1 in the same direction, or nil if there is none: for zeros, NaN and infinity.
    package static func of(_ numbers: some Collection<Float>) -> [Float]? {
        let largest = numbers.reduce(Float(0)) { abs($1) > $0 || $1.isNaN ? abs($1) : $0 }
        guard largest > 0, largest.isFinite, numbers.allSatisfy(\.isFinite) else { return nil }
        // In double precision the squares of all floats are finite, and of none zero.
        let length = numbers.reduce(0.0) { $0 + Double($1) * Double($1) }.squareRoot()
        return numbers.map { Float(Double($0) / length) }
    }
}

/// The limits of vectors.
package enum VectorLimits {
    package static let dimensions = 1...2048
}
