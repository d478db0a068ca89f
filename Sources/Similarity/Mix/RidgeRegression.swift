/// What each source of a target adds to what the others say: the coefficients of a ridge regression of the target's
/// entries on those of its sources.
///
/// Sources that are alike share what a sum of similarities would count for each of them. It is the linear model SLIM
/// with a penalty on squares and the sources chosen beforehand (Ning and Karypis 2011, fsSLIM; with all rows as sources
/// it is EASE, Steck 2019). What two sources have in common is taken from the pairs that are kept, 0 where none is.
public struct RidgeRegression: Sendable {
    /// How many sources of a target take part, the first ones; the others have the coefficient 0.
    public static let sourceLimit = 100

    private let offsets: [Int]
    private let sources: [UInt32]
    private let weights: [Float]
    private let masses: [Float]

    /// A regression for every row.
    ///
    /// - Parameters:
    ///   - offsets: where the sources of each row begin, rows + 1.
    ///   - sources: of each row as a target, at most `sourceLimit`.
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

    /// The coefficients, in the order of the sources; the same on any number of threads.
    ///
    /// - Parameter penalty: λ, above 0.
    /// - Complexity: O(rows · `sourceLimit`³).
    public func coefficients(penalty: Double, threads: Int) -> [Float] {
        let found = Storage<Float>(zeroed: sources.count)
        let rowsAtOnce = 256
        let parts = WorkQueue(count: (masses.count + rowsAtOnce - 1) / rowsAtOnce)
        withWorkerThreads(min(threads, parts.count)) { _ in
            let system = RidgeSystem(limit: Self.sourceLimit)
            var places = [UInt8](repeating: 0, count: masses.count)
            while let part = parts.take() {
                for target in part * rowsAtOnce..<min(masses.count, (part + 1) * rowsAtOnce) {
                    solve(target, penalty: penalty, system, &places, found)
                }
            }
        }
        return unsafe Array(UnsafeBufferPointer(start: found.base, count: found.count))
    }

    /// - Parameter places: one for each row, all 0, before and after.
    private func solve(
        _ target: Int, penalty: Double, _ system: RidgeSystem, _ places: inout [UInt8], _ found: Storage<Float>
    ) {
        let range = offsets[target]..<offsets[target + 1]
        guard !range.isEmpty else { return }
        system.begin(count: range.count)
        for (place, position) in range.enumerated() {
            places[Int(sources[position])] = UInt8(place + 1)
            system.setDiagonal(place, Double(masses[Int(sources[position])]) + penalty)
            system.setRight(place, Double(weights[position]))
        }
        let (sources, weights) = (sources.span, weights.span)
        for (row, position) in range.enumerated() {
            let source = Int(sources[position])
            for other in offsets[source]..<offsets[source + 1] {
                let column = Int(places[Int(sources[other])])
                if column > 0 { system.set(row, column - 1, Double(weights[other])) }
            }
        }
        for position in range { places[Int(sources[position])] = 0 }
        system.solve()
        for (place, position) in range.enumerated() { found[position] = Float(system.solution(place)) }
    }
}
