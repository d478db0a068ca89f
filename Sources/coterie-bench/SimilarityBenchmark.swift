import Basics
import CommandLine
import Glibc
import Model
import Similarity

/// The benchmark `coterie-bench similarity`: the time to find the exact neighbours of every row of a matrix.
enum SimilarityBenchmark: Benchmark {
    static let command = Command(
        "similarity", summary: "Time the exact neighbours of every row of a matrix",
        discussion: """
            PREFIX.indptr and PREFIX.indices hold little-endian row offsets (int64) and columns (int32). "seconds" is \
            the time of preparing, counting and choosing the best; "readSeconds" is the time of reading. "digest" is \
            that of all lists (FNV-1a, 64 bits).
            """,
        arguments: [Argument("PREFIX", help: "The path of the matrix, without its extensions")],
        options: [
            BenchOptions.threads,
            Option(
                "out", "FILE",
                help: """
                    Write int32 rows (-1 beyond the end of a list), int32 common entries and float64 scores, each \
                    rows x K. If lists are cut at the target, K is the longest list
                    """),
            Option("min-entries", "X", help: "The minimum entries of a row", default: "5"),
            Option("min-common", "Y", help: "The minimum common entries of a pair", default: "3"),
            Option("neighbours", "K", help: "The most neighbours of a row", default: "100"),
        ] + MeasureOptions.options + [ProcessorPathOption.option],
        examples: ["coterie-bench similarity M --threads 2 --out M.bin"])

    static func run(_ parsed: ParsedCommand) throws {
        let parameters = SimilarityParameters(
            minimumEntries: try parsed.integer("min-entries", in: 0...Int(UInt32.max)),
            minimumCommon: try parsed.integer("min-common", in: 1...Int(UInt32.max)),
            limit: try parsed.integer("neighbours", in: 1...10_000), measure: try MeasureOptions.measure(of: parsed))
        let search = NeighbourSearch(
            parameters: parameters, threads: try BenchOptions.threads(of: parsed),
            path: try ProcessorPathOption.path(of: parsed))
        let (matrix, readSeconds) = try Measuring.seconds { try RawArrays.matrix(prefix: parsed.arguments[0]) }
        let (lists, seconds) = Measuring.seconds { search.run(on: matrix) }
        if let path = parsed.textIfGiven("out") {
            let width = parameters.measure.cut == .source ? parameters.limit : lists.longestCount
            try write(lists, limit: width, to: path)
        }
        let (rows, columns, entries) = (matrix.rowCount, matrix.columnCount, matrix.entryCount)
        let (count, threads, path) = (lists.neighbours.count, search.threads, search.path.rawValue)
        let (reading, processor) = (Measuring.rounded(readSeconds), Measuring.rounded(Measuring.processorSeconds))
        print(
            """
            \(rows) x \(columns), \(entries) entries: \(count) neighbours in \(Measuring.rounded(seconds)) s \
            on \(threads) threads, \(path) (reading \(reading) s, processor \(processor) s, \
            peak \(Measuring.peakBytes >> 20) MiB)
            {"rows":\(rows),"columns":\(columns),"entries":\(entries),"neighbours":\(count),"threads":\(threads),\
            "readSeconds":\(reading),"seconds":\(Measuring.rounded(seconds)),"processorSeconds":\(processor),\
            "peakBytes":\(Measuring.peakBytes),"path":"\(path)","digest":"\(digest(of: lists))"}
            """)
    }

    /// Returns a digest of the neighbours, common entries and scores of all lists, then of the offsets of the lists.
    private static func digest(of lists: NeighbourTable) -> String {
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        func add(_ number: UInt64) { digest = (digest ^ number) &* 0x100_0000_01B3 }
        for neighbour in lists.neighbours {
            add(UInt64(neighbour.index))
            add(UInt64(neighbour.common))
            add(UInt64(neighbour.score.bitPattern))
        }
        for offset in lists.offsets { add(UInt64(offset)) }
        return String(digest, radix: 16)
    }

    /// Writes the three arrays one after the other, each rows × `limit`.
    static func write(_ lists: NeighbourTable, limit: Int, to path: String) throws(Failure) {
        guard let file = unsafe fopen(path, "wb") else {
            throw Failure(.badData, "cannot write \(path): \(SystemWords.lastError)")
        }
        let rowCount = lists.offsets.count - 1
        func column<Element: BitwiseCopyable>(_ blank: Element, _ value: (Neighbour) -> Element) -> Bool {
            for row in 0..<rowCount {
                let list = lists.list(of: row)
                let padding = [Element](repeating: blank, count: limit - list.count)
                guard unsafe RawArrays.write(list.map(value) + padding, to: file) else { return false }
            }
            return true
        }
        let written =
            column(Int32(-1)) { Int32(bitPattern: $0.index) } && column(Int32(0)) { Int32(bitPattern: $0.common) }
            && column(0.0) { Double($0.score) }
        guard unsafe fclose(file) == 0, written else {
            throw Failure(.badData, "cannot write \(path): \(SystemWords.lastError)")
        }
    }
}
