import Dispatch
import SparseMatrix
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
    /// Cases that a thread takes at a time.
    private static let casesPerPortion = 32

    private init() {}

    /// - Parameter matrix: groups × users, or groups × photos.
    /// - Complexity: O(entries).
    init(_ matrix: BinaryMatrix) {
        let found = Self.candidates(in: matrix)
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
    private static func candidates(in matrix: BinaryMatrix) -> [(mark: UInt32, groups: [UInt32])] {
        var (slots, marks) = chosenColumns(of: matrix)
        var groups = [[UInt32]](repeating: [], count: marks.count)
        for row in 0..<matrix.rowCount {
            for column in matrix.row(row) where slots[Int(column)] != 0 {
                groups[Int(slots[Int(column)]) - 1].append(UInt32(row))
            }
        }
        slots = []
        var found = zip(marks, groups).filter { (2...groupLimit).contains($0.1.count) }
        found.sort { $0.0 != $1.0 ? $0.0 < $1.0 : $0.1.lexicographicallyPrecedes($1.1) }
        return found.indices.lazy.filter { $0 == 0 || found[$0 - 1].1 != found[$0].1 }
            .map { (mark: found[$0].0, groups: found[$0].1) }
    }

    /// Chooses columns by their marks, which are sums of a number for each of their groups.
    ///
    /// - Returns: by column, a number from 1 for a chosen one, 0 for others; and the marks of those chosen.
    private static func chosenColumns(of matrix: BinaryMatrix) -> (slots: [UInt32], marks: [UInt32]) {
        var sums = [UInt32](repeating: 0, count: matrix.columnCount)
        for row in 0..<matrix.rowCount {
            let number = mixed(UInt32(row) &+ 1)
            for column in matrix.row(row) { sums[Int(column)] &+= number }
        }
        let usedCount = sums.count { $0 != 0 }
        let step = UInt32(max(1, usedCount / (caseLimit * columnsPerCase)))
        var marks: [UInt32] = []
        for column in sums.indices {
            let mark = sums[column]
            let isChosen = mark != 0 && mark.isMultiple(of: step)
            if isChosen { marks.append(mark) }
            sums[column] = isChosen ? UInt32(marks.count) : 0
        }
        return (sums, marks)
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
        let portions = Mutex<[Int: [[Double]]]>([:])
        let next = Atomic<Int>(0)
        DispatchQueue.concurrentPerform(iterations: threads) { _ in
            var memory = scratch()
            while case let index = next.add(1, ordering: .relaxed).oldValue, index < starts.count {
                let portion = cases[starts[index]...].prefix(Self.casesPerPortion).map { gains($0, &memory) }
                portions.withLock { $0[index] = portion }
            }
        }
        // In the order of the cases: a rounded sum depends on it.
        let found = portions.withLock { portions in starts.indices.flatMap { portions[$0] ?? [] } }
        guard let first = found.first else { return [] }
        return found.dropFirst().reduce(into: first) { sums, gains in
            for (index, gain) in gains.enumerated() { sums[index] += gain }
        }
    }
}
