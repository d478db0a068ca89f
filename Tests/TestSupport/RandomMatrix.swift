package import Basics
package import Similarity

extension BinaryMatrix {
    /// A seeded matrix with rows and columns of very different sizes, some empty, some nearly full.
    ///
    /// A one falls on (row, column) with the product of a row's and a column's chance; cubed uniform numbers make most
    /// of both small and a few large, as memberships are.
    package static func random(
        rowCount: Int, columnCount: Int, density: Double, seed: UInt64
    ) throws(Failure) -> BinaryMatrix {
        var generator = SeededGenerator(seed: seed)
        func chances(_ count: Int) -> [Double] {
            (0..<count).map { _ in
                let uniform = Double.random(in: 0..<1, using: &generator)
                return uniform * uniform * uniform
            }
        }
        let rowChances = chances(rowCount)
        let columnChances = chances(columnCount)
        var pairs: [(row: UInt32, column: UInt32)] = []
        for row in 0..<rowCount {
            for column in 0..<columnCount {
                let chance = 16 * density * rowChances[row] * columnChances[column]
                guard Double.random(in: 0..<1, using: &generator) < chance else { continue }
                pairs.append((UInt32(row), UInt32(column)))
            }
        }
        return try BinaryMatrix(rowCount: rowCount, columnCount: columnCount, pairs: pairs)
    }

    /// A matrix from the columns of each row, which may come in any order.
    package static func rows(_ rows: [[UInt32]], columnCount: Int) throws(Failure) -> BinaryMatrix {
        var pairs: [(row: UInt32, column: UInt32)] = []
        for (row, columns) in rows.enumerated() { pairs += columns.map { (UInt32(row), $0) } }
        return try BinaryMatrix(rowCount: rows.count, columnCount: columnCount, pairs: pairs)
    }
}
