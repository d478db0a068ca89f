import Glibc
import Model

/// A file whose bytes are read where they lie, in the memory of the kernel.
///
/// The mapping keeps working after the file's name is removed. Files of versions are never written again once
/// they have their final name; a file that somebody cuts short would end the process, so nothing else is mapped.
enum MappedFile {
    /// Maps a whole file, read-only.
    static func region(of file: borrowing OpenFile) throws(StoreError) -> ByteRegion {
        let count = try file.byteCount()
        guard count > 0 else { throw StoreError(.corrupt, "\(file.path) is empty") }
        let address = unsafe mmap(nil, count, PROT_READ, MAP_SHARED, file.descriptor, 0)
        guard let address = unsafe address, unsafe address != MAP_FAILED else {
            throw .system(.unavailable, "map", file.path)
        }
        return unsafe ByteRegion(adopting: UnsafeRawBufferPointer(start: address, count: count)) { bytes in
            unsafe munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count)
        }
    }
}
