import Glibc

/// Of every row a few hundred numbers, the products of which say how alike two rows are by all that the matrix has, not
/// only by their common entries.
///
/// They are an orthonormal basis of nearly the space of the leading left singular vectors of D_r^-½ X D_c^-½, with the
/// sizes of the rows and of the columns on the diagonals of D_r and D_c. The basis is found by block power iteration
/// (Halko, Martinsson and Tropp 2011) from signs that are the same in every run. Projecting members on that space is
/// the ideal low-pass filter of GF-CF (Shen and others 2021).
public struct SpectralFactors: Sendable {
    /// The most numbers that a row has.
    public static let most = 256
    /// There are so many rows or more for each of the numbers.
    ///
    /// A space that is nearly that of all rows tells nothing. With fewer than 128 rows there are no factors.
    private static let rowsPerFactor = 8
    /// With more passes, lists find no more.
    private static let passCount = 3

    /// How many numbers each row has.
    private let count: Int
    /// Row by row; 0 for rows that do not count.
    private let values: Storage<Float>
    private let roots: [Float]

    /// The factors of a matrix; the same bits on any number of threads.
    ///
    /// - Parameters:
    ///   - matrix: rows × columns.
    ///   - minimumEntries: rows with fewer entries do not count.
    /// - Complexity: O(`most` · (entries + rows · `most`)), with one more copy of the entries and two of the factors.
    public init(_ matrix: BinaryMatrix, minimumEntries: Int = 1, threads: Int) {
        self.init(matrix, minimumEntries: minimumEntries, passCount: Self.passCount, threads: threads)
    }

    /// - Parameter passCount: with more of them the space comes nearer to that of the leading singular vectors.
    init(_ matrix: BinaryMatrix, minimumEntries: Int, passCount: Int, threads: Int) {
        let least = max(1, minimumEntries)
        roots = (0..<matrix.rowCount).map {
            let size = matrix.size(ofRow: $0)
            return size >= least ? Float(size).squareRoot() : 0
        }
        let wanted = min(Self.most, roots.count { $0 > 0 } / Self.rowsPerFactor)
        var blocks = FactorBlocks(rowCount: matrix.rowCount, factorCount: wanted)
        count = blocks.factorCount
        if count > 0 {
            guard let columns = try? matrix.transposed() else { preconditionFailure("a row's number has 32 bits") }
            let degrees = matrix.columnDegrees(ofRowsWithAtLeast: least)
            let inverseRoots = roots.map { $0 > 0 ? 1 / $0 : 0 }
            for _ in 0..<passCount {
                blocks.multiply(by: columns, degrees, inverseRoots, threads: threads)
                blocks.orthonormalize(threads: threads)
            }
        }
        values = blocks.byRow()
    }

    /// What finding the factors takes, in nanoseconds of one core, as measured.
    static func nanoseconds(rows: Int, entries: Int) -> Double {
        let count = Double(min(most, rows / rowsPerFactor))
        return Double(passCount) * count * (Double(entries) * 0.4 + Double(rows) * count * 0.25)
    }

    /// √(nⱼ/nᵢ) Σ v_f(i) v_f(j): what a member of the source row adds to the target row in the filtered matrix.
    ///
    /// Negative where the rows are less alike than by chance.
    @inline(__always)
    public func score(source: Int, target: Int) -> Float {
        guard roots[source] > 0 else { return 0 }
        precondition(source < roots.count && target < roots.count)
        let (mine, its) = unsafe (values.base + source * count, values.base + target * count)
        // Sixteen sums, so that the bits do not depend on the width of the processor's vectors.
        var sums = SIMD16<Float>.zero
        for start in stride(from: 0, to: count, by: FactorBlocks.width) {
            unsafe sums +=
                UnsafeRawPointer(mine + start).loadUnaligned(as: SIMD16<Float>.self)
                * UnsafeRawPointer(its + start).loadUnaligned(as: SIMD16<Float>.self)
        }
        let eight = sums.lowHalf + sums.highHalf
        let four = eight.lowHalf + eight.highHalf
        let two = four.lowHalf + four.highHalf
        return (two.x + two.y) * (roots[target] / roots[source])
    }
}

/// The factors of all rows in blocks of sixteen: what one thread works on stays near the processor.
private struct FactorBlocks {
    typealias Vector = SIMD16<Float>
    static let width = Vector.scalarCount
    /// Rows at a time.
    private static let portion = 64

    let rowCount: Int
    private var blocks: [Storage<Vector>] = []
    var factorCount: Int { blocks.count * Self.width }

    /// Signs without an order (SplitMix64; Steele, Lea and Flood 2014).
    ///
    /// - Parameter factorCount: rounded down to whole blocks.
    init(rowCount: Int, factorCount: Int) {
        self.rowCount = rowCount
        for block in 0..<factorCount / Self.width {
            let vectors = Storage<Vector>(zeroed: rowCount)
            for row in 0..<rowCount {
                let signs = Self.random(UInt64(row) << 8 | UInt64(block))
                for lane in 0..<Self.width { vectors[row][lane] = signs >> UInt64(lane) & 1 == 0 ? -1 : 1 }
            }
            blocks.append(vectors)
        }
    }

