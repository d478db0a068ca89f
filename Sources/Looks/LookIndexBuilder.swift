package import Basics
import CFaiss
import Model
import Synchronization

/// Builds an index of vectors: locally optimized product quantization.
///
/// The vectors are projected on their principal components, and each part of them is quantized by k-means. The rest
/// beside the centroid is turned by a rotation of the cell, and its parts are quantized again, a byte each. The method
/// is that of Kalantidis and Avrithis, "Locally Optimized Product Quantization for Approximate Nearest Neighbor Search"
/// (CVPR 2014). FAISS finds the centroids.
///
/// The same vectors give the same bytes, for any number of threads.
package struct LookIndexBuilder: Sendable {
    /// The number of vectors that covariances of all dimensions are computed from.
    private static let covarianceCount = 16_384
    /// The number of vectors that are encoded at a time.
    private static let blockCount = 4096
    private static let coarseRounds = 20
    private static let fineRounds = 16

    let rows: any VectorRows
    let shape: LookShape
    private let parameters: LookParameters
    private let threads: Int
    private let progress: @Sendable (_ encoded: Int) -> Void

    /// Prepares to build an index.
    ///
    /// - Parameters:
    ///   - rows: the vectors, each of length 1.
    ///   - progress: a function that receives the number of encoded vectors, from any thread.
    package init(
        _ rows: any VectorRows, _ parameters: LookParameters = LookParameters(), threads: Int,
        progress: @escaping @Sendable (_ encoded: Int) -> Void = { _ in }
    ) {
        self.rows = rows
        self.parameters = parameters
        self.threads = threads
        self.progress = progress
        shape = LookShape(count: rows.count, dimension: rows.dimension, parameters)
    }

    /// Returns the bytes of the index.
    ///
    /// - Throws: `Failure.Code.badData` if there are too many vectors, or if FAISS fails.
    package func build() throws(Failure) -> [UInt8] {
        guard LookShape.dimensions.contains(shape.d), shape.n <= Int(UInt32.max) else {
            throw Failure(.badData, "\(shape.n) vectors of \(shape.d) numbers are too many for an index")
        }
        let codebook = shape.k > 0 ? try learn() : Codebook(shape)
        return try write(codebook)
    }

    /// Returns the number of cells of similar vectors, and the cell of each vector.
    ///
    /// A cell is the vectors that are nearest to one of √n centroids, 8 to 256, which k-means finds.
    ///
    /// - Throws: `Failure.Code.badData` if FAISS fails.
    package func cells() throws(Failure) -> (count: Int, ofRow: [UInt32]) {
        let count = min(max(Int(Double(shape.n).squareRoot()), 8), 256)
        let centroids = try Faiss.centroids(
            count, of: sample(64 * count), dimension: shape.d, rounds: Self.coarseRounds)
        let nearest = try Parallel.map(blockTotal, threads: threads) { index throws(Failure) in
            let block = block(index)
            var numbers = [Float](repeating: 0, count: block.count * shape.d)
            rows.read(block, into: &numbers)
            return try Faiss.nearest(to: numbers, dimension: shape.d, of: centroids)
        }
        return (count, nearest.flatMap(\.self))
    }

    // MARK: - Learning

    /// Learns everything that codes depend on from a sample of the vectors.
    private func learn() throws(Failure) -> Codebook {
        let (d, w, s, k, h) = (shape.d, shape.w, shape.s, shape.k, shape.h)
        var codebook = Codebook(shape)
        let wide = sample(Self.covarianceCount)
        codebook.mean = Self.mean(of: wide, dimension: d)
        codebook.projection = Rotation.balanced(
            covariance(of: wide, dimension: d, mean: codebook.mean), size: d, width: w, buckets: s)
        let sampled = projectedSample(codebook)
        let count = sampled.count / w
        var turned: [[Float]] = []
        let parts = (0..<s).map { part in Self.columns(part * h..<(part + 1) * h, of: sampled, width: w) }
        let centroids = try Parallel.map(s, threads: threads) { part throws(Failure) in
            try Faiss.centroids(k, of: parts[part], dimension: h, rounds: Self.coarseRounds)
        }
        codebook.centroids = centroids.flatMap(\.self)
        for (part, numbers) in parts.enumerated() {
            let nearest = try Faiss.nearest(to: numbers, dimension: h, of: centroids[part])
            var rests = numbers
            for row in 0..<count {
                for t in 0..<h { rests[row * h + t] -= centroids[part][Int(nearest[row]) * h + t] }
            }
            let rotations = try localRotations(rests, nearest)
            codebook.rotations += rotations
            turned.append(Self.turned(rests, nearest, by: rotations, dimension: h))
        }
        let (size, rests) = (shape.dimensionOfByte, turned)
        codebook.codebooks = try Parallel.map(shape.m, threads: threads) { byte throws(Failure) in
            let first = byte % shape.bytesOfPart * size
            let numbers = Self.columns(first..<first + size, of: rests[byte / shape.bytesOfPart], width: h)
            return try Faiss.centroids(256, of: numbers, dimension: size, rounds: Self.fineRounds)
        }.flatMap(\.self)
        return codebook
    }

    /// Returns vectors at equal distances among all.
    private func sample(_ limit: Int) -> [Float] {
        let count = min(limit, shape.n)
        var (sample, row) = ([Float](), [Float](repeating: 0, count: shape.d))
        sample.reserveCapacity(count * shape.d)
        for place in 0..<count {
            let index = place * shape.n / count
            rows.read(index..<index + 1, into: &row)
            sample += row
        }
        return sample
    }

    private func projectedSample(_ codebook: Codebook) -> [Float] {
        let count = min(max(parameters.sampleCount, 64 * shape.k), shape.n)
        var (projected, row) = ([Float](), [Float](repeating: 0, count: shape.d))
        projected.reserveCapacity(count * shape.w)
        for place in 0..<count {
            let index = place * shape.n / count
            rows.read(index..<index + 1, into: &row)
            projected += codebook.projected(row)
        }
        return projected
    }

    private static func mean(of rows: [Float], dimension: Int) -> [Float] {
        var sums = [Double](repeating: 0, count: dimension)
        for (place, number) in rows.enumerated() { sums[place % dimension] += Double(number) }
        return sums.map { Float($0 / Double(max(rows.count / dimension, 1))) }
    }

    /// Returns the covariance of rows about a mean; each thread adds up some of its rows.
    private func covariance(of rows: [Float], dimension: Int, mean: [Float]) -> [Double] {
        var centred = rows
        for place in centred.indices { centred[place] -= mean[place % dimension] }
        let count = rows.count / dimension
        let (numbers, parts) = (centred, min(threads, dimension))
        let strips = Parallel.map(parts, threads: threads) { part in
            let strip = part * dimension / parts..<(part + 1) * dimension / parts
            var products = [Double](repeating: 0, count: dimension * dimension)
            unsafe coterie_add_products(numbers, count, dimension, strip.lowerBound, strip.upperBound, &products)
            return Array(products[strip.lowerBound * dimension..<strip.upperBound * dimension])
        }
        return strips.flatMap(\.self).map { $0 / Double(max(count, 1)) }
    }

    /// Returns the rotation of each cell of a part, column after column.
    ///
    /// A cell with few vectors has a covariance of its own that says little. The covariance of all is therefore added
    /// as if it came from as many vectors as there are dimensions.
    private func localRotations(_ rests: [Float], _ nearest: [UInt32]) throws(Failure) -> [Float] {
        let (h, k, buckets) = (shape.h, shape.k, shape.bytesOfPart)
        let all = covariance(of: rests, dimension: h, mean: [Float](repeating: 0, count: h))
        var cells = [[Int]](repeating: [], count: k)
        for (row, cell) in nearest.enumerated() { cells[Int(cell)].append(row) }
        let members = cells
        return Parallel.map(k, threads: threads) { cell in
            var numbers: [Float] = []
            for row in members[cell] { numbers += rests[row * h..<(row + 1) * h] }
            var products = all.map { $0 * Double(h) }
            unsafe coterie_add_products(numbers, members[cell].count, h, 0, h, &products)
            let rotation = Rotation.balanced(products, size: h, width: h, buckets: buckets)
            // Columns, because vectors are turned dimension by dimension.
            return (0..<h * h).map { rotation[$0 % h * h + $0 / h] }
        }.flatMap(\.self)
    }

    private static func turned(_ rests: [Float], _ nearest: [UInt32], by rotations: [Float], dimension h: Int)
        -> [Float]
    {
        var turned = rests
        for (row, cell) in nearest.enumerated() {
            Faiss.rotate(rests, row, by: rotations, Int(cell), dimension: h, into: &turned)
        }
        return turned
    }

    private static func columns(_ columns: Range<Int>, of rows: [Float], width: Int) -> [Float] {
        var numbers: [Float] = []
        numbers.reserveCapacity(rows.count / width * columns.count)
        for start in stride(from: 0, to: rows.count, by: width) {
            numbers += rows[start + columns.lowerBound..<start + columns.upperBound]
        }
        return numbers
    }

    // MARK: - Encoding

    /// The codes of some vectors.
    private struct Block {
        var cells: [UInt32] = []
        var codes: [UInt8] = []
        var scales: [Float] = []
        var numbers: [Int16] = []
    }

    /// Encodes all vectors, and returns the index.
    private func write(_ codebook: Codebook) throws(Failure) -> [UInt8] {
        let done = Atomic<Int>(0)
        let blocks = try Parallel.map(blockTotal, threads: threads) { index throws(Failure) in
            let block = block(index)
            let encoded = try encode(block, codebook)
            progress(done.add(block.count, ordering: .relaxed).newValue)
            return encoded
        }
        var index = LookBytes(shape)
        if shape.k > 0 {
            index.append(codebook)
            let order = CellOrder(blocks.flatMap(\.cells), cells: shape.cells)
            index.append(order.offsets, as: .offsets)
            index.append(order.rows, as: .photos)
            let codes = order.rows.flatMap { row in
                let start = Int(row) % Self.blockCount * shape.m
                return blocks[Int(row) / Self.blockCount].codes[start..<start + shape.m]
            }
            index.append(codes, as: .codes)
        }
        if shape.hasVectors {
            index.append(blocks.flatMap(\.scales), as: .scales)
            index.append(blocks.flatMap(\.numbers), as: .numbers)
        }
        return index.bytes
    }

    private func encode(_ range: Range<Int>, _ codebook: Codebook) throws(Failure) -> Block {
        let (d, w, h) = (shape.d, shape.w, shape.h)
        var numbers = [Float](repeating: 0, count: range.count * d)
        rows.read(range, into: &numbers)
        var block = Block()
        if shape.hasVectors { (block.scales, block.numbers) = VectorIntegers.encoded(numbers, dimension: d) }
        guard shape.k > 0 else { return block }
        let projected = codebook.projected(numbers)
        block.cells = [UInt32](repeating: 0, count: range.count)
        block.codes = [UInt8](repeating: 0, count: range.count * shape.m)
        for part in 0..<shape.s {
            var rests = Self.columns(part * h..<(part + 1) * h, of: projected, width: w)
            let centroids = Array(codebook.centroids[part * shape.k * h..<(part + 1) * shape.k * h])
            let rotations = Array(codebook.rotations[part * shape.k * h * h..<(part + 1) * shape.k * h * h])
            let nearest = try Faiss.nearest(to: rests, dimension: h, of: centroids)
            for row in nearest.indices {
                block.cells[row] = block.cells[row] * UInt32(shape.k) + nearest[row]
                for t in 0..<h { rests[row * h + t] -= centroids[Int(nearest[row]) * h + t] }
            }
            let turned = Self.turned(rests, nearest, by: rotations, dimension: h)
            for byte in 0..<shape.bytesOfPart {
                let size = shape.dimensionOfByte
                let place = part * shape.bytesOfPart + byte
                let codes = try Faiss.nearest(
                    to: Self.columns(byte * size..<(byte + 1) * size, of: turned, width: h), dimension: size,
                    of: Array(codebook.codebooks[place * size * 256..<(place + 1) * size * 256]))
                for (row, code) in codes.enumerated() { block.codes[row * shape.m + place] = UInt8(code) }
            }
        }
        return block
    }

    /// The number of blocks of all vectors.
    private var blockTotal: Int { (shape.n + Self.blockCount - 1) / Self.blockCount }

    private func block(_ index: Int) -> Range<Int> {
        index * Self.blockCount..<min((index + 1) * Self.blockCount, shape.n)
    }
}

/// The places of vectors sorted by cell; those of one cell in ascending order.
private struct CellOrder {
    /// The first place of each cell, and the number of vectors.
    let offsets: [UInt32]
    /// The vector at each place.
    let rows: [UInt32]

    init(_ cellOfRow: [UInt32], cells: Int) {
        var offsets = [UInt32](repeating: 0, count: cells + 1)
        for cell in cellOfRow { offsets[Int(cell) + 1] += 1 }
        for cell in 0..<cells { offsets[cell + 1] += offsets[cell] }
        self.offsets = offsets
        var (next, rows) = (offsets, [UInt32](repeating: 0, count: cellOfRow.count))
        for (row, cell) in cellOfRow.enumerated() {
            rows[Int(next[Int(cell)])] = UInt32(row)
            next[Int(cell)] += 1
        }
        self.rows = rows
    }
}
