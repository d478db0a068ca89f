import TestSupport
import Testing

@testable import Looks

@Suite("Eigenvectors")
struct SymmetricEigenTests {
    @Test("Every vector is turned into itself times its value, and the vectors are orthogonal", arguments: 1...24)
    func decomposition(size: Int) {
        var random = SeededGenerator(seed: UInt64(size))
        // Some matrices of lower rank, whose last values are zero.
        let rank = size.isMultiple(of: 3) ? max(1, size / 2) : size
        let factors = (0..<rank * size).map { _ in Double.random(in: -1...1, using: &random) }
        var matrix = [Double](repeating: 0, count: size * size)
        for row in 0..<size {
            for column in 0..<size {
                matrix[row * size + column] = (0..<rank).reduce(0) {
                    $0 + factors[$1 * size + row] * factors[$1 * size + column]
                }
            }
        }
        let eigen = SymmetricEigen(matrix, size: size)
        #expect(eigen.values == eigen.values.sorted(by: >))
        for one in 0..<size {
            let vector = eigen.vectors[one * size..<(one + 1) * size]
            for row in 0..<size {
                let product = zip(matrix[row * size..<(row + 1) * size], vector).reduce(0) { $0 + $1.0 * $1.1 }
                #expect(abs(product - eigen.values[one] * vector[one * size + row]) < 1e-9 * Double(size))
            }
            for other in 0..<size {
                let product = zip(vector, eigen.vectors[other * size..<(other + 1) * size])
                    .reduce(0) { $0 + $1.0 * $1.1 }
                #expect(abs(product - (one == other ? 1 : 0)) < 1e-9)
            }
        }
    }

    @Test("Components go to buckets of equal size and about equal product")
    func allocation() {
        let places = Rotation.allocation([16, 8, 4, 2], width: 4, buckets: 2)
        #expect(places.sorted() == [0, 1, 2, 3])
        #expect(Set(places[0...0].map { $0 / 2 }) == Set(places[3...3].map { $0 / 2 }))
        #expect(Rotation.allocation([5, 0, 0], width: 8, buckets: 4).sorted().count == 3)
    }
}
