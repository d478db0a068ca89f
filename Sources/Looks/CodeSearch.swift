import CFaiss

/// A search of one query among the codes of an index.
///
/// Cells are searched in ascending order of their distance. A multi-index has a cell for each pair of half cells. The
/// multi-sequence algorithm visits the pairs (Babenko and Lempitsky, "The Inverted Multi-Index", 2012).
struct CodeSearch {
    private let index: LookIndex
    private let shape: LookShape
    private let query: [Float]
    /// The distances of the query to the centroids of each part, ascending, and the centroids.
    private let ranked: [[(distance: Float, cell: Int)]]

    init(_ index: LookIndex, _ query: [Float]) {
        self.index = index
        shape = index.shape
        self.query = Self.projected(query, index)
        ranked = Self.ranked(self.query, index)
    }

    private static func projected(_ query: [Float], _ index: LookIndex) -> [Float] {
        let (d, w) = (index.shape.d, index.shape.w)
        let centred = unsafe index.with(.mean, Float.self) { mean in
            query.indices.map { unsafe query[$0] - mean[$0] }
        }
        return unsafe index.with(.projection, Float.self) { rows in
            (0..<w).map { row in
                var sum: Float = 0
                for t in 0..<d { unsafe sum += centred[t] * rows[row * d + t] }
                return sum
            }
        }
    }

    private static func ranked(_ query: [Float], _ index: LookIndex) -> [[(distance: Float, cell: Int)]] {
        let (h, k) = (index.shape.h, index.shape.k)
        return unsafe index.with(.centroids, Float.self) { centroids in
            (0..<index.shape.s).map { part in
                let distances = (0..<k).map { cell in
                    var sum: Float = 0
                    for t in 0..<h {
                        let difference = unsafe query[part * h + t] - centroids[(part * k + cell) * h + t]
                        sum += difference * difference
                    }
                    return (distance: sum, cell: cell)
                }
                return distances.sorted { ($0.distance, $0.cell) < ($1.distance, $1.cell) }
            }
        }
    }

    /// Returns the best rows among the codes of the nearest cells.
    ///
    /// - Parameter codes: the number of codes after which no further cell is searched.
    func best(_ limit: Int, codes: Int) -> [LookNeighbour] {
        var best = BestRows(limit)
        var tables = [[Float]?](repeating: nil, count: shape.s * shape.k)
        var sums: [Float] = []
        var searched = 0
        var order = CellOrdering(ranked)
        while searched < codes, let cell = order.next() {
            let places = places(of: cell)
            guard !places.isEmpty else { continue }
            searched += places.count
            sums.removeAll(keepingCapacity: true)
            sums.append(contentsOf: repeatElement(0, count: places.count))
            for (part, half) in cell.enumerated() {
                let table = tables[part * shape.k + half] ?? table(of: half, part)
                tables[part * shape.k + half] = table
                scan(places, part, table, &sums)
            }
            unsafe index.with(.photos, UInt32.self) { rows in
                for (offset, place) in places.enumerated() {
                    // Vectors have length 1: the cosine follows from the squared distance.
                    unsafe best.take(Int(rows[place]), 1 - sums[offset] / 2)
                }
            }
        }
        return best.sorted
    }

    private func places(of cell: [Int]) -> Range<Int> {
        let number = cell.reduce(0) { $0 * shape.k + $1 }
        return unsafe index.with(.offsets, UInt32.self) { unsafe Int($0[number])..<Int($0[number + 1]) }
    }

    private func scan(_ places: Range<Int>, _ part: Int, _ table: [Float], _ sums: inout [Float]) {
        let (m, first) = (shape.m, part * shape.bytesOfPart)
        unsafe index.with(.codes, UInt8.self) { codes in
            guard let start = codes.baseAddress else { return }
            unsafe coterie_scan_codes(
                start + places.lowerBound * m, places.count, m, first, first + shape.bytesOfPart, table, &sums)
        }
    }

    /// Returns the distances of the query to the centroids of each byte, as seen from a half cell.
    private func table(of cell: Int, _ part: Int) -> [Float] {
        let (h, size) = (shape.h, shape.dimensionOfByte)
        var rest = unsafe index.with(.centroids, Float.self) { centroids in
            (0..<h).map { unsafe query[part * h + $0] - centroids[(part * shape.k + cell) * h + $0] }
        }
        var turned = rest
        unsafe index.with(.rotations, Float.self) { rotations in
            guard let start = rotations.baseAddress else { return }
            unsafe coterie_rotate(rest, h, start + (part * shape.k + cell) * h * h, &turned)
        }
        rest = turned
        var table = [Float](repeating: 0, count: shape.bytesOfPart * 256)
        unsafe index.with(.codebooks, Float.self) { codebooks in
            unsafe table.withUnsafeMutableBufferPointer { table in
                guard let start = codebooks.baseAddress, let to = table.baseAddress else { return }
                for byte in 0..<shape.bytesOfPart {
                    let place = part * shape.bytesOfPart + byte
                    unsafe rest.withUnsafeBufferPointer { numbers in
                        guard let from = numbers.baseAddress else { return }
                        unsafe coterie_distances(
                            from + byte * size, size, start + place * size * 256, to + byte * 256)
                    }
                }
            }
        }
        return table
    }
}

/// The cells in ascending order of their distance, which is the sum of the distances of their halves.
private struct CellOrdering {
    private let ranked: [[(distance: Float, cell: Int)]]
    /// The pairs of ranks that may come next, as a heap by distance; ties by rank.
    private var heap: [(distance: Float, first: Int, second: Int)] = []
    /// The number of second ranks visited for each first rank.
    private var visited: [Int]

    init(_ ranked: [[(distance: Float, cell: Int)]]) {
        self.ranked = ranked
        visited = [Int](repeating: 0, count: ranked[0].count)
        push(0, 0)
    }

    /// Returns the halves of the next cell, or nil after the last one.
    mutating func next() -> [Int]? {
        guard let top = pop() else { return nil }
        visited[top.first] = top.second + 1
        guard ranked.count == 2 else {
            push(top.first + 1, 0)
            return [ranked[0][top.first].cell]
        }
        // A pair may follow when both its neighbours of lower rank were visited.
        if top.first + 1 < visited.count, visited[top.first + 1] == top.second { push(top.first + 1, top.second) }
        if top.first == 0 || visited[top.first - 1] > top.second + 1 { push(top.first, top.second + 1) }
        return [ranked[0][top.first].cell, ranked[1][top.second].cell]
    }

    private static func isBefore(
        _ one: (distance: Float, first: Int, second: Int), _ other: (distance: Float, first: Int, second: Int)
    ) -> Bool {
        (one.distance, one.first, one.second) < (other.distance, other.first, other.second)
    }

    private mutating func push(_ first: Int, _ second: Int) {
        guard first < ranked[0].count, ranked.count == 1 || second < ranked[1].count else { return }
        let distance = ranked[0][first].distance + (ranked.count == 2 ? ranked[1][second].distance : 0)
        heap.append((distance, first, second))
        var child = heap.count - 1
        while child > 0, Self.isBefore(heap[child], heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    private mutating func pop() -> (distance: Float, first: Int, second: Int)? {
        guard let top = heap.first, let last = heap.popLast() else { return nil }
        guard !heap.isEmpty else { return top }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if Self.isBefore(heap[child], heap[least]) { least = child }
            }
            guard least != parent else { return top }
            heap.swapAt(least, parent)
            parent = least
        }
    }
}
