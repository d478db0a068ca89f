import Basics
import CommandLine
import Foundation
import Looks

/// The benchmark `coterie-bench looks`: recall and time of the index of vectors, against an exact search.
enum LookBenchmark: Benchmark {
    static let command = Command(
        "looks", summary: "Measure recall, bytes and time of the index of photos' vectors",
        discussion: """
            FILE is in the format fvecs. Without a file, vectors are made: around 1000 centres, with most of their \
            variance in few directions. All are divided by their length. The last vectors are the queries.

            "codes" is the share of queries whose nearest vector is among the first 1, 10 or 100. The codes alone \
            find these, in all cells. "search" is the same for a usual search, re-ranked by vectors as bytes. \
            "exactMilliseconds" is the time of a search that compares the query with every vector.
            """,
        arguments: [Argument("FILE", help: "A file of vectors", isOptional: true)],
        options: [
            BenchOptions.threads,
            Option("count", "N", help: "The number of vectors that are made", default: "100000"),
            Option("dimension", "D", help: "Their dimension", default: "128"),
            Option("queries", "N", help: "The number of queries", default: "200"),
        ], examples: ["coterie-bench looks --count 1000000", "coterie-bench looks mnist.fvecs --threads 2"])

    static func run(_ parsed: ParsedCommand) throws {
        let threads = try BenchOptions.threads(of: parsed)
        let count = try parsed.integer("queries", in: 1...10_000)
        let set =
            try parsed.arguments.first.map { try LookSet(fvecs: $0, queries: count) }
            ?? LookSet(
                count: try parsed.integer("count", in: 2000...100_000_000),
                dimension: try parsed.integer("dimension", in: 1...2048), queries: count)
        for bytes in [8, 16] {
            var parameters = LookParameters()
            (parameters.codeBytes, parameters.exactBytes) = (bytes, 0)
            let (index, seconds) = try Measuring.seconds {
                try LookIndex(LookIndexBuilder(set.base, parameters, threads: threads).build())
            }
            parameters.keepsVectors = false
            let codes = try LookIndex(LookIndexBuilder(set.base, parameters, threads: threads).build())
            var all = LookEffort()
            all.codes = .max
            let found = set.recall { codes.nearest(to: $0, limit: 100, effort: all).map(\.row) }
            let (searched, searchSeconds) = Measuring.seconds {
                set.recall { index.nearest(to: $0, limit: 100, effort: LookEffort()).map(\.row) }
            }
            let perQuery = searchSeconds / Double(set.queryCount) * 1000
            print(
                """
                {"method":"lopq","vectors":\(set.base.count),"dimension":\(set.base.dimension),"bytes":\(bytes),\
                "codes":\(found),"search":\(searched),"milliseconds":\(Measuring.fixed(perQuery)),\
                "exactMilliseconds":\(Measuring.fixed(set.exactMilliseconds)),\
                "buildSeconds":\(Measuring.fixed(seconds)),"peakMiB":\(Measuring.peakBytes >> 20),\
                "index":"\(index.method)"}
                """)
        }
    }
}

/// Vectors, and queries with their exact nearest vector.
private struct LookSet {
    let base: VectorArray
    private let queries: [[Float]]
    private let nearest: [Int]
    /// The time of an exact search for one query.
    let exactMilliseconds: Double

    var queryCount: Int { queries.count }

    /// Reads vectors; the last ones are the queries.
    init(fvecs path: String, queries: Int) throws {
        guard let bytes = FileManager.default.contents(atPath: path), bytes.count >= 4 else {
            throw Failure(.badData, "cannot read \(path)")
        }
        func number(_ at: Int) -> UInt32 { (0..<4).reduce(0) { $0 | UInt32(bytes[at + $1]) << (8 * UInt32($1)) } }
        let dimension = Int(number(0))
        guard (1...2048).contains(dimension), bytes.count.isMultiple(of: 4 + 4 * dimension) else {
            throw Failure(.badData, "\(path) is no fvecs")
        }
        var rows: [[Float]] = []
        for start in stride(from: 0, to: bytes.count, by: 4 + 4 * dimension) {
            let row = (0..<dimension).map { Float(bitPattern: number(start + 4 + 4 * $0)) }
            if let unit = UnitVector.of(row) { rows.append(unit) }
        }
        guard rows.count > queries else { throw Failure(.badData, "\(path) has only \(rows.count) vectors") }
        self.init(rows.dropLast(queries).flatMap(\.self), Array(rows.suffix(queries)), dimension)
    }

    /// Makes vectors around 1000 centres.
    init(count: Int, dimension: Int, queries: Int) {
        var state: UInt64 = 42
        func uniform() -> Float {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Float(state >> 40) / Float(1 << 23) - 1
        }
        let centres = (0..<1000 * dimension).map { place in uniform() / Float(1 + place % dimension / 16) }
        var (numbers, last) = ([Float](), [[Float]]())
        numbers.reserveCapacity(count * dimension)
        for row in 0..<count + queries {
            let centre = Int(state >> 33) % 1000
            let vector = (0..<dimension).map { place in
                centres[centre * dimension + place] + uniform() / Float(1 + place / 16)
            }
            let unit = UnitVector.of(vector) ?? vector
            if row < count { numbers += unit } else { last.append(unit) }
        }
        self.init(numbers, last, dimension)
    }

    private init(_ numbers: [Float], _ queries: [[Float]], _ dimension: Int) {
        base = VectorArray(numbers, dimension: dimension)
        self.queries = queries
        let count = numbers.count / dimension
        let (exact, seconds) = Measuring.seconds {
            queries.map { query in
                var (best, place) = (-Float.infinity, 0)
                for row in 0..<count {
                    var sum: Float = 0
                    for index in 0..<dimension { sum += query[index] * numbers[row * dimension + index] }
                    if sum > best { (best, place) = (sum, row) }
                }
                return place
            }
        }
        (nearest, exactMilliseconds) = (exact, seconds / Double(queries.count) * 1000)
    }

    /// Returns the share of the queries whose nearest vector is among the first 1, 10 and 100 of a search.
    func recall(_ search: ([Float]) -> [Int]) -> [Double] {
        let places = zip(queries, nearest).map { query, nearest in search(query).firstIndex(of: nearest) ?? .max }
        return [1, 10, 100].map { limit in
            Measuring.rounded(Double(places.count { $0 < limit }) / Double(places.count))
        }
    }
}
