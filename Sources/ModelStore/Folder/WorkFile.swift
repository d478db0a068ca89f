package import Basics
import Glibc
package import Model

/// Operations on names in the file system.
enum FileTree {
    /// Creates a directory and its missing parents; an existing one is left as it is.
    static func makeDirectory(_ path: String) throws(Failure) {
        guard PrivateFile.makeFolder(path, mode: 0o755) else {
            throw .system(.fileFailed, "make the directory", path)
        }
    }

    /// Returns the names in a directory, in no order; none if there is no such directory.
    static func names(in path: String) throws(Failure) -> [String] {
        guard let stream = unsafe opendir(path) else {
            if errno == ENOENT { return [] }
            throw .system(.unavailable, "list", path)
        }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = unsafe readdir(stream) else { break }
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe String(cString: UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self))
            }
            if name != "." && name != ".." { names.append(name) }
        }
        guard errno == 0 else { throw .system(.unavailable, "list", path) }
        return names
    }

    /// Whether a path exists.
    static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    /// Returns the time of the last write to a file, in Unix milliseconds, or `nil` if there is no file.
    static func changeTimeMilliseconds(of path: String) -> Int64? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        return Int64(status.st_mtim.tv_sec) * 1000 + Int64(status.st_mtim.tv_nsec) / 1_000_000
    }

    /// Renames a file or directory; within one file system this is atomic.
    static func move(_ old: String, to new: String) throws(Failure) {
        guard unsafe rename(old, new) == 0 else { throw .system(.fileFailed, "move \(old) to", new) }
    }

    /// Removes a file, if it exists.
    static func remove(_ path: String) throws(Failure) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw .system(.fileFailed, "remove", path) }
    }

    /// Removes a directory that has only plain files, with its files, if it exists.
    static func removeDirectory(_ path: String) throws(Failure) {
        for name in try names(in: path) { try remove(path + "/" + name) }
        guard unsafe rmdir(path) == 0 || errno == ENOENT else { throw .system(.fileFailed, "remove", path) }
    }

    /// Makes the list of a directory durable.
    static func synchronizeDirectory(_ path: String, _ durability: Durability) throws(Failure) {
        guard durability == .powerLoss else { return }
        try OpenFile(path, for: .directory).synchronize()
    }

    /// Returns the content of a file, or `nil` if there is no file.
    static func content(of path: String, limit: Int) throws(Failure) -> [UInt8]? {
        guard exists(path) || errno != ENOENT else { return nil }
        let file = try OpenFile(path, for: .reading)
        let count = try file.byteCount()
        guard count <= limit else { throw Failure(.corrupt, "\(path) has \(count) bytes, more than \(limit)") }
        return try file.bytes(count: count)
    }

    /// Writes a new file and makes its content durable; the name is durable after its directory is.
    static func create(_ path: String, content: [UInt8], _ durability: Durability) throws(Failure) {
        let file = try OpenFile(path, for: .creating)
        try unsafe file.write(content.span.bytes, at: 0)
        if durability == .powerLoss { try file.synchronize() }
    }
}

/// The events that written files must survive.
enum Durability {
    /// A loss of power, because published versions exist nowhere else.
    case powerLoss
    /// The end of the process: cached versions need not wait for the disk.
    ///
    /// They can be fetched again, and are verified by their checksums before use.
    case processEnd
}

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
            let region = try MappedFile.region(of: file, isOwn: false)
            let checksum = unsafe region.withBytes(0..<end) { unsafe Checksum.number(of: $0) }
            try unsafe file.write([checksum.littleEndian].span.bytes, at: end)
        } catch {
            _ = unsafe unlink(draft)
            throw error
        }
        guard unsafe rename(draft, path) == 0 else { throw .system(.fileFailed, "rename", draft) }
    }

    /// Maps a file written by `write`.
    ///
    /// - Returns: the content, followed by the checksum.
    /// - Throws: `Failure.unavailable` if there is no file, `.corrupt` if the checksum is wrong.
    package static func open(_ path: String) throws(Failure) -> ByteRegion {
        let region = try MappedFile.region(of: OpenFile(path, for: .reading), isOwn: false)
        let end = region.count - 8
        guard end >= 0 else { throw Failure(.corrupt, "\(path) is cut short: make it again") }
        let checksum = unsafe region.withBytes(0..<end) { unsafe Checksum.number(of: $0) }
        let expected = unsafe region.withBytes(end..<end + 8) { unsafe $0.loadUnaligned(as: UInt64.self) }
        guard checksum == UInt64(littleEndian: expected) else {
            throw Failure(.corrupt, "\(path) differs from its checksum: make it again")
        }
        return region
    }

    /// Removes a file, if it exists.
    package static func remove(_ path: String) { _ = unsafe unlink(path) }
}
