import Foundation
package import Model
package import Similarity

/// What `NeighbourSearch` must answer, computed pair by pair in the plainest way.
package struct BruteForce {
    let matrix: BinaryMatrix
    let parameters: SimilarityParameters
    let weights: [UInt64]
    /// The most pairs of a row, by its size.
    private let limits: [Int: Int]

    /// Every row's neighbours.
    package static func neighbours(of matrix: BinaryMatrix, _ parameters: SimilarityParameters) -> NeighbourTable {
        var lists = NeighbourTable(offsets: [0], neighbours: [])
        let problem = BruteForce(matrix, parameters)
        for list in problem.lists(of: (0..<matrix.rowCount).map { problem.pairs(ofRow: $0) }) {
            lists.neighbours += list
            lists.offsets.append(lists.neighbours.count)
        }
        return lists
    }

    /// The neighbours of some of the rows, in the order asked for; of lists that are cut at the source.
    package static func neighbours(
        of matrix: BinaryMatrix, _ parameters: SimilarityParameters, ofRows rows: [Int]
    ) -> [[Neighbour]] {
        let problem = BruteForce(matrix, parameters)
        return rows.map { problem.list(problem.pairs(ofRow: $0)) }
    }

    init(_ matrix: BinaryMatrix, _ parameters: SimilarityParameters) {
        self.matrix = matrix
        self.parameters = parameters
        limits = Self.limits(
            of: (0..<matrix.rowCount).map(matrix.size).filter { $0 >= parameters.minimumEntries }, parameters)
        let degrees = matrix.columnDegrees(ofRowsWithAtLeast: parameters.minimumEntries)
        if case .modified(let formula) = parameters.measure {
            let table = DegreeWeights(degreeDiscount: formula.degreeDiscount, largestDegree: degrees.max() ?? 0).table
            weights = degrees.map { UInt64(table[Int($0)]) }
        } else {
            weights = []
        }
    }

    /// The lists, from the best pairs of every row.
    private func lists(of pairs: [[Pair]]) -> [[Neighbour]] {
        guard parameters.measure.cut == .target, case .modified(let formula) = parameters.measure else {
            return pairs.map(list)
        }
        return pairs.indices.map { source in
            var mine: [Pair] = []
            for (target, sources) in pairs.enumerated() {
                for var pair in sources where pair.other == source {
                    pair.key *= pow(Double(matrix.size(ofRow: target)), -formula.neighbourExponent)
                    pair.other = target
                    mine.append(pair)
                }
            }
            return list(mine.sorted { $0.key == $1.key ? $0.other < $1.other : $0.key > $1.key })
        }
    }

    private func list(_ pairs: [Pair]) -> [Neighbour] {
        var divisor = 1.0
        if case .modified(let formula) = parameters.measure, formula.listPower > 0 {
            divisor = pow(pairs.reduce(0) { $0 + $1.score }, formula.listPower)
        }
        return pairs.map { pair in
            Neighbour(index: UInt32(pair.other), common: UInt32(pair.common), score: Float(pair.score / divisor))
        }
    }

    /// The pairs that a row keeps, best first.
    private func pairs(ofRow source: Int) -> [Pair] {
        let mine = Set(matrix.row(source))
        guard mine.count >= parameters.minimumEntries else { return [] }
        var found: [Pair] = []
        for other in 0..<matrix.rowCount where other != source {
            guard matrix.size(ofRow: other) >= parameters.minimumEntries else { continue }
            let pair = Pair(mine, other: other, self)
            if pair.common >= parameters.minimumCommon { found.append(pair) }
        }
        found.sort { $0.precedes($1, parameters.measure) }
        return Array(found.prefix(limits[mine.count] ?? parameters.limit))
    }

    /// The most pairs of rows by their size: C rises from 0, past each number at which some limit rises by one, as long
    /// as there are no more pairs than with one limit for all.
    package static func limits(of sizes: [Int], _ parameters: SimilarityParameters) -> [Int: Int] {
        guard case .modified(let formula) = parameters.measure, formula.limitExponent > 0 else { return [:] }
        let counts = Dictionary(sizes.map { ($0, 1) }, uniquingKeysWith: +)
        let most = sizes.count - 1
        var limits = counts.mapValues { _ in min(1, most) }
        var room = sizes.count * (min(parameters.limit, most) - min(1, most))
        let rises = counts.keys.filter { $0 > 0 }.flatMap { size in
            stride(from: 2, through: most, by: 1).map { limit in
                (size: size, factor: (Double(limit) - 0.5) / pow(Double(size), formula.limitExponent))
            }
        }
        for rise in rises.sorted(by: { $0.factor < $1.factor }) {
            room -= counts[rise.size] ?? 0
            guard room >= 0 else { break }
            limits[rise.size, default: 0] += 1
        }
        return limits
    }

    /// Two rows, what they have in common and how alike they are.
    struct Pair {
        var other: Int
        var common: Int
        var otherSize: Int
        /// What a modified cosine orders by.
        var key = 0.0
        var score: Double

        init(_ source: Set<UInt32>, other: Int, _ problem: BruteForce) {
            let shared = problem.matrix.row(other).filter { source.contains($0) }
            let sourceSize = source.count
            self.other = other
            common = shared.count
            otherSize = problem.matrix.size(ofRow: other)
            switch problem.parameters.measure {
            case .cosine:
                score = Double(common) / (Double(sourceSize) * Double(otherSize)).squareRoot()
            case .modified(let formula):
                let sum = shared.reduce(0) { $0 + problem.weights[Int($1)] }
                key = formula.key(weightSum: sum, common: common, otherSize: otherSize)
                score = formula.score(key: key, ownSize: sourceSize)
            }
        }

        func precedes(_ that: Pair, _ measure: SimilarityParameters.Measure) -> Bool {
            switch measure {
            case .cosine:
                let mine = UInt128(common) * UInt128(common) * UInt128(that.otherSize)
                let its = UInt128(that.common) * UInt128(that.common) * UInt128(otherSize)
                return mine == its ? other < that.other : mine > its
            case .modified:
                return key == that.key ? other < that.other : key > that.key
            }
        }
    }
}
