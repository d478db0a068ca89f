import Basics
import Looks
import Model
import TestSupport
import Testing

/// Vectors around some centres, as those of photos are: most of their variance lies in few directions.
final class MadeVectors {
    let rows: VectorArray
    /// The rows of the exact neighbours of each query, as far as they were asked for.
    private var known: [Int: [Int]] = [:]

    init(count: Int, dimension: Int, centres: Int, seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        func normal() -> Float { Float.random(in: -1...1, using: &random) + Float.random(in: -1...1, using: &random) }
        let middles = (0..<centres).map { _ in (0..<dimension).map { _ in normal() } }
        var numbers: [Float] = []
        for row in 0..<count {
            var vector = middles[row % centres]
            for place in 0..<dimension { vector[place] += normal() * 2 / Float(1 + place / 4) }
            numbers += UnitVector.of(vector) ?? vector
        }
        rows = VectorArray(numbers, dimension: dimension)
    }

    func vector(_ row: Int) -> [Float] {
        Array(rows.numbers[row * rows.dimension..<(row + 1) * rows.dimension])
    }

    func cosine(_ one: Int, _ other: Int) -> Float {
        var sum: Float = 0
        for place in 0..<rows.dimension {
            sum += rows.numbers[one * rows.dimension + place] * rows.numbers[other * rows.dimension + place]
        }
        return sum
    }

    /// The ten rows of the greatest exact cosine to a row, best first.
    func exact(_ query: Int) -> [Int] {
        if let rows = known[query] { return rows }
        let cosines = (0..<rows.count).map { cosine(query, $0) }
        let best = Array((0..<rows.count).sorted { (cosines[$1], $0) < (cosines[$0], $1) }.prefix(10))
        known[query] = best
        return best
    }

    /// The share of the exact neighbours that an index finds, for some rows as queries.
    func recall(of index: LookIndex, effort: LookEffort = LookEffort()) -> Double {
        let queries = Array(stride(from: 7, to: rows.count, by: rows.count / 30))
        let found = queries.reduce(0) { sum, query in
            let exact = Set(exact(query))
            return sum + index.nearest(to: vector(query), limit: 10, effort: effort).count { exact.contains($0.row) }
        }
        return Double(found) / Double(10 * queries.count)
    }
}

@Suite("An index of vectors")
struct LookIndexTests {
    /// Choices that make an index with codes of some thousand vectors.
    private func coded(bytes: Int, keepsVectors: Bool, multiIndex: Bool = false) -> LookParameters {
        var parameters = LookParameters()
        (parameters.codeBytes, parameters.keepsVectors, parameters.exactBytes) = (bytes, keepsVectors, 0)
        parameters.sampleCount = 1024
        if multiIndex { parameters.multiIndexCount = 0 }
        return parameters
    }

    @Test("Few vectors are searched exactly: the same order as brute force up to the rounding of numbers")
    func exact() throws {
        let made = MadeVectors(count: 500, dimension: 40, centres: 9, seed: 1)
        let index = try LookIndex(LookIndexBuilder(made.rows, threads: 2).build())
        #expect(index.method == "exact")
        for row in stride(from: 0, to: 500, by: 61) {
            let found = index.nearest(to: made.vector(row), limit: 10)
            #expect(found.first?.row == row)
            for (mine, theirs) in zip(found, made.exact(row)) {
                #expect(abs(mine.similarity - made.cosine(row, theirs)) < 0.0001)
            }
        }
    }

    @Test("Codes find most of the neighbours, and re-ranking nearly all", arguments: [false, true])
    func recall(multiIndex: Bool) throws {
        let made = MadeVectors(count: 1500, dimension: 24, centres: 40, seed: 2)
        var recalls: [String: Double] = [:]
        for bytes in [8, 16] {
            for keeps in [false, true] {
                let parameters = coded(bytes: bytes, keepsVectors: keeps, multiIndex: multiIndex)
                let index = try LookIndex(LookIndexBuilder(made.rows, parameters, threads: 2).build())
                var effort = LookEffort()
                (effort.codes, effort.reranked) = (1000, 200)
                recalls["\(bytes)\(keeps)"] = made.recall(of: index, effort: effort)
            }
        }
        #expect(try #require(recalls["8true"]) > 0.9)
        #expect(try #require(recalls["16true"]) > 0.95)
        #expect(try #require(recalls["16false"]) > 0.6)
        #expect(try #require(recalls["16false"]) > #require(recalls["8false"]))
    }

