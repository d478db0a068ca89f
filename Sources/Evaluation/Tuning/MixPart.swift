import Similarity
import Synchronization

/// Something that the scores of pairs are mixed with.
struct MixPart: Sendable {
    /// By position of a pair among those of the sources.
    var ofPairs: [Float]
    /// The sum over the targets of what is greatest for each.
    var sumOfGreatest: Double
}

/// What the scores of pairs are mixed with.
struct MixParts: Sendable {
    /// The coefficients of a regression.
    var coefficients: MixPart?
    /// The products of factors.
    var products: MixPart?

    var isEmpty: Bool { coefficients == nil && products == nil }
}

extension MixPart {
    /// Sources at a time.
    private static let portion = 512

    /// The products of factors of all pairs under a limit.
    init(_ factors: SpectralFactors, of pairs: PairLists, limit: Int, threads: Int) {
        let sourceCount = pairs.offsets.count - 1
        let portionCount = (sourceCount + Self.portion - 1) / Self.portion
        let found = Mutex([[Float]](repeating: [], count: portionCount))
        let next = Atomic(0)
        withThreads(threads) {
            while true {
                let number = next.add(1, ordering: .relaxed).oldValue
                guard number < portionCount else { return }
                let sources = number * Self.portion..<min(sourceCount, (number + 1) * Self.portion)
                let start = pairs.offsets[sources.lowerBound]
                var products = [Float](repeating: 0, count: pairs.offsets[sources.upperBound] - start)
                for source in sources {
                    for position in pairs.range(ofSource: source, limit: limit) {
                        products[position - start] = factors.score(
                            source: source, target: Int(pairs.targets[position]))
                    }
                }
                found.withLock { $0[number] = products }
            }
        }
        ofPairs = []
        ofPairs.reserveCapacity(pairs.targets.count)
        for products in found.withLock({ $0 }) { ofPairs += products }
        var greatest = [Float](repeating: 0, count: sourceCount)
        for (target, product) in zip(pairs.targets, ofPairs) {
            greatest[Int(target)] = max(greatest[Int(target)], product)
        }
        sumOfGreatest = greatest.reduce(0) { $0 + Double($1) }
    }
}
