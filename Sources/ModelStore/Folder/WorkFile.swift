import Glibc
public import Model

/// A file with which several processes work on one version: whole or not there, and compared with its checksum.
///
/// After the content come eight bytes, its checksum (XXH3).
public enum WorkFile {
    /// Writes a file under another name, and gives it its own when it is whole.
    ///
    /// - Parameter body: is given a function that adds bytes.
    /// - Throws: `StoreError.writeFailed`.
    public static func write(
        to path: String, _ body: ((RawSpan) throws(StoreError) -> Void) throws(StoreError) -> Void
    ) throws(StoreError) {
        let draft = "\(path)-\(String(UInt64.random(in: .min ... .max), radix: 36)).partial"
        do throws(StoreError) {
            let file = try OpenFile(draft, for: .creating)
            var end = 0
            try body { bytes throws(StoreError) in
                try file.write(bytes, at: end)
                end += bytes.byteCount
            }
            let region = try MappedFile.region(of: file, isOwn: false)
            let checksum = unsafe region.withBytes(0..<end) { unsafe Checksum.number(of: $0) }
            try unsafe file.write([checksum.littleEndian].span.bytes, at: end)
        } catch {
            _ = unsafe unlink(draft)
            throw error
        }
        guard unsafe rename(draft, path) == 0 else { throw .system(.writeFailed, "rename", draft) }
    }

    /// Maps a file that was written.
    ///
    /// - Returns: the content and, behind it, the checksum.
    /// - Throws: `StoreError.unavailable` if it is not there, `.corrupt` if it differs from its checksum.
    public static func open(_ path: String) throws(StoreError) -> ByteRegion {
        let region = try MappedFile.region(of: OpenFile(path, for: .reading), isOwn: false)
        let end = region.count - 8
        guard end >= 0 else { throw StoreError(.corrupt, "\(path) is cut short: make it again") }
        let checksum = unsafe region.withBytes(0..<end) { unsafe Checksum.number(of: $0) }
        let expected = unsafe region.withBytes(end..<end + 8) { unsafe $0.loadUnaligned(as: UInt64.self) }
        guard checksum == UInt64(littleEndian: expected) else {
            throw StoreError(.corrupt, "\(path) differs from its checksum: make it again")
        }
        return region
    }

    /// Removes a file, if it is there.
    public static func remove(_ path: String) { _ = unsafe unlink(path) }
}
