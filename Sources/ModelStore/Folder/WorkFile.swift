package import Basics
import Glibc
package import Model

/// A file for the work of several processes on one version.
///
/// It appears only when it is complete, and is verified by its checksum. The checksum (XXH3, eight bytes) follows the
/// content.
package enum WorkFile {
    /// Writes a file under another name, and renames it when it is complete.
    ///
    /// - Parameter body: writes the content with the function that it gets, which appends bytes.
    /// - Throws: `Failure.fileFailed`.
    package static func write(
        to path: String, _ body: ((RawSpan) throws(Failure) -> Void) throws(Failure) -> Void
    ) throws(Failure) {
        let draft = "\(path)-\(String(UInt64.random(in: .min ... .max), radix: 36)).partial"
        do throws(Failure) {
            let file = try OpenFile(draft, for: .creating)
            var end = 0
            try body { bytes throws(Failure) in
                try file.write(bytes, at: end)
                end += bytes.byteCount
            }
            let region = try ByteRegion.mapping(file)
            let checksum = unsafe region.withBytes(0..<end) { unsafe Checksum.number(of: $0) }
            try unsafe file.write([checksum.littleEndian].span.bytes, at: end)
        } catch {
            try? FileTree.remove(draft)
            throw error
        }
        try FileTree.move(draft, to: path)
    }

    /// Maps a file written by `write`.
    ///
    /// - Returns: the content, followed by the checksum.
    /// - Throws: `Failure.unavailable` if there is no file, `.corrupt` if the checksum is wrong.
    package static func open(_ path: String) throws(Failure) -> ByteRegion {
        let region = try ByteRegion.mapping(OpenFile(path, for: .reading))
        let end = region.count - 8
        guard end >= 0 else { throw Failure(.corrupt, "\(path) is cut short: make it again") }
        let checksum = unsafe region.withBytes(0..<end) { unsafe Checksum.number(of: $0) }
        let expected = unsafe region.withBytes(end..<end + 8) { unsafe $0.loadUnaligned(as: UInt64.self) }
        guard checksum == UInt64(littleEndian: expected) else {
            throw Failure(.corrupt, "\(path) differs from its checksum: make it again")
        }
        return region
    }
}