    private static func random(_ number: UInt64) -> UInt64 {
        var bits = (number &+ 1) &* 0x9e37_79b9_7f4a_7c15
        bits = (bits ^ bits >> 30) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ bits >> 27) &* 0x94d0_49bb_1331_11eb
        return bits ^ bits >> 31
    }

    /// Multiplies by D_r^-½ X D_c^-1 Xᵀ D_r^-½: each block on one thread, in the order of the columns.
    ///
    /// - Parameters:
    ///   - columns: columns × rows.
    ///   - degrees: of each column, in how many rows that count it is.
    ///   - inverseRoots: D_r^-½, 0 for rows that do not count.
    mutating func multiply(
        by columns: BinaryMatrix, _ degrees: [UInt32], _ inverseRoots: [Float], threads: Int
    ) {
        let (before, rowCount) = (blocks, rowCount)
        let products = before.map { _ in Storage<Vector>(zeroed: rowCount) }
        concurrently(threads, count: before.count) { number in
            let (vectors, sums) = (before[number], products[number])
            for row in 0..<rowCount { vectors[row] *= inverseRoots[row] }
            let (offsets, rows, degrees) = (columns.rowOffsets.span, columns.columnIndices.span, degrees.span)
            for column in 0..<degrees.count where degrees[column] > 0 {
                let range = offsets[column]..<offsets[column + 1]
                var sum = Vector.zero
                for position in range { sum += vectors[Int(rows[position])] }
                sum /= Float(degrees[column])
                for position in range { sums[Int(rows[position])] += sum }
            }
            for row in 0..<rowCount { sums[row] *= inverseRoots[row] }
        }
        blocks = products
    }

    /// Turns the factors into an orthonormal basis of what they span, by Cholesky's decomposition of their products.
    ///
    /// A factor that the ones before it span becomes 0.
    func orthonormalize(threads: Int) {
        let inverse = Self.inverseOfRoot(products(threads: threads), count: factorCount)
        let (blocks, rowCount, count) = (blocks, rowCount, factorCount)
        concurrently(threads, count: (rowCount + Self.portion - 1) / Self.portion) { part in
            var sums = [Double](repeating: 0, count: count)
            let inverse = inverse.span
            for row in part * Self.portion..<min(rowCount, (part + 1) * Self.portion) {
                for index in sums.indices { sums[index] = 0 }
                var sums = sums.mutableSpan
                for factor in 0..<count {
                    let value = Double(blocks[factor / Self.width][row][factor % Self.width])
                    let line = inverse.extracting(factor * count..<(factor + 1) * count)
                    for index in factor..<count { sums[index] += value * line[index] }
                }
                for block in blocks.indices {
                    for lane in 0..<Self.width { blocks[block][row][lane] = Float(sums[block * Self.width + lane]) }
                }
            }
        }
    }

    /// The products of all factors, as the upper triangle of a matrix.
    private func products(threads: Int) -> [Double] {
        let (blocks, rowCount, count) = (blocks, rowCount, factorCount)
        let products = Storage<Double>(zeroed: count * count)
        let pairs = blocks.indices.flatMap { first in (first..<blocks.count).map { (first, $0) } }
        concurrently(threads, count: pairs.count) { number in
            let (first, second) = pairs[number]
            var sums = [Vector](repeating: .zero, count: Self.width)
            for start in stride(from: 0, to: rowCount, by: Self.portion) {
                for row in start..<min(rowCount, start + Self.portion) {
                    let (left, right) = (blocks[first][row], blocks[second][row])
                    for lane in 0..<Self.width { sums[lane] += left[lane] * right }
                }
                // Few are added up in single precision.
                for lane in 0..<Self.width {
                    let line = (first * Self.width + lane) * count + second * Self.width
                    for other in 0..<Self.width { products[line + other] += Double(sums[lane][other]) }
                    sums[lane] = .zero
                }
            }
        }
        return unsafe Array(UnsafeBufferPointer(start: products.base, count: products.count))
    }

    /// U^-1 for the upper triangle U with UᵀU = products; 0 in the columns of factors that others span.
    private static func inverseOfRoot(_ products: [Double], count: Int) -> [Double] {
        // Single precision knows no smaller part of a factor.
        let tolerance = 1e-6
        var root = products
        var isKept = [Bool](repeating: false, count: count)
        for row in 0..<count {
            let square = root[row * count + row]
            guard square > tolerance * products[row * count + row] else { continue }
            isKept[row] = true
            let divisor = square.squareRoot()
            for column in row..<count { root[row * count + column] /= divisor }
            for below in row + 1..<max(row + 1, count) {
                let factor = root[row * count + below]
                for column in below..<count { root[below * count + column] -= factor * root[row * count + column] }
            }
        }
        var inverse = [Double](repeating: 0, count: count * count)
        for column in 0..<count where isKept[column] {
            inverse[column * count + column] = 1 / root[column * count + column]
            for row in (0..<column).reversed() where isKept[row] {
                var sum = 0.0
                for between in row + 1...column where isKept[between] {
                    sum += root[row * count + between] * inverse[between * count + column]
                }
                inverse[row * count + column] = -sum / root[row * count + row]
            }
        }
        return inverse
    }

    /// The factors row by row.
    func byRow() -> Storage<Float> {
        let values = Storage<Float>(zeroed: rowCount * factorCount)
        for (block, vectors) in blocks.enumerated() {
            for row in 0..<rowCount {
                let start = row * factorCount + block * Self.width
                for lane in 0..<Self.width { values[start + lane] = vectors[row][lane] }
            }
        }
        return values
    }
}
