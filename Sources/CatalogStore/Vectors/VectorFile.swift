import Basics
import Glibc
import Model

/// A file with the vectors of a catalog's photos, each of length 1.
///
/// ```text
/// bytes  0 ..<  8   "COVECTOR"
///        8 ..< 12   format: 1 (UInt32)
///       12 ..< 16   d, the dimension of the vectors (UInt32)
///       16 ..< 24   checksum of bytes 0 ..< 16 (XXH3, 64 bits)
///       24 ..< 64   zero
///       64 ...      slots of 8 + 4 d bytes: checksum of the numbers, then d Float32
/// ```
///
/// All numbers are little-endian. Slots are only ever added. A vector that is removed, or replaced, leaves its slot
/// behind, until the file is written anew under another name. The catalog knows the slot of each photo and the number
/// of slots; bytes after these are of an import that failed.
struct VectorFile: Sendable {
    static let headerByteCount = 64
    private static let magic = Array("COVECTOR".utf8)
    private static let format: UInt32 = 1

    let path: String
    let dimension: Int
    private let region: ByteRegion

    /// Maps a file.
    ///
    /// - Parameter space: the dimension and the number of slots that the catalog knows.
    /// - Throws: `Failure.Code.badData` if the file is missing, is another one or ends too early.
    init(_ path: String, _ space: VectorSpace) throws(Failure) {
        self.path = path
        dimension = space.dimension
        let byteCount = Self.headerByteCount + space.slots * Self.slotByteCount(space.dimension)
        do throws(Failure) {
            let file = try OpenFile(path, for: .reading)
            let found = try file.byteCount()
            guard found >= byteCount else { throw Failure(.corrupt, "it has \(found) bytes of \(byteCount)") }
            region = try .mapping(file, count: byteCount)
        } catch { throw Self.damaged(path, error.message) }
        let header = unsafe region.withBytes(0..<Self.headerByteCount) { unsafe [UInt8]($0) }
        guard header == Self.header(dimension) else { throw Self.damaged(path, "its header is another one") }
    }

    static func slotByteCount(_ dimension: Int) -> Int { 8 + 4 * dimension }

    static func header(_ dimension: Int) -> [UInt8] {
        var bytes = magic
        for number in [format, UInt32(dimension)] { bytes.append(littleEndian: number) }
        bytes += checksum(of: bytes)
        return bytes + [UInt8](repeating: 0, count: headerByteCount - bytes.count)
    }

    static func checksum(of bytes: [UInt8]) -> [UInt8] {
        var sum: [UInt8] = []
        sum.append(littleEndian: Checksum.number(of: bytes))
        return sum
    }

    /// Returns the bytes of a slot that holds a vector.
    static func slot(_ vector: [Float]) -> [UInt8] {
        let words = vector.map(\.bitPattern.littleEndian)
        let numbers = unsafe words.withUnsafeBytes { unsafe [UInt8]($0) }
        return checksum(of: numbers) + numbers
    }

    /// Returns the vector in a slot, or `nil` if the slot does not exist, or its bytes are damaged.
    func vector(in slot: Int64) -> [Float]? {
        var numbers = [Float](repeating: 0, count: dimension)
        return read(slot, into: &numbers, at: 0) ? numbers : nil
    }

    /// Returns the stored checksum of a slot, which equal vectors share, or 0 if there is no such slot.
    func checksum(in slot: Int64) -> UInt64 {
        let size = Self.slotByteCount(dimension)
        guard slot >= 0, slot < (region.count - Self.headerByteCount) / size else { return 0 }
        let start = Self.headerByteCount + Int(slot) * size
        return unsafe region.withBytes(start..<start + 8) {
            UInt64(littleEndian: unsafe $0.loadUnaligned(as: UInt64.self))
        }
    }

    /// Writes the vector in a slot to some place of an array; returns false if there is none.
    func read(_ slot: Int64, into numbers: inout [Float], at place: Int) -> Bool {
        let size = Self.slotByteCount(dimension)
        guard slot >= 0, slot < (region.count - Self.headerByteCount) / size else { return false }
        let start = Self.headerByteCount + Int(slot) * size
        return unsafe region.withBytes(start..<start + size) { bytes in
            let stored = unsafe UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
            let content = unsafe UnsafeRawBufferPointer(rebasing: bytes[8...])
            guard unsafe Checksum.number(of: content) == stored else { return false }
            for index in 0..<dimension {
                let bits = unsafe content.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)
                numbers[place + index] = Float(bitPattern: UInt32(littleEndian: bits))
            }
            return true
        }
    }

    /// Writes a copy of the header and of all slots.
    func copy(to target: String) throws(Failure) {
        let writer = try FileWriter(path: target)
        for start in stride(from: 0, to: region.count, by: 1 << 20) {
            let piece = unsafe region.withBytes(start..<min(start + 1 << 20, region.count)) { unsafe [UInt8]($0) }
            try writer.write(piece)
        }
        try writer.flush()
    }

    static func damaged(_ path: String, _ finding: String) -> Failure {
        Failure(
            .badData,
            "the file of vectors \(path) is damaged: \(finding); bring it back with \"coterie restore\", or run "
                + "\"coterie import vectors\" with --replace")
    }
}

/// The facts that a catalog has about its file of vectors.
package struct VectorSpace: Sendable, Equatable {
    /// The number of the file, which grows whenever it is written anew.
    var generation: Int64
    package var dimension: Int
    /// The name of the model that made the vectors.
    package var model: String
    var slots: Int
}

/// A file of vectors that grows.
///
/// Nobody reads the new slots until the catalog knows of them.
final class VectorAppender {
    let path: String
    private let file: OpenFile
    private let dimension: Int
    private var buffer: [UInt8] = []
    private var flushedSlots: Int
    private(set) var slots: Int

    /// Opens a file for adding after the slots that the catalog knows, or creates one that has none.
    init(_ path: String, dimension: Int, slots: Int) throws(Failure) {
        (self.path, self.dimension, self.slots) = (path, dimension, slots)
        flushedSlots = slots
        file = OpenFile(owning: try slots == 0 ? PrivateFile.created(path) : PrivateFile.opened(path), path)
        if slots == 0 { try unsafe file.write(VectorFile.header(dimension).span.bytes, at: 0) }
    }

    /// Adds a vector, and returns its slot.
    func append(_ vector: [Float]) throws(Failure) -> Int64 {
        buffer += VectorFile.slot(vector)
        slots += 1
        if buffer.count >= 1 << 20 { try flush() }
        return Int64(slots - 1)
    }

    /// Makes all slots durable.
    func finish() throws(Failure) {
        try flush()
        try file.synchronize()
    }

    private func flush() throws(Failure) {
        let (bytes, offset) = (buffer, VectorFile.headerByteCount + flushedSlots * VectorFile.slotByteCount(dimension))
        try unsafe file.write(bytes.span.bytes, at: offset)
        buffer.removeAll(keepingCapacity: true)
        flushedSlots = slots
    }
}
