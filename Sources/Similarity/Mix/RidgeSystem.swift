import CSimilarity

/// A small system of linear equations with a symmetric matrix, solved by Cholesky decomposition.
///
/// Every step adds or multiplies whole rows element by element, never across a row. The result has the same bits for
/// any vector width of the processor. (A library would choose its instructions by the processor.)
@safe
final class RidgeSystem {
    private let path: ProcessorPath
    private let limit: Int
    private let stride: Int
    private var count = 0
    /// The upper triangle, row by row, with `stride` numbers per row; the elements below it are meaningless.
    private let matrix: Storage<Double>
    private let diagonal: Storage<Double>
    private let right: Storage<Double>
    private let values: Storage<Double>

    init(limit: Int, _ path: ProcessorPath) {
        self.path = path
        self.limit = limit
        let step = Int(COTERIE_DOUBLES_STEP)
        stride = (limit + step - 1) / step * step + step
        matrix = Storage(zeroed: limit * stride)
        diagonal = Storage(zeroed: limit)
        right = Storage(zeroed: limit)
        values = Storage(zeroed: limit)
    }

    /// Begins a system with `count` equations, all 0.
    func begin(count: Int) {
        precondition(count <= limit)
        self.count = count
        matrix.fill(0, count: count * stride)
    }

    func setDiagonal(_ row: Int, _ value: Double) { diagonal[row] = value }
    func setRight(_ row: Int, _ value: Double) { right[row] = value }

    /// A column outside every system; values set there have no effect.
    var nowhere: Int { stride - 1 }

    /// Sets the element for a row and a column, in either order.
    @inline(__always)
    func set(_ row: Int, _ column: Int, _ value: Double) {
        matrix[min(row, column) &* stride &+ max(row, column)] = value
    }

    func solution(_ row: Int) -> Double { values[row] }

    /// Solves the system.
    ///
    /// If the matrix is not positive definite, only its diagonal counts. Missing pairs can have this effect.
    func solve() {
        for row in 0..<count { (matrix[row * stride + row], values[row]) = (diagonal[row], right[row]) }
        guard unsafe coterie_decompose(path.code, matrix.base, UInt32(count), UInt32(stride)) != 0 else {
            for row in 0..<count { values[row] = right[row] / diagonal[row] }
            return
        }
        for row in 0..<count {
            values[row] /= matrix[row * stride + row]
            subtractFromValues(row, times: values[row])
        }
        for row in (0..<count).reversed() {
            var value = values[row]
            for column in row + 1..<max(row + 1, count) { value -= matrix[row * stride + column] * values[column] }
            values[row] = value / matrix[row * stride + row]
        }
    }

    /// Subtracts a multiple of the row's elements right of the diagonal from the values.
    private func subtractFromValues(_ row: Int, times factor: Double) {
        let (mine, values) = unsafe (matrix.base + row * stride, values.base)
        for column in row + 1..<max(row + 1, count) { unsafe values[column] -= factor * mine[column] }
    }
}
