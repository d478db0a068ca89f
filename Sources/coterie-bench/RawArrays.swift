import Glibc
import SparseMatrix

/// Reads and writes little-endian arrays without a header, as numpy's `tofile` leaves them.
enum RawArrays {
    /// The matrix in `PREFIX.indptr` (64-bit row offsets) and `PREFIX.indices` (32-bit columns).
    static func matrix(prefix: String) throws(BenchError) -> BinaryMatrix {
        let offsets: [Int] = try read(prefix + ".indptr")
        let columns: [UInt32] = try read(prefix + ".indices")
        let columnCount = columns.reduce(0) { max($0, Int($1) + 1) }
        do {
            return try BinaryMatrix(columnCount: columnCount, rowOffsets: offsets, columnIndices: columns)
        } catch {
            throw .data("\(prefix).indptr and .indices are no matrix: \(error)")
        }
    }

    static func read<Element: FixedWidthInteger & BitwiseCopyable>(_ path: String) throws(BenchError) -> [Element] {
        guard let file = unsafe fopen(path, "rb") else { throw .data("cannot open \(path): \(lastError())") }
        defer { unsafe fclose(file) }
        var status = stat()
        guard unsafe fstat(fileno(file), &status) == 0 else { throw .data("cannot read \(path): \(lastError())") }
        let width = MemoryLayout<Element>.size
        let bytes = Int(status.st_size)
        guard bytes.isMultiple(of: width) else {
            throw .data("\(path) has \(bytes) bytes, which is no whole number of \(width)-byte integers")
        }
        let count = bytes / width
        let elements = unsafe [Element](unsafeUninitializedCapacity: count) { buffer, initialized in
            initialized = unsafe fread(buffer.baseAddress, width, count, file)
        }
        guard elements.count == count else { throw .data("\(path) ends early: \(lastError())") }
        return elements
    }

    static func write<Element: BitwiseCopyable>(_ elements: [Element], to file: UnsafeMutablePointer<FILE>) -> Bool {
        unsafe elements.withUnsafeBytes { bytes in
            unsafe fwrite(bytes.baseAddress, 1, bytes.count, file) == bytes.count
        }
    }

    static func lastError() -> String { unsafe String(cString: strerror(errno)) }
}
