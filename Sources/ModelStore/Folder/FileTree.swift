import Glibc

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
