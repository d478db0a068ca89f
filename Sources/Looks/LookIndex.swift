package import Basics
import CFaiss
package import Model

/// A vector that resembles a query.
package struct LookNeighbour: Sendable, Equatable {
    /// The vector's row.
    package var row: Int
    /// The cosine of the vector and the query, at most about 1; an estimate if the index has codes alone.
    package var similarity: Float
}

/// The work that a search may do.
package struct LookEffort: Sendable, Equatable {
    /// The number of codes after which no further cell is searched.
    package var codes = 10_000
    /// The number of best codes that are ranked again by their vectors.
    package var reranked = 1_000

    package init() {}
}

/// An index of vectors, read in place.
///
/// Everything is checked when the index is opened, and searching it afterwards cannot fail.
@safe
package struct LookIndex: Sendable {
    let shape: LookShape
    private let region: ByteRegion
    private let ranges: [Range<Int>]

    package var dimension: Int { shape.d }
    /// The method in words, such as `128 cells, codes of 16 bytes, re-ranked`.
    package var method: String {
        guard shape.k > 0 else { return "exact" }
        let quantizer = shape.s == 1 ? "\(shape.k) cells" : "a multi-index of \(shape.k) × \(shape.k) cells"
        return "\(quantizer), codes of \(shape.m) bytes" + (shape.hasVectors ? ", re-ranked" : "")
    }

    /// Opens an index within a region, and checks every offset and number that a search depends on.
    ///
    /// - Parameters:
    ///   - region: the bytes, such as those of a model file.
    ///   - range: the bytes of the index, which begin at a multiple of 64.
    ///   - count: the number of vectors that the index must have, or nil for any.
    package init(_ region: ByteRegion, range: Range<Int>, vectors count: Int? = nil) throws(Failure) {
        guard range.lowerBound.isMultiple(of: 64), range.count >= LookShape.headerByteCount else {
            throw Failure(.badData, "it is too short for an index, or not aligned")
        }
        let header = unsafe region.withBytes(range.prefix(LookShape.headerByteCount)) { unsafe [UInt8]($0) }
        guard let shape = LookShape(header) else {
            throw Failure(.badData, "it is no index of a kind that this program knows")
        }
        let ranges = shape.ranges.map { $0.lowerBound + range.lowerBound..<$0.upperBound + range.lowerBound }
        guard ranges.last?.upperBound == range.upperBound, count ?? shape.n == shape.n else {
            throw Failure(.badData, "it has \(range.count) bytes, which are not those of \(shape.n) vectors")
        }
        (self.shape, self.region, self.ranges) = (shape, region, ranges)
        try check()
    }

    /// Opens an index that was just built.
    package init(_ bytes: [UInt8]) throws(Failure) {
        try self.init(ByteRegion(copying: bytes), range: 0..<bytes.count)
    }

    private func check() throws(Failure) {
        guard shape.k > 0 else { return }
        let isRight = unsafe with(.offsets, UInt32.self) { offsets in
            unsafe offsets[0] == 0 && Int(offsets[shape.cells]) == shape.n
                && (0..<shape.cells).allSatisfy { unsafe offsets[$0] <= offsets[$0 + 1] }
        }
        guard isRight else { throw Failure(.badData, "its cells are out of order") }
        let areRows = unsafe with(.photos, UInt32.self) { rows in unsafe rows.allSatisfy { $0 < shape.n } }
        guard areRows else { throw Failure(.badData, "a cell has a vector that does not exist") }
    }

    /// Calls `body` with the numbers of an array; an index that lacks the array has none.
    func with<Number: BitwiseCopyable, Result>(
        _ part: LookShape.Part, _ type: Number.Type, _ body: (UnsafeBufferPointer<Number>) -> Result
    ) -> Result {
        unsafe region.withBytes(ranges[part.rawValue]) { unsafe body($0.bindMemory(to: type)) }
    }

    /// Returns the vectors that resemble a query most, best first; equal ones in ascending order of the row.
    ///
    /// - Parameters:
    ///   - query: a vector of length 1 and of the index's dimension.
    ///   - limit: the greatest number of neighbours.
    ///   - effort: the work that may be done. An exact index has no use for it.
    package func nearest(to query: [Float], limit: Int, effort: LookEffort = LookEffort()) -> [LookNeighbour] {
        precondition(query.count == shape.d, "a query of \(query.count) numbers for an index of \(shape.d)")
        guard shape.n > 0, limit > 0 else { return [] }
        guard shape.k > 0 else { return reranked(nil, query, limit) }
        let wanted = shape.hasVectors ? max(limit, effort.reranked) : limit
        let found = CodeSearch(self, query).best(wanted, codes: max(effort.codes, wanted))
        guard shape.hasVectors else { return found }
        return reranked(found.map(\.row), query, limit)
    }

    /// Returns whether two vectors that are equally similar to a query are equal, as far as the index tells.
    ///
    /// An index of codes alone has no vectors to compare.
    package func areEqual(_ one: Int, _ other: Int) -> Bool {
        guard shape.hasVectors else { return true }
        let areScalesEqual = unsafe with(.scales, Float.self) { unsafe $0[one] == $0[other] }
        guard areScalesEqual else { return false }
        return unsafe with(.numbers, Int16.self) { numbers in
            let (first, second) = (one * shape.d, other * shape.d)
            return unsafe numbers[first..<first + shape.d].elementsEqual(numbers[second..<second + shape.d])
        }
    }

    /// Returns the best of some rows by their vectors, or the best of all.
    private func reranked(_ rows: [Int]?, _ query: [Float], _ limit: Int) -> [LookNeighbour] {
        var best = BestRows(limit)
        unsafe with(.scales, Float.self) { scales in
            unsafe with(.numbers, Int16.self) { numbers in
                guard let start = numbers.baseAddress else { return }
                func take(_ row: Int) {
                    let product = unsafe coterie_product(start + row * shape.d, query, shape.d)
                    unsafe best.take(row, product * scales[row])
                }
                if let rows { for row in rows { take(row) } } else { for row in 0..<shape.n { take(row) } }
            }
        }
        return best.sorted
    }
}

/// The best rows among those taken: the greatest similarity first, equal ones in ascending order of the row.
struct BestRows {
    private let limit: Int
    private var rows: [LookNeighbour] = []
    private var floor = -Float.infinity

    init(_ limit: Int) {
        self.limit = limit
        rows.reserveCapacity(2 * limit)
    }

    /// Takes a row, unless `limit` better ones were taken.
    mutating func take(_ row: Int, _ similarity: Float) {
        // A number that is not one fails the comparison.
        guard similarity >= floor else { return }
        rows.append(LookNeighbour(row: row, similarity: similarity))
        if rows.count >= 2 * limit { cut() }
    }

    private mutating func cut() {
        rows.sort(by: Self.isBetter)
        rows.removeLast(max(0, rows.count - limit))
        if rows.count == limit { floor = rows.last?.similarity ?? floor }
    }

    private static func isBetter(_ one: LookNeighbour, _ other: LookNeighbour) -> Bool {
        one.similarity != other.similarity ? one.similarity > other.similarity : one.row < other.row
    }

    /// The best rows, in order.
    var sorted: [LookNeighbour] {
        var copy = self
        copy.cut()
        return copy.rows
    }
}
