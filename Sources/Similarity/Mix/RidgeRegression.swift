/// What each source of a target adds to what the others say: the coefficients of a ridge regression of the target's
/// entries on those of its sources.
///
/// Sources that are alike share what a sum of similarities would count for each of them. It is the linear model SLIM
/// with a penalty on squares and the sources chosen beforehand (Ning and Karypis 2011, fsSLIM; with all rows as sources
/// it is EASE, Steck 2019). What two sources have in common is taken from the pairs that are kept, 0 where none is.
public struct RidgeRegression: Sendable {
    /// How many sources of a target take part at most, the first ones; the others have the coefficient 0.
    public static let sourceLimit = 100

    private let offsets: [Int]
    private let sources: [UInt32]
    private let weights: [Float]
    private let masses: [Float]

    /// A regression for every row.
    ///
    /// - Parameters:
    ///   - offsets: where the sources of each row begin, rows + 1.
    ///   - sources: of each row as a target, the best first.
    ///   - weights: what each source has in common with its target: Σ d(u)^-a over the common entries.
    ///   - masses: the same of every row with itself.
    public init(offsets: [Int], sources: [UInt32], weights: [Float], masses: [Float]) {
        precondition(offsets.last == sources.count && sources.count == weights.count)
        precondition(offsets.count == masses.count + 1)
        self.offsets = offsets
        self.sources = sources
        self.weights = weights
        self.masses = masses
    }

    /// The coefficients, in the order of the sources; the same on any number of threads and any processor.
    ///
    /// - Parameters:
    ///   - penalty: λ, above 0.
    ///   - limit: how many sources of a target there are, the first ones; only those take part.
    ///   - path: the instructions to use, among `ProcessorPath.supported`.
    /// - Complexity: O(rows · `sourceLimit`³).
    public func coefficients(
        penalty: Double, limit: Int = sourceLimit, threads: Int, path: ProcessorPath = .fastest
    ) -> [Float] {
        let found = Storage<Float>(zeroed: sources.count)
        let rowsAtOnce = 256
        let parts = WorkQueue(count: (masses.count + rowsAtOnce - 1) / rowsAtOnce)
        withWorkerThreads(min(threads, parts.count)) { _ in
            let system = RidgeSystem(limit: Self.sourceLimit, path)
            let nowhere = UInt8(system.nowhere)
            var places = [UInt8](repeating: nowhere, count: masses.count)
            while let part = parts.take() {
                for target in part * rowsAtOnce..<min(masses.count, (part + 1) * rowsAtOnce) {
                    solve(target, penalty: penalty, limit: limit, system, &places, found)
                }
            }
        }
        return unsafe Array(UnsafeBufferPointer(start: found.base, count: found.count))
    }

    /// The sources of a row that take part, as positions.
    private func positions(of row: Int, limit: Int) -> Range<Int> {
        offsets[row]..<min(offsets[row + 1], offsets[row] + min(limit, Self.sourceLimit))
    }

    /// - Parameter places: one for each row, all nowhere, before and after.
    private func solve(
        _ target: Int, penalty: Double, limit: Int, _ system: RidgeSystem, _ places: inout [UInt8],
        _ found: Storage<Float>
    ) {
        let range = positions(of: target, limit: limit)
        guard !range.isEmpty else { return }
        system.begin(count: range.count)
        for (place, position) in range.enumerated() {
            places[Int(sources[position])] = UInt8(place)
            system.setDiagonal(place, Double(masses[Int(sources[position])]) + penalty)
            system.setRight(place, Double(weights[position]))
        }
        setPairs(of: range, limit: limit, system, places)
        for position in range { places[Int(sources[position])] = UInt8(system.nowhere) }
        system.solve()
        for (place, position) in range.enumerated() { found[position] = Float(system.solution(place)) }
    }

    /// Sets what the sources of a target have in common, as far as one of them is a source of the other.
    private func setPairs(of range: Range<Int>, limit: Int, _ system: RidgeSystem, _ places: [UInt8]) {
        let (sources, weights, places) = (sources.span, weights.span, places.span)
        for (row, position) in range.enumerated() {
            let source = Int(sources[position])
            let others = positions(of: source, limit: limit)
            let (otherSources, otherWeights) = (sources.extracting(others), weights.extracting(others))
            for index in otherSources.indices {
                // Whether a source of the source is one of the target, too, cannot be predicted: no branch.
                system.set(row, Int(places[Int(otherSources[index])]), Double(otherWeights[index]))
            }
        }
    }

    /// Σ d(u)^-a over the entries of every row, with d(u) of the rows that count.
    ///
    /// - Parameters:
    ///   - degreeDiscount: a.
    ///   - minimumEntries: rows with fewer entries do not count.
    public static func masses(
        of matrix: BinaryMatrix, degreeDiscount: Double, minimumEntries: Int = 1, threads: Int
    ) -> [Float] {
        let degrees = matrix.columnDegrees(ofRowsWithAtLeast: minimumEntries)
        let table = DegreeWeights(degreeDiscount: degreeDiscount, largestDegree: degrees.max() ?? 0)
        let masses = Storage<Float>(zeroed: matrix.rowCount)
        let rowsAtOnce = 256
        concurrently(threads, count: (matrix.rowCount + rowsAtOnce - 1) / rowsAtOnce) { part in
            for row in part * rowsAtOnce..<min(matrix.rowCount, (part + 1) * rowsAtOnce) {
                let sum = matrix.row(row).reduce(UInt64(0)) { $0 + UInt64(table[degree: degrees[Int($1)]]) }
                masses[row] = Float(Double(sum) / Double(DegreeWeights.one))
            }
        }
        return unsafe Array(UnsafeBufferPointer(start: masses.base, count: masses.count))
    }
}
