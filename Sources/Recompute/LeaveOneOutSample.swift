import Model
import Similarity

/// A sample of users or photos, each with one of its groups left out.
///
/// The sample shows whether the other groups would find the one that is left out. The choice of users depends only on
/// their groups, not on their numbers. So the same memberships give the same sample, whatever their order of import.
struct LeaveOneOutSample: Sendable {
    struct Case: Sendable {
        /// The indexes of the other groups, ascending.
        var others: [UInt32]
        var leftOut: UInt32
        /// The columns of all candidates with these groups, ascending.
        var columns: [UInt32]
    }

    private(set) var cases: [Case] = []

    static let none = LeaveOneOutSample()

    private static let caseLimit = 2000
    /// The candidate columns for each case: many columns are in a single group only.
    private static let columnsPerCase = 4
    /// The most groups of a user: users in more groups are not typical, and take long.
    private static let groupLimit = 500
    /// The columns of a block: one number for each fits into the cache.
    private static let columnsPerBlock = 1 << 21
    /// The cases that a thread takes at a time.
    private static let casesPerPortion = 32

    private init() {}

    /// Chooses the cases of a matrix.
    ///
    /// - Parameter matrix: groups × users, or groups × photos.
    /// - Complexity: O(entries).
    init(_ matrix: BinaryMatrix, threads: Int) {
        let found = Self.candidates(in: matrix, threads: threads)
        let stride = max(1, (found.count + Self.caseLimit - 1) / Self.caseLimit)
        for (index, candidate) in found.enumerated() where index.isMultiple(of: stride) {
            // Any group would do, but a rerun must leave out the same one.
            let chosen = Int(Self.mixed(candidate.mark)) % candidate.groups.count
            var others = candidate.groups
            let leftOut = others.remove(at: chosen)
            cases.append(Case(others: others, leftOut: leftOut, columns: candidate.columns))
        }
    }

    /// The columns with one set of groups.
    private struct Candidate: Sendable {
        var mark: UInt32
        var groups: [UInt32]
        var columns: [UInt32]
    }

    /// Returns the different sets of groups of some columns, in a pseudo-random order.
    private static func candidates(in matrix: BinaryMatrix, threads: Int) -> [Candidate] {
        let blocks = stride(from: 0, to: matrix.columnCount, by: columnsPerBlock).map { first in
            ColumnBlock(matrix, first..<min(first + columnsPerBlock, matrix.columnCount))
        }
        let marks = Parallel.map(blocks.count, threads: threads) { blocks[$0].marks(mixed) }
        let usedCount = marks.reduce(0) { sum, marks in sum + marks.count { $0 != 0 } }
        let step = UInt32(max(1, usedCount / (caseLimit * columnsPerCase)))
        let chosen = Parallel.map(blocks.count, threads: threads) { number in
            let (marks, first) = (marks[number], number * columnsPerBlock)
            return blocks[number].groups(ofColumnsWhere: marks.map { $0 != 0 && $0.isMultiple(of: step) }).map {
                Candidate(mark: marks[$0.column], groups: $0.groups, columns: [UInt32(first + $0.column)])
            }
        }
        var found = chosen.joined().filter { (2...groupLimit).contains($0.groups.count) }
        found.sort { $0.mark != $1.mark ? $0.mark < $1.mark : $0.groups.lexicographicallyPrecedes($1.groups) }
        return found.reduce(into: []) { different, candidate in
            if let last = different.indices.last, different[last].groups == candidate.groups {
                different[last].columns += candidate.columns
            } else {
                different.append(candidate)
            }
        }
    }

    /// Returns a number with its bits well mixed (the finaliser of MurmurHash3; Appleby 2011).
    private static func mixed(_ number: UInt32) -> UInt32 {
        var bits = (number ^ number >> 16) &* 0x85eb_ca6b
        bits = (bits ^ bits >> 13) &* 0xc2b2_ae35
        return bits ^ bits >> 16
    }

    /// Adds up the gains of several choices over all cases.
    ///
    /// - Parameters:
    ///   - threads: the number of threads; the result does not depend on it.
    ///   - scratch: creates the memory of a thread; `gains` must restore it.
    ///   - gains: returns one gain for each choice; their number is always the same.
    /// - Returns: one sum for each choice; empty if there are no cases.
    func totalGains<Scratch>(
        threads: Int, scratch: @Sendable () -> Scratch, of gains: @Sendable (Case, inout Scratch) -> [Double]
    ) -> [Double] {
        // Added in the order of the cases, because the rounding of a sum depends on the order.
        let found = Parallel.map(
            cases.count, inPortionsOf: Self.casesPerPortion, threads: threads, state: { _ in scratch() }
        ) { memory, portion in
            cases[portion].map { gains($0, &memory) }
        }.flatMap(\.self)
        guard let first = found.first else { return [] }
        return found.dropFirst().reduce(into: first) { sums, gains in
            for (index, gain) in gains.enumerated() { sums[index] += gain }
        }
    }
}

/// A range of columns of a matrix.
private struct ColumnBlock: Sendable {
    private let matrix: BinaryMatrix
    private let columns: Range<Int>

    init(_ matrix: BinaryMatrix, _ columns: Range<Int>) {
        self.matrix = matrix
        self.columns = columns
    }

    /// Returns for each column the sum, modulo 2³², of a number for each of its rows.
    ///
    /// - Returns: one sum for each column; 0 for a column without rows.
    func marks(_ number: (UInt32) -> UInt32) -> [UInt32] {
        var sums = [UInt32](repeating: 0, count: columns.count)
        forEachRow { row, entries in
            let number = number(UInt32(row) &+ 1)
            for column in entries { sums[Int(column) - columns.lowerBound] &+= number }
        }
        return sums
    }

    /// Returns the rows of the chosen columns.
    ///
    /// - Parameter isChosen: whether each column of the block is chosen.
    /// - Returns: the columns in ascending order, counted from the first of the block, with their rows ascending.
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

    /// Returns the index of the first entry of a row that is at or after a column.
    private func place(of column: Int, in entries: ArraySlice<UInt32>) -> Int {
        entries.indices.partitioningIndex { Int(entries[$0]) >= column }
    }
}