    @Test("The same vectors give the same bytes on one, two and three threads", arguments: [false, true])
    func deterministic(multiIndex: Bool) throws {
        let made = MadeVectors(count: 9000, dimension: 8, centres: 20, seed: 3)
        let parameters = coded(bytes: 8, keepsVectors: true, multiIndex: multiIndex)
        let one = try LookIndexBuilder(made.rows, parameters, threads: 1).build()
        #expect(try LookIndexBuilder(made.rows, parameters, threads: 2).build() == one)
        #expect(try LookIndexBuilder(made.rows, parameters, threads: 3).build() == one)
    }

    @Test("Dimensions that are no multiple of the code are padded, and great ones projected", arguments: [3, 130])
    func oddDimensions(dimension: Int) throws {
        let made = MadeVectors(count: 1100, dimension: dimension, centres: 12, seed: 4)
        for multiIndex in [false, true] {
            let parameters = coded(bytes: 16, keepsVectors: true, multiIndex: multiIndex)
            let index = try LookIndex(LookIndexBuilder(made.rows, parameters, threads: 2).build())
            #expect(made.recall(of: index) > 0.9)
        }
    }

    @Test("Equal vectors, and fewer different ones than centroids, make an index")
    func degenerate() throws {
        let one = try #require(UnitVector.of([Float](repeating: 1, count: 8)))
        let other = try #require(UnitVector.of([Float](repeating: -1, count: 8)))
        let rows = VectorArray((0..<2000).flatMap { $0.isMultiple(of: 3) ? other : one }, dimension: 8)
        let bytes = try LookIndexBuilder(rows, coded(bytes: 8, keepsVectors: true), threads: 2).build()
        let found = try LookIndex(bytes).nearest(to: other, limit: 5)
        #expect(found.map(\.row) == [0, 3, 6, 9, 12])
    }

    @Test("A damaged index is refused or answers without a fault")
    func damaged() throws {
        let made = MadeVectors(count: 1200, dimension: 16, centres: 5, seed: 5)
        let bytes = try LookIndexBuilder(made.rows, coded(bytes: 8, keepsVectors: true), threads: 2).build()
        var random = SeededGenerator(seed: 6)
        for _ in 0..<100 {
            var damaged = bytes
            damaged[Int.random(in: 0..<bytes.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
            guard let index = try? LookIndex(damaged), index.dimension == 16 else { continue }
            for neighbour in index.nearest(to: made.vector(3), limit: 10) { #expect(neighbour.row < 1200) }
        }
        for length in [0, 63, 64, bytes.count - 1] {
            #expect(throws: Failure.self) { try LookIndex(Array(bytes.prefix(length))) }
        }
    }

    @Test("Re-ranking finds the nearest of close vectors of few dimensions, which codes alone confuse")
    func fewDimensions() throws {
        let made = MadeVectors(count: 4000, dimension: 4, centres: 3, seed: 9)
        let index = try LookIndex(LookIndexBuilder(made.rows, coded(bytes: 8, keepsVectors: true), threads: 2).build())
        var effort = LookEffort()
        effort.codes = 4000
        for row in stride(from: 3, to: 4000, by: 97) {
            let found = index.nearest(to: made.vector(row), limit: 2, effort: effort).map(\.row)
            let exact = Array(made.exact(row).prefix(2))
            // Two that are equally near up to the rounding of numbers may change places.
            for (mine, theirs) in zip(found, exact) {
                #expect(abs(made.cosine(row, mine) - made.cosine(row, theirs)) < 1e-5)
            }
        }
    }

    @Test("A query of examples is their mean, less half of the mean of those it should not resemble")
    func examples() throws {
        let (x, y): ([Float], [Float]) = ([1, 0], [0, 1])
        #expect(LookExamples.query(like: [x], unlike: []) == x)
        let mean = try #require(LookExamples.query(like: [x, y], unlike: []))
        #expect(abs(mean[0] - mean[1]) < 1e-6 && abs(mean[0] - Float(0.5).squareRoot()) < 1e-6)
        let away = try #require(LookExamples.query(like: [x], unlike: [y, y]))
        #expect(abs(away[1] / away[0] + 0.5) < 1e-6)
        #expect(LookExamples.query(like: [], unlike: [x]) == nil)
        #expect(LookExamples.query(like: [x, [-1, 0]], unlike: []) == nil)
    }

    @Test("A vector without a direction has none")
    func unit() {
        #expect(UnitVector.of([0, 0]) == nil)
        #expect(UnitVector.of([1, .nan]) == nil)
        #expect(UnitVector.of([.infinity, 1]) == nil)
        #expect(UnitVector.of([3, 4]) == [0.6, 0.8])
        #expect(UnitVector.of([.greatestFiniteMagnitude, 0]) == [1, 0])
        #expect(UnitVector.of([.leastNonzeroMagnitude, 0]) == [1, 0])
    }
}
