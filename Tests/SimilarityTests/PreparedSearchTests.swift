import Basics
import Model
@testable import Similarity
import TestSupport
import Testing

@Suite("A search that several processes share")
struct PreparedSearchTests {
    /// As another process sees it: all of it comes from the bytes of the file.
    private func reopened(_ search: PreparedSearch) throws -> PreparedSearch {
        var bytes: [UInt8] = []
        search.write { piece in unsafe piece.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) } }
        return try PreparedSearch(ByteRegion(copying: bytes))
    }

    @Test(
        "finds the lists of one process, however the rows are divided",
        arguments: NeighbourSearchTests.measures)
    func sameLists(measure: SimilarityParameters.Measure) throws {
        for seed in UInt64(0)..<24 {
            var generator = SeededGenerator(seed: seed + 500)
            let (matrix, parameters) = try NeighbourSearchTests.random(measure, seed: seed, using: &generator)
            let expected = NeighbourSearch(parameters: parameters, threads: 2).run(on: matrix)
            let path = ProcessorPath.supported.randomElement(using: &generator) ?? .portable
            for blockRows in [nil, 1, 7, 64] {
                let search = try reopened(
                    PreparedSearch(
                        matrix, parameters, threads: 2, blockRows: blockRows, identity: seed))
                #expect(search.parameters == parameters && search.identity == seed)
                var ranges = search.ranges(count: Int.random(in: 1...9, using: &generator))
                ranges.shuffle(using: &generator)
                let blocks = try ranges.map { range in
                    let found = search.pairs(
                        of: range, threads: Int.random(in: 1...2, using: &generator), path: path,
                        rowsAtOnce: Int.random(in: 1...99, using: &generator))
                    return try PairBlock(found.encoded)
                }
                #expect(
                    try search.lists(blocks, of: matrix, threads: 2) == expected,
                    "seed \(seed), blocks of \(blockRows ?? 0)")
            }
        }
    }

    @Test("ranges cover all rows, and cost about the same although one member is in every group")
    func ranges() throws {
        let rows: [[UInt32]] = (0..<UInt32(400)).map { row in
            let others: [UInt32] = (0..<row % 40).map { entry in 1 + (entry * 7 + row) % 900 }
            return Array(Set([0] + others))
        }
        let matrix = try BinaryMatrix.rows(rows, columnCount: 1000)
        let search = PreparedSearch(
            matrix, .init(minimumEntries: 1, minimumCommon: 1, limit: 9), threads: 1, blockRows: nil,
            identity: 1)
        for count in [1, 2, 10, 400, 4000] {
            let ranges = search.ranges(count: count)
            #expect(ranges.flatMap(Array.init) == Array(0..<400) && ranges.count <= count)
        }
        // The large rows come first, and cost more.
        let sizes = search.ranges(count: 8).map(\.count)
        #expect(sizes.count == 8 && sizes[0] < sizes[7])
    }

    @Test("no range costs twice as much as the one in the middle, although some groups have most members")
    func skew() throws {
        for seed in UInt64(0)..<30 {
            var generator = SeededGenerator(seed: seed)
            let rows: [[UInt32]] = (0..<300).map { row in
                let size = row < 3 ? Int.random(in: 100...4000, using: &generator) : 1 + row % 9
                return (0..<size).map { UInt32($0 * (row + 1) % 4001) }.sorted()
            }
            let search = PreparedSearch(
                try BinaryMatrix.rows(rows, columnCount: 4001), .init(minimumEntries: 1, minimumCommon: 1, limit: 9),
                threads: 1, blockRows: nil, identity: 1)
            let costs = search.costs()
            for count in [1, 2, 8, 64, 1000] {
                let ranges = search.ranges(count: count)
                #expect(ranges.flatMap(Array.init) == Array(costs.indices) && ranges.count <= count)
                let sums = ranges.map { costs[$0].reduce(0, +) }.sorted()
                #expect(sums[sums.count - 1] <= 2 * sums[sums.count / 2], "seed \(seed), \(count) ranges")
            }
        }
    }

    @Test("blocks that are missing, twice there or of another search are refused, and so are damaged files")
    func refused() throws {
        let matrix = try BinaryMatrix.random(rowCount: 60, columnCount: 90, density: 0.3, seed: 3)
        func search(_ identity: UInt64) -> PreparedSearch {
            PreparedSearch(
                matrix, .init(minimumEntries: 1, minimumCommon: 1, limit: 9), threads: 1, blockRows: 16,
                identity: identity)
        }
        let own = search(1)
        let half = own.rankCount / 2
        func block(_ search: PreparedSearch, _ range: Range<Int>) -> PairBlock {
            search.pairs(of: range, threads: 1, path: .portable)
        }
        let (first, second) = (block(own, 0..<half), block(own, half..<own.rankCount))
        let gap = Failure(.badData, "there must be exactly one block of pairs with rank \(half)")
        #expect(throws: gap) { try own.lists([first], of: matrix, threads: 1) }
        #expect(throws: gap) {
            try own.lists([first, first, second], of: matrix, threads: 1)
        }
        #expect(throws: Failure(.badData, "a block of pairs is of another search")) {
            try own.lists([first, block(search(2), half..<own.rankCount)], of: matrix, threads: 1)
        }
        let bytes = first.encoded
        for length in [0, 7, 40, 48, bytes.count - 1] {
            #expect(throws: Failure.self) { try PairBlock(Array(bytes.prefix(length))) }
        }
        var file: [UInt8] = []
        own.write { piece in unsafe piece.withUnsafeBytes { unsafe file.append(contentsOf: $0) } }
        for length in [0, 100, 200, file.count / 2, file.count - 300] {
            #expect(throws: Failure.self) {
                try PreparedSearch(ByteRegion(copying: Array(file.prefix(length))))
            }
        }
    }
}
