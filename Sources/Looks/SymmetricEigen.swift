/// The eigenvalues and eigenvectors of a symmetric matrix, the greatest value first.
///
/// Reflections make the matrix tridiagonal, and the implicit QL method makes it diagonal. The source is Bowdler,
/// Martin, Reinsch and Wilkinson, "The QR and QL algorithms for symmetric matrices", 1968. All sums are in a fixed
/// order.
struct SymmetricEigen {
    /// The eigenvalues, descending.
    private(set) var values: [Double]
    /// The eigenvectors, row after row in the order of the values; each has length 1.
    private(set) var vectors: [Double]

    /// Decomposes a matrix.
    ///
    /// - Parameters:
    ///   - matrix: size × size numbers, row after row; only the lower triangle counts.
    ///   - size: the number of rows, at least 1.
    /// - Complexity: O(size³).
    init(_ matrix: [Double], size: Int) {
        var reduction = Reduction(matrix, size)
        reduction.makeTridiagonal()
        reduction.makeDiagonal()
        let found = reduction.diagonal
        // Equal values keep their order, so that the result is the same everywhere.
        let order = found.indices.sorted { found[$0] != found[$1] ? found[$0] > found[$1] : $0 < $1 }
        values = order.map { found[$0] }
        vectors = []
        vectors.reserveCapacity(size * size)
        for index in order {
            // The sign of an eigenvector is free: the largest number is made positive.
            let column = (0..<size).map { reduction.v[$0 * size + index] }
            let largest = column.max { abs($0) < abs($1) } ?? 0
            vectors += largest < 0 ? column.map { -$0 } : column
        }
    }

    /// The state of the two steps: a matrix of columns, a diagonal and the numbers beside it.
    private struct Reduction {
        let n: Int
        var v: [Double]
        var diagonal: [Double]
        var beside: [Double]

        init(_ matrix: [Double], _ size: Int) {
            n = size
            v = matrix
            for row in 0..<size { for column in row..<size { v[row * size + column] = matrix[column * size + row] } }
            diagonal = [Double](repeating: 0, count: size)
            beside = diagonal
        }

        mutating func makeTridiagonal() {
            for j in 0..<n { diagonal[j] = v[(n - 1) * n + j] }
            for i in stride(from: n - 1, to: 0, by: -1) { reflect(i) }
            for i in 0..<n - 1 { accumulate(i) }
            for j in 0..<n {
                diagonal[j] = v[(n - 1) * n + j]
                v[(n - 1) * n + j] = 0
            }
            v[n * n - 1] = 1
            beside[0] = 0
        }

        /// Makes the numbers of row `i` left of the diagonal's neighbour zero.
        private mutating func reflect(_ i: Int) {
            let scale = (0..<i).reduce(0) { $0 + abs(diagonal[$1]) }
            guard scale > 0 else {
                beside[i] = diagonal[i - 1]
                for j in 0..<i {
                    diagonal[j] = v[(i - 1) * n + j]
                    v[i * n + j] = 0
                    v[j * n + i] = 0
                }
                diagonal[i] = 0
                return
            }
            var h = 0.0
            for k in 0..<i {
                diagonal[k] /= scale
                h += diagonal[k] * diagonal[k]
            }
            let f = diagonal[i - 1]
            let g = f > 0 ? -h.squareRoot() : h.squareRoot()
            beside[i] = scale * g
            h -= f * g
            diagonal[i - 1] = f - g
            for j in 0..<i { beside[j] = 0 }
            for j in 0..<i {
                let f = diagonal[j]
                v[j * n + i] = f
                var g = beside[j] + v[j * n + j] * f
                for k in j + 1..<max(i, j + 1) {
                    g += v[k * n + j] * diagonal[k]
                    beside[k] += v[k * n + j] * f
                }
                beside[j] = g
            }
            var sum = 0.0
            for j in 0..<i {
                beside[j] /= h
                sum += beside[j] * diagonal[j]
            }
            let half = sum / (h + h)
            for j in 0..<i { beside[j] -= half * diagonal[j] }
            for j in 0..<i {
                let (f, g) = (diagonal[j], beside[j])
                for k in j..<i { v[k * n + j] -= f * beside[k] + g * diagonal[k] }
                diagonal[j] = v[(i - 1) * n + j]
                v[i * n + j] = 0
            }
            diagonal[i] = h
        }

        /// Multiplies the reflections up to row `i`.
        private mutating func accumulate(_ i: Int) {
            v[(n - 1) * n + i] = v[i * n + i]
            v[i * n + i] = 1
            let h = diagonal[i + 1]
            if h != 0 {
                for k in 0...i { diagonal[k] = v[k * n + i + 1] / h }
                // Row by row, as the matrix lies in memory.
                var sums = [Double](repeating: 0, count: i + 1)
                for k in 0...i {
                    let factor = v[k * n + i + 1]
                    for j in 0...i { sums[j] += factor * v[k * n + j] }
                }
                for k in 0...i {
                    let factor = diagonal[k]
                    for j in 0...i { v[k * n + j] -= sums[j] * factor }
                }
            }
            for k in 0...i { v[k * n + i + 1] = 0 }
        }

        mutating func makeDiagonal() {
            // Rotations mix two columns. Their numbers lie side by side if the matrix is turned meanwhile.
            turn()
            for i in 1..<max(n, 1) { beside[i - 1] = beside[i] }
            beside[n - 1] = 0
            var (shift, test) = (0.0, 0.0)
            for l in 0..<n {
                test = max(test, abs(diagonal[l]) + abs(beside[l]))
                var m = l
                while m < n - 1, abs(beside[m]) > 0x1p-52 * test { m += 1 }
                var rounds = 0
                while m > l, abs(beside[l]) > 0x1p-52 * test, rounds < 100 {
                    step(l, m, &shift)
                    rounds += 1
                }
                diagonal[l] += shift
                beside[l] = 0
            }
            turn()
        }

        /// Takes one implicit QL step between rows `l` and `m`.
        private mutating func step(_ l: Int, _ m: Int, _ shift: inout Double) {
            let g = diagonal[l]
            var p = (diagonal[l + 1] - g) / (2 * beside[l])
            var r = (p * p + 1).squareRoot()
            if p < 0 { r = -r }
            diagonal[l] = beside[l] / (p + r)
            diagonal[l + 1] = beside[l] * (p + r)
            let next = diagonal[l + 1]
            let h = g - diagonal[l]
            for i in l + 2..<max(n, l + 2) { diagonal[i] -= h }
            shift += h
            p = diagonal[m]
            var (c, c2, c3) = (1.0, 1.0, 1.0)
            var (s, s2) = (0.0, 0.0)
            let old = beside[l + 1]
            for i in stride(from: m - 1, through: l, by: -1) {
                (c3, c2, s2) = (c2, c, s)
                let g = c * beside[i]
                let h = c * p
                r = (p * p + beside[i] * beside[i]).squareRoot()
                beside[i + 1] = s * r
                s = beside[i] / r
                c = p / r
                p = c * diagonal[i] - s * g
                diagonal[i + 1] = h + s * (c * g + s * diagonal[i])
                for k in 0..<n {
                    let (low, high) = (v[i * n + k], v[(i + 1) * n + k])
                    v[(i + 1) * n + k] = s * low + c * high
                    v[i * n + k] = c * low - s * high
                }
            }
            p = -s * s2 * c3 * old * beside[l] / next
            beside[l] = s * p
            diagonal[l] = c * p
        }

        private mutating func turn() {
            for row in 0..<n { for column in 0..<row { v.swapAt(row * n + column, column * n + row) } }
        }
    }
}
