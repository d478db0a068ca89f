package import Glibc

/// Operations on names in the file system.
package enum FileTree {
    /// Creates a directory and its missing parents; an existing one is left as it is.
    package static func makeDirectory(_ path: String, mode: mode_t = 0o755) throws(Failure) {
        // An existing one may be the root, or in a folder that this user cannot list.
        guard !exists(path), !PrivateFile.makeFolder(path, mode: mode) else { return }
        throw .system(.fileFailed, "make the directory", path)
    }

    /// Creates a directory, and shares it, also an existing one, with those who share its parent.
    package static func makeSharedDirectory(_ path: String) throws(Failure) {
        try makeDirectory(folder(of: path))
        guard PrivateFile.makeFolder(path, mode: nil) else { throw .system(.fileFailed, "make the directory", path) }
    }

    /// Returns the names in a directory, in no order; none if there is no such directory.
    package static func names(in path: String) throws(Failure) -> [String] {
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

    /// Returns the system's facts about the file or folder that a path leads to, or `nil` if there is none.
    package static func status(of path: String) -> stat? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status : nil
    }

    /// Returns the size of a file in bytes, or `nil` if there is none.
    package static func byteCount(of path: String) -> Int? { status(of: path).map { Int($0.st_size) } }

    package static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    /// Returns the time of the last write to a file, in Unix milliseconds, or `nil` if there is no file.
    package static func changeTimeMilliseconds(of path: String) -> Int64? {
        guard let status = status(of: path) else { return nil }
        return Int64(status.st_mtim.tv_sec) * 1000 + Int64(status.st_mtim.tv_nsec) / 1_000_000
    }

    /// Returns the folder of a file, or `.` if the path has no folder.
    package static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Renames a file or directory, and replaces an existing file; within one file system this is atomic.
    ///
    /// - Parameter durability: the events that the new name survives.
    package static func move(
        _ old: String, to new: String, _ durability: Durability = .processEnd
    ) throws(Failure) {
        guard unsafe rename(old, new) == 0 else { throw .system(.fileFailed, "move \(old) to", new) }
        try synchronizeDirectory(folder(of: new), durability)
    }

    /// Removes a file, if it exists.
    package static func remove(_ path: String) throws(Failure) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw .system(.fileFailed, "remove", path) }
    }

    /// Removes a directory that has only plain files, with its files, if it exists.
    package static func removeDirectory(_ path: String) throws(Failure) {
        for name in try names(in: path) { try remove(path + "/" + name) }
        guard unsafe rmdir(path) == 0 || errno == ENOENT else { throw .system(.fileFailed, "remove", path) }
    }

    /// Makes the list of a directory durable.
    package static func synchronizeDirectory(_ path: String, _ durability: Durability) throws(Failure) {
        guard durability == .powerLoss else { return }
        try OpenFile(path, for: .directory).synchronize()
    }

    /// Returns the content of a file, or `nil` if there is no file.
    package static func content(of path: String, limit: Int) throws(Failure) -> [UInt8]? {
        guard exists(path) || errno != ENOENT else { return nil }
        let file = try OpenFile(path, for: .reading)
        let count = try file.byteCount()
        guard count <= limit else { throw Failure(.corrupt, "\(path) has \(count) bytes, more than \(limit)") }
        return try file.bytes(count: count)
    }

    /// Replaces a file in one step, under a lock of the caller; the draft of a killed process is removed.
    package static func replace(
        _ path: String, content: [UInt8], _ durability: Durability, for purpose: OpenFile.Purpose = .creating
    ) throws(Failure) {
        let draft = "\(folder(of: path))/.\(path.split(separator: "/").last ?? "").new"
        try remove(draft)
        try create(draft, content: content, durability, for: purpose)
        try move(draft, to: path, durability)
    }

    /// Writes a new file and makes its content durable; the name is durable after its directory is.
    package static func create(
        _ path: String, content: [UInt8], _ durability: Durability, for purpose: OpenFile.Purpose = .creating
    ) throws(Failure) {
        let file = try OpenFile(path, for: purpose)
        try unsafe file.write(content.span.bytes, at: 0)
        if durability == .powerLoss { try file.synchronize() }
    }
}

/// The events that written files must survive.
package enum Durability {
    /// A loss of power, because published versions exist nowhere else.
    case powerLoss
    /// The end of the process: cached versions need not wait for the disk.
    ///
    /// They can be fetched again, and are verified by their checksums before use.
    case processEnd
}

/// Facts about a file that change whenever the file changes.
package struct FileStamp: Equatable, Sendable {
    private let facts: [Int]

    package init(_ status: stat) {
        facts = [
            Int(status.st_dev), Int(status.st_ino), Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
            status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
        ]
    }

    /// Reads the facts about the file at a path; nil if there is no such file.
    package init?(path: String) {
        guard let status = FileTree.status(of: path) else { return nil }
        self.init(status)
    }
}
