import Glibc
import Similarity

/// The pairs of every target that a regression looks at, and where they are among the pairs of the sources.
struct RegressedPairs: Sendable {
    /// Targets + 1.
    private var offsets = [0]
    private var sources: [UInt32] = []
    private var weights: [Float] = []
    /// Of each of them, as a pair of its source.
    private var positions: [UInt32] = []
    private let masses: [Float]
    private let keptPart: Double

    /// - Parameters:
    ///   - kept: by target; the first ones of a limit are the best so many.
    ///   - positions: of all kept pairs, target after target, where they are among the pairs of the sources.
    ///   - keptPart: of a matrix that was thinned out.
    init(_ kept: [KeptPairs], _ positions: [UInt32], masses: [Float], keptPart: Double) {
        self.masses = masses
        self.keptPart = keptPart
        var start = 0
        for pairs in kept {
            let count = min(pairs.groups.count, RidgeRegression.sourceLimit)
            sources += pairs.groups.prefix(count)
            weights += pairs.weights.prefix(count)
            self.positions += positions[start..<start + count]
            start += pairs.groups.count
            offsets.append(sources.count)
        }
    }

    /// The coefficients of a regression.
    ///
    /// - Parameters:
    ///   - limit: how many pairs a target keeps.
    ///   - pairCount: of all sources.
    func coefficients(penalty: Double, limit: Int, pairCount: Int, threads: Int) -> MixPart {
        var part = self
        if limit < RidgeRegression.sourceLimit { part.keepFirst(limit) }
        let found = RidgeRegression(
            offsets: part.offsets, sources: part.sources, weights: part.weights, masses: masses
        ).coefficients(penalty: penalty * keptPart, threads: threads)
        var coefficients = MixPart(ofPairs: [Float](repeating: 0, count: pairCount), sumOfGreatest: 0)
        for target in masses.indices {
            var most: Float = 0
            for index in part.offsets[target]..<part.offsets[target + 1] {
                coefficients.ofPairs[Int(part.positions[index])] = found[index]
                most = max(most, found[index])
            }
            coefficients.sumOfGreatest += Double(most)
        }
        return coefficients
    }

    private mutating func keepFirst(_ limit: Int) {
        var shorter = self
        (shorter.offsets, shorter.sources, shorter.weights, shorter.positions) = ([0], [], [], [])
        for target in masses.indices {
            let range = (offsets[target]..<offsets[target + 1]).prefix(limit)
            shorter.sources += sources[range]
            shorter.weights += weights[range]
            shorter.positions += positions[range]
            shorter.offsets.append(shorter.sources.count)
        }
        self = shorter
    }
}
