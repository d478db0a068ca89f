/// A small system of linear equations with a symmetric matrix, solved by Cholesky's decomposition.
///
/// Every step adds or multiplies whole rows element by element, never across a row: the result has the same bits
/// whatever the width of the processor's vectors. (A library would choose its instructions by the processor.)
@safe
final class RidgeSystem {
    private let limit: Int
    private var count = 0
    /// The upper triangle, row by row, `limit` numbers a row; what is below it has no meaning.
    private let matrix: Storage<Double>
    private let diagonal: Storage<Double>
    private let right: Storage<Double>
    private let values: Storage<Double>

    init(limit: Int) {
        self.limit = limit
        matrix = Storage(zeroed: limit * limit)
        diagonal = Storage(zeroed: limit)
        right = Storage(zeroed: limit)
        values = Storage(zeroed: limit)
    }

    /// Begins a system of so many equations, all 0.
    func begin(count: Int) {
        precondition(count <= limit)
        self.count = count
        for row in 0..<count { unsafe (matrix.base + row * limit).update(repeating: 0, count: count) }
    }

    func setDiagonal(_ row: Int, _ value: Double) { diagonal[row] = value }
    func setRight(_ row: Int, _ value: Double) { right[row] = value }

    /// Sets both places of a pair.
    @inline(__always)
    func set(_ row: Int, _ column: Int, _ value: Double) { matrix[min(row, column) * limit + max(row, column)] = value }

    func solution(_ row: Int) -> Double { values[row] }

    /// Solves the system.
    ///
    /// Where the matrix is not positive definite, as one with missing pairs need not be, only its diagonal counts.
    func solve() {
        for row in 0..<count { matrix[row * limit + row] = diagonal[row] }
        for row in 0..<count { values[row] = right[row] }
        guard decompose() else {
            for row in 0..<count { values[row] = right[row] / diagonal[row] }
            return
        }
        for row in 0..<count {
            values[row] /= matrix[row * limit + row]
            subtractFromValues(row, times: values[row])
        }
        for row in (0..<count).reversed() {
            var value = values[row]
            for column in row + 1..<max(row + 1, count) { value -= matrix[row * limit + column] * values[column] }
            values[row] = value / matrix[row * limit + row]
        }
    }

    /// Turns the matrix into the upper triangle U with UᵀU = matrix; false if there is none.
    private func decompose() -> Bool {
        for row in 0..<count {
            let square = matrix[row * limit + row]
            guard square > 0 else { return false }
            let root = square.squareRoot()
            let mine = unsafe matrix.base + row * limit
            for column in row..<count { unsafe mine[column] /= root }
            for below in row + 1..<max(row + 1, count) {
                let factor = unsafe mine[below]
                if factor != 0 { subtract(row, from: below, times: factor) }
            }
        }
        return true
    }

    /// Subtracts a multiple of a row from one below it, from the diagonal on.
    @inline(__always)
    private func subtract(_ row: Int, from below: Int, times factor: Double) {
        let (mine, its) = unsafe (matrix.base + row * limit, matrix.base + below * limit)
        for column in below..<count { unsafe its[column] -= factor * mine[column] }
    }

    /// Subtracts a multiple of what is right of a row's diagonal from the values.
    private func subtractFromValues(_ row: Int, times factor: Double) {
        let (mine, values) = unsafe (matrix.base + row * limit, values.base)
        for column in row + 1..<max(row + 1, count) { unsafe values[column] -= factor * mine[column] }
    }
}
