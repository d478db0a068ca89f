import Glibc
import Similarity

/// The pairs that one group keeps, in bands of ranks.
struct KeptPairs: Sendable {
    var groups: [UInt32] = []
    var logarithms: [Float] = []
    /// Σ d^-a over the common entries.
    var weights: [Float] = []
}

/// Counts what a group has in common with all others, and keeps the best pairs.
struct PairFinder: Sendable {
    private let matrix: BinaryMatrix
    private let byEntry: BinaryMatrix
    private let limit: Int
    private let shrinkage: Float
    /// d^-a of every entry.
    private let weights: [Float]
    /// n^-e of every group.
    private let factors: [Float]
    /// Σ d^-a over the entries of every group.
    let masses: [Float]

    init(_ matrix: BinaryMatrix, _ byEntry: BinaryMatrix, _ choice: PairChoice, keptPart: Double, limit: Int) {
        self.matrix = matrix
        self.byEntry = byEntry
        self.limit = limit
        shrinkage = Float(choice.shrinkage * keptPart)
        weights = (0..<byEntry.rowCount).map {
            powf(Float(max(1, byEntry.size(ofRow: $0))), -Float(choice.degreeDiscount))
        }
        let weights = weights
        masses = (0..<matrix.rowCount).map { matrix.row($0).reduce(0) { $0 + weights[Int($1)] } }
        factors = (0..<matrix.rowCount).map {
            powf(Float(max(1, matrix.size(ofRow: $0))), -Float(choice.otherExponent))
        }
    }

    /// The best pairs of a group; the first ones of `PairLists.limits` are the best so many, in no order.
    func pairs(of group: Int, _ counters: inout PairCounters) -> KeptPairs {
        for position in matrix.rowOffsets[group]..<matrix.rowOffsets[group + 1] {
            let entry = Int(matrix.columnIndices[position])
            let weight = weights[entry]
            for place in byEntry.rowOffsets[entry]..<byEntry.rowOffsets[entry + 1] {
                counters.add(weight, to: byEntry.columnIndices[place])
            }
        }
        var found = counters.take(without: UInt32(group)) { other, common, sum in
            sum * factors[other] * (common / (common + shrinkage))
        }
        var end = found.count
        for limit in PairLists.limits.reversed() where limit <= self.limit && limit < end {
            found.moveBest(limit, ofFirst: end)
            end = limit
        }
        let kept = found.prefix(limit)
        return KeptPairs(
            groups: kept.map(\.group), logarithms: kept.map { logf($0.key) }, weights: kept.map(\.weight))
    }
}

/// What a group has in common with every other one, 0 between groups.
struct PairCounters {
    private var sums: [(common: Float, weight: Float)]
    private var touched: [UInt32] = []

    init(groupCount: Int) { sums = [(common: Float, weight: Float)](repeating: (0, 0), count: groupCount) }

    @inline(__always)
    mutating func add(_ weight: Float, to group: UInt32) {
        let before = sums[Int(group)]
        if before.common == 0 { touched.append(group) }
        sums[Int(group)] = (before.common + 1, before.weight + weight)
    }

    /// The groups with something in common, but for the group itself.
    mutating func take(
        without own: UInt32, key: (_ group: Int, _ common: Float, _ weight: Float) -> Float
    ) -> [RankedGroup] {
        var found: [RankedGroup] = []
        found.reserveCapacity(touched.count)
        for group in touched {
            let sum = sums[Int(group)]
            sums[Int(group)] = (0, 0)
            if group != own {
                let key = key(Int(group), sum.common, sum.weight)
                found.append(RankedGroup(key: key, group: group, weight: sum.weight))
            }
        }
        touched.removeAll(keepingCapacity: true)
        return found
    }
}

/// A group by a key: greater keys first, equal ones in ascending order of the group.
struct RankedGroup {
    var key: Float
    var group: UInt32
    /// Not a part of the order.
    var weight: Float

    @inline(__always)
    func precedes(_ other: RankedGroup) -> Bool { key != other.key ? key > other.key : group < other.group }
}

extension [RankedGroup] {
    /// Moves the best `count` of the first `end` to the front, in no order (quickselect; Hoare 1961).
    fileprivate mutating func moveBest(_ count: Int, ofFirst end: Int) {
        var (low, high) = (0, end - 1)
        while low < high {
            let pivot = self[(low + high) / 2]
            var (left, right) = (low, high)
            while left <= right {
                while self[left].precedes(pivot) { left += 1 }
                while pivot.precedes(self[right]) { right -= 1 }
                guard left <= right else { break }
                swapAt(left, right)
                left += 1
                right -= 1
            }
            if count - 1 <= right { high = right } else if count - 1 >= left { low = left } else { return }
        }
    }
}
