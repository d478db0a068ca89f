import Basics
import Similarity
import TestSupport
import Testing

struct BinaryMatrixTests {
    @Test func orderAndRepetitionOfPairsDoNotMatter() throws {
        let matrix = try BinaryMatrix(
            rowCount: 4, columnCount: 5, pairs: [(2, 4), (0, 3), (2, 0), (0, 3), (2, 4), (0, 1), (2, 4)])
        #expect(matrix.rowOffsets == [0, 2, 2, 4, 4])
        #expect(matrix.columnIndices == [1, 3, 0, 4])
        #expect(matrix.rowCount == 4)
        #expect(matrix.columnCount == 5)
        #expect(Array(matrix.row(2)) == [0, 4])
        #expect(matrix.size(ofRow: 1) == 0)
    }

    @Test func randomPairsMakeTheMatrixOfTheirSet() throws {
        for seed in UInt64(0)..<50 {
            var generator = SeededGenerator(seed: seed)
            let rowCount = Int.random(in: 1...20, using: &generator)
            let columnCount = Int.random(in: 1...20, using: &generator)
            var expected = [Set<UInt32>](repeating: [], count: rowCount)
            var pairs: [(row: UInt32, column: UInt32)] = []
            for _ in 0..<Int.random(in: 0...300, using: &generator) {
                let row = UInt32.random(in: 0..<UInt32(rowCount), using: &generator)
                let column = UInt32.random(in: 0..<UInt32(columnCount), using: &generator)
                pairs.append((row, column))
                expected[Int(row)].insert(column)
            }
            let matrix = try BinaryMatrix(rowCount: rowCount, columnCount: columnCount, pairs: pairs)
            #expect((0..<rowCount).map { Array(matrix.row($0)) } == expected.map { $0.sorted() })
        }
    }

    @Test func emptyMatricesAreAllowed() throws {
        let nothing = try BinaryMatrix(rowCount: 0, columnCount: 0, pairs: [])
        #expect(nothing.rowOffsets == [0])
        #expect(try nothing.transposed() == nothing)
        let blank = try BinaryMatrix(rowCount: 3, columnCount: 2, pairs: [])
        #expect(try blank.transposed().rowOffsets == [0, 0, 0])
    }

    @Test func transposingTwiceGivesTheSameMatrix() throws {
        for seed in UInt64(0)..<20 {
            let matrix = try BinaryMatrix.random(rowCount: 30, columnCount: 17, density: 0.2, seed: seed)
            let transposed = try matrix.transposed()
            #expect(transposed.rowCount == 17)
            #expect(transposed.columnCount == 30)
            #expect(try transposed.transposed() == matrix)
            for column in 0..<17 {
                let rows = (0..<30).filter { matrix.row($0).contains(UInt32(column)) }
                #expect(transposed.row(column).map { Int($0) } == rows)
            }
        }
    }

    @Test func degreesCountOnlyRowsWithEnoughEntries() throws {
        let matrix = try BinaryMatrix.rows([[0, 1, 2], [0, 1], [0]], columnCount: 4)
        #expect(matrix.columnDegrees() == [3, 2, 1, 0])
        #expect(matrix.columnDegrees(ofRowsWithAtLeast: 2) == [2, 2, 1, 0])
        #expect(matrix.columnDegrees(ofRowsWithAtLeast: 4) == [0, 0, 0, 0])
    }

    @Test func invalidArraysAreRefusedWithTheFirstWrongRowOrPair() {
        #expect(throws: Failure(.badData, "the columns of row 1 are not strictly ascending")) {
            try BinaryMatrix(columnCount: 4, rowOffsets: [0, 1, 3], columnIndices: [0, 2, 2])
        }
        #expect(throws: Failure(.badData, "row 0 has a column beyond the last")) {
            try BinaryMatrix(columnCount: 4, rowOffsets: [0, 1], columnIndices: [4])
        }
        #expect(throws: Failure(.badData, "row offsets must begin at 0 and end at the number of entries")) {
            try BinaryMatrix(columnCount: 4, rowOffsets: [0, 2], columnIndices: [1])
        }
        #expect(throws: Failure(.badData, "row offsets must begin at 0 and end at the number of entries")) {
            try BinaryMatrix(columnCount: 4, rowOffsets: [], columnIndices: [])
        }
        #expect(throws: Failure(.badData, "row 1 ends before it begins")) {
            try BinaryMatrix(columnCount: 4, rowOffsets: [0, 2, 1, 3], columnIndices: [1, 2, 3])
        }
        #expect(throws: Failure(.badData, "pair 1 (from 0) has a row or column beyond the last")) {
            try BinaryMatrix(rowCount: 2, columnCount: 2, pairs: [(0, 0), (2, 1)])
        }
        #expect(throws: Failure(.badData, "a matrix of 4294967296 columns: at most 4294967295 can be indexed")) {
            try BinaryMatrix(rowCount: 1, columnCount: 1 << 32, pairs: [])
        }
        #expect(throws: Failure(.badData, "a matrix of 4294967296 rows: at most 4294967295 can be indexed")) {
            try BinaryMatrix(rowCount: 1 << 32, columnCount: 1, pairs: [])
        }
    }
}
