import Glibc
import Model

/// A ridge regression of each target's entries on the entries of its sources.
///
/// The coefficient of a source is its contribution beyond the other sources. Similar sources share a contribution that
/// a sum of similarities would count for each of them.
///
/// The model is SLIM with an L2 penalty and preselected sources (Ning and Karypis 2011, fsSLIM). With all rows as
/// sources it is EASE (Steck 2019). The common weights of two sources are taken from the kept pairs; a missing pair
/// counts as 0.
package struct RidgeRegression: Sendable {
    /// The most sources of a target that take part, the first ones; the others have the coefficient 0.
    package static let sourceLimit = 100
    /// The power of a target's weight that divides its coefficients.
    ///
    /// Coefficients grow with the size of a target, and would fill lists with large rows.
    private static let targetPower = 0.15

    private let offsets: [Int]
    private let sources: [UInt32]
    private let weights: [Float]
    private let masses: [Float]

    /// Creates a regression for every row.
    ///
    /// - Parameters:
    ///   - offsets: The start of each row's sources, as rows + 1 offsets.
    ///   - sources: The sources of each row as a target, best first.
    ///   - weights: The common weight of each source and its target: Σ d(u)^-a over the common entries.
    ///   - masses: The weight of every row: Σ d(u)^-a over its entries.
    package init(offsets: [Int], sources: [UInt32], weights: [Float], masses: [Float]) {
        precondition(offsets.last == sources.count && sources.count == weights.count)
        precondition(offsets.count == masses.count + 1)
        self.offsets = offsets
        self.sources = sources
        self.weights = weights
        self.masses = masses
    }

    /// Returns the coefficients, in the order of the sources; they are the same on any number of threads and any
    /// processor.
    ///
    /// - Parameters:
    ///   - penalty: λ, above 0.
    ///   - limits: The number of sources of each target that take part, the first ones; at most `sourceLimit` do.
    ///   - path: The instructions to use, among `ProcessorPath.supported`.
    /// - Complexity: O(rows · `sourceLimit`³).
    package func coefficients(
        penalty: Double, limits: [Int]? = nil, threads: Int, path: ProcessorPath = .fastest
    ) -> [Float] {
        let found = Storage<Float>(zeroed: sources.count)
        _ = Parallel.map(
            masses.count, inPortionsOf: 256, threads: threads,
            state: { _ in
                let system = RidgeSystem(limit: Self.sourceLimit, path)
                return (system, places: [UInt8](repeating: UInt8(system.nowhere), count: masses.count))
            }
        ) { state, targets in
            for target in targets {
                solve(target, penalty: penalty, limits: limits, state.0, &state.places, found)
            }
        }
        return unsafe Array(UnsafeBufferPointer(start: found.base, count: found.count))
    }

    /// Returns the positions of the sources of a row that take part.
    private func positions(of row: Int, limits: [Int]?) -> Range<Int> {
        offsets[row]..<min(offsets[row + 1], offsets[row] + min(limits?[row] ?? .max, Self.sourceLimit))
    }

    /// - Parameter places: One place for each row, all nowhere, before and after.
    private func solve(
        _ target: Int, penalty: Double, limits: [Int]?, _ system: RidgeSystem, _ places: inout [UInt8],
        _ found: Storage<Float>
    ) {
        let range = positions(of: target, limits: limits)
        guard !range.isEmpty else { return }
        system.begin(count: range.count)
        for (place, position) in range.enumerated() {
            places[Int(sources[position])] = UInt8(place)
            system.setDiagonal(place, Double(masses[Int(sources[position])]) + penalty)
            system.setRight(place, Double(weights[position]))
        }
        setPairs(of: range, limits: limits, system, places)
        for position in range { places[Int(sources[position])] = UInt8(system.nowhere) }
        system.solve()
        let factor = pow(Double(masses[target]), -Self.targetPower)
        for (place, position) in range.enumerated() { found[position] = Float(factor * system.solution(place)) }
    }

    /// Sets the common weights of a target's sources, if one of two is a source of the other.
    private func setPairs(of range: Range<Int>, limits: [Int]?, _ system: RidgeSystem, _ places: [UInt8]) {
        let (sources, weights, places) = (sources.span, weights.span, places.span)
        for (row, position) in range.enumerated() {
            let source = Int(sources[position])
            let others = positions(of: source, limits: limits)
            let (otherSources, otherWeights) = (sources.extracting(others), weights.extracting(others))
            for index in otherSources.indices {
                // No branch: whether a source of the source is also one of the target cannot be predicted.
                system.set(row, Int(places[Int(otherSources[index])]), Double(otherWeights[index]))
            }
        }
    }

    /// Returns Σ d(u)^-a over the entries of every row, where d(u) counts only rows with enough entries.
    ///
    /// - Parameters:
    ///   - degreeDiscount: The exponent a.
    ///   - minimumEntries: The least number of entries of a row that counts in d(u).
    package static func masses(
        of matrix: BinaryMatrix, degreeDiscount: Double, minimumEntries: Int = 1, threads: Int
    ) -> [Float] {
        let degrees = matrix.columnDegrees(ofRowsWithAtLeast: minimumEntries)
        let table = DegreeWeights(degreeDiscount: degreeDiscount, largestDegree: degrees.max() ?? 0)
        let masses = Storage<Float>(zeroed: matrix.rowCount)
        Parallel.forEach(matrix.rowCount, inPortionsOf: 256, threads: threads) { rows in
            for row in rows {
                let sum = matrix.row(row).reduce(UInt64(0)) { $0 + UInt64(table[degree: degrees[Int($1)]]) }
                masses[row] = Float(Double(sum) / Double(DegreeWeights.one))
            }
        }
        return unsafe Array(UnsafeBufferPointer(start: masses.base, count: masses.count))
    }
}
