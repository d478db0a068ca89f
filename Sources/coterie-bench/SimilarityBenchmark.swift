import Glibc
import Similarity
import SparseMatrix

/// `coterie-bench similarity`: times the exact neighbours of every row of a matrix in raw arrays.
enum SimilarityBenchmark {
    static let name = "similarity"

    static let usage = """
        usage: coterie-bench similarity PREFIX [--threads N] [--out FILE] [--measure cosine|modified]
                 [--a A] [--p P] [--q Q] [--h H] [--r R]
               PREFIX.indptr and PREFIX.indices: little-endian row offsets (int64) and columns (int32).
               Rows with at least 5 entries, pairs with at least 3 in common, 100 neighbours.
               FILE: int32 rows (-1 where there is none), int32 common entries, float64 scores, each rows x 100.
        """

    static func run(_ arguments: [String]) throws(BenchError) {
        let options = try SimilarityOptions(arguments)
        let start = ContinuousClock.now
        let matrix = try RawArrays.matrix(prefix: options.prefix)
        let read = ContinuousClock.now
        let search = NeighbourSearch(parameters: options.parameters, threads: options.threads)
        let lists = search.run(on: matrix)
        let searched = ContinuousClock.now
        if let path = options.outputPath { try write(lists, limit: options.parameters.limit, to: path) }
        let report = SimilarityReport(
            rows: matrix.rowCount, columns: matrix.columnCount, entries: matrix.entryCount,
            neighbours: lists.neighbours.count, threads: options.threads, readSeconds: seconds(read - start),
            seconds: seconds(searched - read))
        print(report.line)
        print(report.json)
    }

    static func seconds(_ duration: Duration) -> Double { duration / .seconds(1) }

    /// Writes the three arrays that compare.py reads.
    static func write(_ lists: NeighbourLists, limit: Int, to path: String) throws(BenchError) {
        guard let file = unsafe fopen(path, "wb") else {
            throw .data("cannot write \(path): \(RawArrays.lastError())")
        }
        let rowCount = lists.offsets.count - 1
        func column<Element: BitwiseCopyable>(_ blank: Element, _ value: (Neighbour) -> Element) -> Bool {
            for row in 0..<rowCount {
                let list = lists.list(ofRow: row)
                let padding = [Element](repeating: blank, count: limit - list.count)
                guard unsafe RawArrays.write(list.map(value) + padding, to: file) else { return false }
            }
            return true
        }
        let written =
            column(Int32(-1)) { Int32(bitPattern: $0.index) } && column(Int32(0)) { Int32(bitPattern: $0.common) }
            && column(0.0) { Double($0.score) }
        guard unsafe fclose(file) == 0, written else { throw .data("cannot write \(path): \(RawArrays.lastError())") }
    }
}
