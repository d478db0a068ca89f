import Basics
import CFaiss

/// The numbers that codes depend on, as `LookShape` lays them out.
struct Codebook: Sendable {
    let shape: LookShape
    var mean: [Float] = []
    var projection: [Float] = []
    var centroids: [Float] = []
    var rotations: [Float] = []
    /// The centroids of each byte, centroid after centroid; the file has them dimension after dimension.
    var codebooks: [Float] = []

    init(_ shape: LookShape) { self.shape = shape }

    /// Returns vectors less the mean, projected.
    func projected(_ rows: [Float]) -> [Float] {
        var centred = rows
        for place in centred.indices { centred[place] -= mean[place % shape.d] }
        let count = rows.count / shape.d
        var projected = [Float](repeating: 0, count: count * shape.w)
        unsafe coterie_multiply(centred, count, shape.d, projection, shape.w, &projected)
        return projected
    }

    /// The codebooks dimension after dimension.
    var transposedCodebooks: [Float] {
        let size = shape.dimensionOfByte
        return (0..<codebooks.count).map { place in
            let (byte, rest) = (place / (size * 256), place % (size * 256))
            return codebooks[byte * size * 256 + rest % 256 * size + rest / 256]
        }
    }
}

/// Vectors as integers of 16 bits, each vector with a factor of its own.
///
/// Bytes would be half as long. But they blur vectors of few dimensions more than codes of 16 bytes do.
enum VectorIntegers {
    private static let largest: Float = 32_767

    static func encoded(_ rows: [Float], dimension: Int) -> (scales: [Float], numbers: [Int16]) {
        var (scales, numbers) = ([Float](), [Int16]())
        numbers.reserveCapacity(rows.count)
        for start in stride(from: 0, to: rows.count, by: dimension) {
            let row = rows[start..<start + dimension]
            let largest = row.reduce(Float(0)) { max($0, abs($1)) }
            let scale = largest > 0 ? largest / Self.largest : 1
            scales.append(scale)
            for number in row {
                numbers.append(Int16(max(-Self.largest, min(Self.largest, (number / scale).rounded()))))
            }
        }
        return (scales, numbers)
    }
}

/// The calls of FAISS, with arrays.
enum Faiss {
    /// Returns `k` centroids of rows; fewer rows than `k` are repeated.
    static func centroids(_ k: Int, of rows: [Float], dimension: Int, rounds: Int) throws(Failure) -> [Float] {
        var rows = rows
        while rows.count < k * dimension { rows += rows.prefix(k * dimension - rows.count) }
        var centroids = [Float](repeating: 0, count: k * dimension)
        let result = unsafe coterie_faiss_cluster(
            rows, rows.count / dimension, dimension, k, Int32(rounds), 1234, &centroids)
        try check(result)
        return centroids
    }

    static func nearest(to rows: [Float], dimension: Int, of centroids: [Float]) throws(Failure) -> [UInt32] {
        var nearest = [UInt32](repeating: 0, count: rows.count / dimension)
        let result = unsafe coterie_faiss_assign(
            rows, nearest.count, dimension, centroids, centroids.count / dimension, &nearest)
        try check(result)
        return nearest
    }

    /// Writes a row, turned by the rotation of a cell, to the same row of another array.
    static func rotate(
        _ rows: [Float], _ row: Int, by rotations: [Float], _ cell: Int, dimension h: Int, into turned: inout [Float]
    ) {
        precondition((row + 1) * h <= min(rows.count, turned.count) && (cell + 1) * h * h <= rotations.count)
        unsafe rows.withUnsafeBufferPointer { rows in
            unsafe rotations.withUnsafeBufferPointer { rotations in
                unsafe turned.withUnsafeMutableBufferPointer { turned in
                    guard let from = rows.baseAddress, let matrix = rotations.baseAddress,
                        let to = turned.baseAddress
                    else { return }
                    unsafe coterie_rotate(from + row * h, h, matrix + cell * h * h, to + row * h)
                }
            }
        }
    }

    private static func check(_ result: Int32) throws(Failure) {
        guard result != 0 else { return }
        throw Failure(.badData, "FAISS failed: \(unsafe String(cString: coterie_faiss_problem()))")
    }
}

/// The bytes of an index while they are written.
struct LookBytes {
    private let ranges: [Range<Int>]
    private(set) var bytes: [UInt8]

    init(_ shape: LookShape) {
        ranges = shape.ranges
        bytes = shape.header
        bytes += [UInt8](repeating: 0, count: (ranges.last?.upperBound ?? 0) - bytes.count)
    }

    mutating func append(_ codebook: Codebook) {
        append(codebook.mean, as: .mean)
        append(codebook.projection, as: .projection)
        append(codebook.centroids, as: .centroids)
        append(codebook.rotations, as: .rotations)
        append(codebook.transposedCodebooks, as: .codebooks)
    }

    mutating func append<Number: BitwiseCopyable>(_ numbers: [Number], as part: LookShape.Part) {
        let range = ranges[part.rawValue]
        precondition(range.count == numbers.count * MemoryLayout<Number>.size, "\(part) has another length")
        unsafe numbers.withUnsafeBytes { source in
            unsafe bytes.withUnsafeMutableBytes { target in
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[range]).copyMemory(from: source)
            }
        }
    }
}
