import Basics

/// The choices for an index of vectors.
package struct LookParameters: Sendable, Equatable {
    /// The number of bytes of a code, 8 or 16.
    package var codeBytes = 16
    /// Whether vectors are also kept, two bytes for each number, to re-rank what codes find.
    package var keepsVectors = true
    /// The largest size of vectors, in bytes, that are searched one by one, exactly, without codes.
    package var exactBytes = 16 << 20
    /// The number of vectors from which the quantizer is a multi-index.
    package var multiIndexCount = 200_000
    /// The number of vectors that codes are learned from.
    package var sampleCount = 65_536

    package init() {}
}

/// The numbers that the layout of an index follows from.
///
/// An index is a header, followed by these arrays, each at a multiple of 64 bytes. All numbers are little-endian.
///
/// ```text
/// bytes  0 ..<  8   "LOOKS\n\0\1"
///        8 ..< 36   n, d, w, s, k, m, and 1 if there are vectors (UInt32)
///       36 ..< 64   zero
/// mean        d Float32: the mean of the vectors
/// projection  w × d Float32: rows of a rotation, or of a projection
/// centroids   s × k × h Float32: the centroids of each part; h = w / s
/// rotations   s × k × h × h Float32: the rotation of each cell of a part, column after column
/// codebooks   m × (w / m) × 256 Float32: the centroids of each byte, dimension after dimension
/// offsets     cells + 1 UInt32: the first place of each cell; cells = k ^ s
/// photos      n UInt32: the vector at each place
/// codes       n × m UInt8: the code at each place
/// scales      n Float32: the factor of each vector's integers
/// numbers     n × d Int16: the vectors
/// ```
///
/// An index that is searched exactly has only the last two. An index without re-ranking lacks these.
struct LookShape: Equatable {
    /// The number of vectors.
    let n: Int
    /// The dimension of the vectors.
    let d: Int
    /// The dimension after the projection: 128 at most, padded to a multiple of `m`.
    let w: Int
    /// The number of parts that have a quantizer of their own: 1 (an inverted file) or 2 (a multi-index).
    let s: Int
    /// The number of centroids of each part; 0 without codes.
    let k: Int
    /// The number of bytes of a code.
    let m: Int
    /// Whether the index has the vectors themselves.
    let hasVectors: Bool

    static let magic: [UInt8] = Array("LOOKS\n\0\u{1}".utf8)
    static let headerByteCount = 64
    static let dimensions = VectorLimits.dimensions
    /// The largest dimension after the projection, in which local rotations are fast.
    private static let widest = 128

    /// Chooses the shape for some vectors.
    init(count: Int, dimension: Int, _ parameters: LookParameters) {
        n = count
        d = dimension
        m = parameters.codeBytes
        w = (min(dimension, Self.widest) + m - 1) / m * m
        // A codebook of 256 centroids needs at least some vectors for each.
        let isExact = count < 1024 || 2 * count * dimension <= parameters.exactBytes
        s = count >= parameters.multiIndexCount ? 2 : 1
        hasVectors = isExact || parameters.keepsVectors
        if isExact {
            k = 0
        } else if s == 1 {
            k = Self.powerOfTwo(count / 1000, in: 16...128)
        } else {
            // Some fifteen vectors for each of the k² cells.
            k = Self.powerOfTwo(Int((Double(count) / 15).squareRoot()), in: 16...1024)
        }
    }

    private static func powerOfTwo(_ number: Int, in bounds: ClosedRange<Int>) -> Int {
        var power = bounds.lowerBound
        while power * 2 <= min(number, bounds.upperBound) { power *= 2 }
        return power
    }

    /// Reads a shape from the header of an index, or returns nil if the bytes are none.
    init?(_ header: [UInt8]) {
        guard header.count == Self.headerByteCount, header.starts(with: Self.magic) else { return nil }
        var reader = ByteReader(header, at: Self.magic.count)
        guard let numbers = try? reader.integers(7, UInt32.self).map({ Int($0) }) else { return nil }
        (n, d, w, s, k, m) = (numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5])
        hasVectors = numbers[6] == 1
        guard Self.dimensions.contains(d), 1...2 ~= s, 0...1024 ~= k, m == 8 || m == 16, w > 0, w <= Self.widest,
            w.isMultiple(of: m), numbers[6] <= 1, k > 0 || hasVectors
        else { return nil }
    }

    var header: [UInt8] {
        var bytes = Self.magic
        for number in [n, d, w, s, k, m, hasVectors ? 1 : 0] { bytes.append(littleEndian: UInt32(number)) }
        return bytes + [UInt8](repeating: 0, count: Self.headerByteCount - bytes.count)
    }

    /// The dimension of a part.
    var h: Int { w / s }
    var cells: Int { k == 0 ? 0 : s == 1 ? k : k * k }
    /// The number of bytes of a code for each part.
    var bytesOfPart: Int { m / s }
    /// The dimension of a byte of a code.
    var dimensionOfByte: Int { w / m }

    /// The arrays of an index, in the order of the file.
    enum Part: Int, CaseIterable {
        case mean, projection, centroids, rotations, codebooks, offsets, photos, codes, scales, numbers
    }

    /// Returns the length of an array in bytes.
    func byteCount(of part: Part) -> Int {
        switch part {
        case .scales: return hasVectors ? n * 4 : 0
        case .numbers: return hasVectors ? n * d * 2 : 0
        default: break
        }
        guard k > 0 else { return 0 }
        switch part {
        case .mean: return d * 4
        case .projection: return w * d * 4
        case .centroids: return s * k * h * 4
        case .rotations: return s * k * h * h * 4
        case .codebooks: return w * 256 * 4
        case .offsets: return (cells + 1) * 4
        case .photos: return n * 4
        case .codes: return n * m
        case .scales, .numbers: return 0
        }
    }

    /// The range of each array in the index, in the order of `Part`.
    var ranges: [Range<Int>] {
        var end = Self.headerByteCount
        return Part.allCases.map { part in
            let start = (end + 63) / 64 * 64
            end = start + byteCount(of: part)
            return start..<end
        }
    }
}
