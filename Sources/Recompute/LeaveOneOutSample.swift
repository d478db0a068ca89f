import Dispatch
import Model
import Similarity
import Synchronization

/// Some users, or photos, each with one of its groups left out, to see whether the others would find it.
///
/// A user is chosen by the groups, and not by the number that the user happens to have: the same memberships give the
/// same sample, in whatever order they were imported.
struct LeaveOneOutSample: Sendable {
    struct Case: Sendable {
        /// The other groups, ascending.
        var others: [UInt32]
        var leftOut: UInt32
    }

    private(set) var cases: [Case] = []

    static let none = LeaveOneOutSample()

    private static let caseLimit = 2000
    /// How many columns are looked at for each that is wanted: many are in a single group.
    private static let columnsPerCase = 4
    /// Users in more groups tell little of the usual ones, and take long.
    private static let groupLimit = 500
    /// Columns that are looked at together: a number for each stays in the cache.
    private static let columnsPerBlock = 1 << 21
    /// Cases that a thread takes at a time.
    private static let casesPerPortion = 32

    private init() {}

    /// - Parameter matrix: groups × users, or groups × photos.
    /// - Complexity: O(entries).
    init(_ matrix: BinaryMatrix, threads: Int) {
        let found = Self.candidates(in: matrix, threads: threads)
        let stride = max(1, (found.count + Self.caseLimit - 1) / Self.caseLimit)
        for (index, candidate) in found.enumerated() where index.isMultiple(of: stride) {
            // Any group will do, as long as a rerun leaves out the same.
            let chosen = Int(Self.mixed(candidate.mark)) % candidate.groups.count
            var others = candidate.groups
            let leftOut = others.remove(at: chosen)
            cases.append(Case(others: others, leftOut: leftOut))
        }
    }

    /// Different sets of groups of some columns, in an order that is as good as random.
    private static func candidates(in matrix: BinaryMatrix, threads: Int) -> [(mark: UInt32, groups: [UInt32])] {
        let blocks = stride(from: 0, to: matrix.columnCount, by: columnsPerBlock).map { first in
            ColumnBlock(matrix, first..<min(first + columnsPerBlock, matrix.columnCount))
        }
        let marks = concurrently(threads, count: blocks.count, scratch: {}) { number, _ in blocks[number].marks(mixed) }
        let usedCount = marks.reduce(0) { sum, marks in sum + marks.count { $0 != 0 } }
        let step = UInt32(max(1, usedCount / (caseLimit * columnsPerCase)))
        let chosen = concurrently(threads, count: blocks.count, scratch: {}) { number, _ in
            let marks = marks[number]
            return blocks[number].groups(ofColumnsWhere: marks.map { $0 != 0 && $0.isMultiple(of: step) }).map {
                (mark: marks[$0.column], groups: $0.groups)
            }
        }
        var found = chosen.joined().filter { (2...groupLimit).contains($0.groups.count) }
        found.sort { $0.mark != $1.mark ? $0.mark < $1.mark : $0.groups.lexicographicallyPrecedes($1.groups) }
        return found.indices.filter { $0 == 0 || found[$0 - 1].groups != found[$0].groups }.map { found[$0] }
    }

    /// What `body` makes of each of the numbers 0 ..< count, in their order.
    ///
    /// - Parameter scratch: memory for a thread, which `body` leaves as it found it.
    private static func concurrently<Scratch, Result: Sendable>(
        _ threads: Int, count: Int, scratch: @Sendable () -> Scratch,
        _ body: @Sendable (_ number: Int, inout Scratch) -> Result
    ) -> [Result] {
        let results = Mutex([Result?](repeating: nil, count: count))
        let next = Atomic<Int>(0)
        DispatchQueue.concurrentPerform(iterations: threads) { _ in
            var memory = scratch()
            while case let number = next.add(1, ordering: .relaxed).oldValue, number < count {
                let result = body(number, &memory)
                results.withLock { $0[number] = result }
            }
        }
        return results.withLock { $0.compactMap(\.self) }
    }

    /// The bits of a number well mixed (the end of MurmurHash3; Appleby 2011).
    private static func mixed(_ number: UInt32) -> UInt32 {
        var bits = (number ^ number >> 16) &* 0x85eb_ca6b
        bits = (bits ^ bits >> 13) &* 0xc2b2_ae35
        return bits ^ bits >> 16
    }

    /// Adds up over all cases what each of several choices gains.
    ///
    /// - Parameters:
    ///   - scratch: memory for a thread, which `gains` leaves as it found it.
    ///   - gains: one for each choice; always as many.
    /// - Returns: one sum for each choice, empty if there are no cases; the same whatever the number of threads.
    func totalGains<Scratch>(
        threads: Int, scratch: @Sendable () -> Scratch, of gains: @Sendable (Case, inout Scratch) -> [Double]
    ) -> [Double] {
        let starts = Array(stride(from: 0, to: cases.count, by: Self.casesPerPortion))
        // In the order of the cases: a rounded sum depends on it.
        let found = Self.concurrently(threads, count: starts.count, scratch: scratch) { number, memory in
            cases[starts[number]...].prefix(Self.casesPerPortion).map { gains($0, &memory) }
        }.flatMap(\.self)
        guard let first = found.first else { return [] }
        return found.dropFirst().reduce(into: first) { sums, gains in
            for (index, gain) in gains.enumerated() { sums[index] += gain }
        }
    }
}

/// Some neighbouring columns of a matrix.
private struct ColumnBlock: Sendable {
    private let matrix: BinaryMatrix
    private let columns: Range<Int>

    init(_ matrix: BinaryMatrix, _ columns: Range<Int>) {
        self.matrix = matrix
        self.columns = columns
    }

    /// By column, the sum, modulo 2³², of a number for each of its rows; 0 for a column without any.
    func marks(_ number: (UInt32) -> UInt32) -> [UInt32] {
        var sums = [UInt32](repeating: 0, count: columns.count)
        forEachRow { row, entries in
            let number = number(UInt32(row) &+ 1)
            for column in entries { sums[Int(column) - columns.lowerBound] &+= number }
        }
        return sums
    }

    /// The rows of the chosen columns, ascending, in the order of the columns, which are counted from the first one.
    func groups(ofColumnsWhere isChosen: [Bool]) -> [(column: Int, groups: [UInt32])] {
        var found: [Int: [UInt32]] = [:]
        forEachRow { row, entries in
            for column in entries where isChosen[Int(column) - columns.lowerBound] {
                found[Int(column) - columns.lowerBound, default: []].append(UInt32(row))
            }
        }
        return found.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    private func forEachRow(_ body: (_ row: Int, _ entries: ArraySlice<UInt32>) -> Void) {
        for row in 0..<matrix.rowCount {
            let entries = matrix.row(row)
            body(row, entries[place(of: columns.lowerBound, in: entries)..<place(of: columns.upperBound, in: entries)])
        }
    }

    /// Where the entries of a row begin that are in a column or a later one.
    private func place(of column: Int, in entries: ArraySlice<UInt32>) -> Int {
        entries.indices.partitioningIndex { Int(entries[$0]) >= column }
    }
}
