import Glibc
import Model
import Similarity

/// The lists of a relation with the scores of one setting.
struct ScoredLists: Sendable {
    let pairs: PairLists
    /// The scores in the order of the pairs; 0 beyond the limit.
    private let scores: [Float]
    /// The mean of the lists' best scores, which scores are divided by before relations are blended.
    let meanBestScore: Double
    private let limit: Int

    /// - Parameter sizes: The natural logarithm of every group's number of entries.
    init(_ pairs: PairLists, _ part: TunedSettings.Part, logarithmsOfSizes sizes: [Float], threads: Int) {
        self.pairs = pairs
        limit = part.limit
        let scoring = Scoring(pairs, part, logarithmsOfSizes: sizes)
        let portions = Parallel.map(
            pairs.offsets.count - 1, inPortionsOf: 512, threads: threads, state: { _ in }
        ) { Portion(pairs, $1, scoring) }
        var scores: [Float] = []
        scores.reserveCapacity(pairs.targets.count)
        for portion in portions { scores += portion.scores }
        self.scores = scores
        let lists = portions.reduce(0) { $0 + $1.lists }
        let sum = portions.reduce(0) { $0 + $1.bestScores }
        meanBestScore = lists > 0 && sum > 0 ? sum / Double(lists) : 1
    }

    /// Calls `body` with each pair in the list of a group.
    @inline(__always)
    func forEach(of source: Int, _ body: (_ target: UInt32, _ score: Float) -> Void) {
        for position in pairs.range(ofSource: source, limit: limit) { body(pairs.targets[position], scores[position]) }
    }
}

/// The score formula of one setting.
private struct Scoring: Sendable {
    let limit: Int
    let listPower: Double
    private let power: Float
    private let exponent: Float
    private let isOfSource: Bool
    private let sizes: [Float]

    init(_ pairs: PairLists, _ part: TunedSettings.Part, logarithmsOfSizes sizes: [Float]) {
        let formula = part.formula
        limit = part.limit
        listPower = formula.listPower
        power = Float(formula.scorePower)
        isOfSource = pairs.cut == .source
        exponent = Float(isOfSource ? formula.sourceExponent : formula.neighbourExponent)
        self.sizes = sizes
    }

    /// Returns the score of a pair before lists are divided by their sums.
    @inline(__always)
    func score(_ pairs: PairLists, _ position: Int, source: Int) -> Float {
        let sized = isOfSource ? source : Int(pairs.targets[position])
        return expf(power * (pairs.logarithms[position] - exponent * sizes[sized]))
    }
}

/// The scores in the lists of some sources.
private struct Portion: Sendable {
    var scores: [Float]
    var bestScores = 0.0
    var lists = 0

    init(_ pairs: PairLists, _ sources: Range<Int>, _ scoring: Scoring) {
        let start = pairs.offsets[sources.lowerBound]
        scores = [Float](repeating: 0, count: pairs.offsets[sources.upperBound] - start)
        for source in sources {
            var (sum, best) = (0.0, Float(0))
            let range = pairs.range(ofSource: source, limit: scoring.limit)
            for position in range {
                let score = scoring.score(pairs, position, source: source)
                scores[position - start] = score
                sum += Double(score)
                best = max(best, score)
            }
            guard sum > 0 else { continue }
            lists += 1
            let factor = pow(sum, -scoring.listPower)
            bestScores += Double(best) * factor
            if factor != 1 { for position in range { scores[position - start] *= Float(factor) } }
        }
    }
}
