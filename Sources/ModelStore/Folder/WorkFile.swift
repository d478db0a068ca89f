import Glibc
public import Model

/// Operations on names in the file system.
enum FileTree {
    /// Makes a directory and those above it; one that exists is left as it is.
    static func makeDirectory(_ path: String) throws(StoreError) {
        if unsafe mkdir(path, 0o755) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
            throw .system(.writeFailed, "make the directory", path)
        }
        try makeDirectory(String(path[..<slash]))
        guard unsafe mkdir(path, 0o755) == 0 || errno == EEXIST else {
            throw .system(.writeFailed, "make the directory", path)
        }
    }

    /// The names in a directory, in no order; none if there is no such directory.
    static func names(in path: String) throws(StoreError) -> [String] {
        guard let stream = unsafe opendir(path) else {
            if errno == ENOENT { return [] }
            throw .system(.unavailable, "list", path)
        }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        errno = 0
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe String(cString: UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self))
            }
            if name != "." && name != ".." { names.append(name) }
            errno = 0
        }
        guard errno == 0 else { throw .system(.unavailable, "list", path) }
        return names
    }

    /// Whether something is there.
    static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    /// When the content of a file was written last, in Unix milliseconds; nil if there is none.
    static func changeTimeMilliseconds(of path: String) -> Int64? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        return Int64(status.st_mtim.tv_sec) * 1000 + Int64(status.st_mtim.tv_nsec) / 1_000_000
    }

    /// Moves a name; within one file system this is atomic.
    static func move(_ old: String, to new: String) throws(StoreError) {
        guard unsafe rename(old, new) == 0 else { throw .system(.writeFailed, "move \(old) to", new) }
    }

    /// Removes a file; nothing happens if it is absent.
    static func remove(_ path: String) throws(StoreError) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw .system(.writeFailed, "remove", path) }
    }

    /// Removes a directory of plain files with what is in it; nothing happens if it is absent.
    static func removeDirectory(_ path: String) throws(StoreError) {
        for name in try names(in: path) { try remove(path + "/" + name) }
        guard unsafe rmdir(path) == 0 || errno == ENOENT else { throw .system(.writeFailed, "remove", path) }
    }

    /// Makes what a directory lists durable.
    static func synchronizeDirectory(_ path: String, _ durability: Durability) throws(StoreError) {
        guard durability == .powerLoss else { return }
        try OpenFile(path, for: .directory).synchronize()
    }

    /// The content of a file; nil if there is none of that name.
    static func content(of path: String, limit: Int) throws(StoreError) -> [UInt8]? {
        guard exists(path) || errno != ENOENT else { return nil }
        let file = try OpenFile(path, for: .reading)
        let count = try file.byteCount()
        guard count <= limit else { throw StoreError(.corrupt, "\(path) has \(count) bytes, more than \(limit)") }
        return try file.bytes(count: count)
    }

    /// Writes a new file and makes its content durable; its name is durable when its directory is.
    static func create(_ path: String, content: [UInt8], _ durability: Durability) throws(StoreError) {
        let file = try OpenFile(path, for: .creating)
        try unsafe file.write(content.span.bytes, at: 0)
        if durability == .powerLoss { try file.synchronize() }
    }
}

/// The events that written files must survive.
enum Durability {
    /// A loss of power: published versions exist nowhere else.
    case powerLoss
    /// The end of the process: cached versions need not wait for the disk, because they can be fetched again and are
    /// compared with their checksums before use.
    case processEnd
}

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
