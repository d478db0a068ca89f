import CatalogStore
import Basics
import Glibc

/// A file that is read, or written in order, and is closed at the end of the value's life.
struct ArchiveFile: ~Copyable {
    let path: String
    let descriptor: CInt

    /// Opens an existing file for reading.
    init(reading path: String) throws(Failure) {
        self.path = path
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system("open", path) }
    }

    /// Creates or empties a file.
    ///
    /// Only its owner may read it, and a lock keeps other processes from writing to it.
    ///
    /// - Throws: `Failure.Code.busy` if another process has the lock.
    init(writing path: String) throws(Failure) {
        let file = try Self.emptied(path)
        self.path = path
        descriptor = file
    }

    private static func emptied(_ path: String) throws(Failure) -> CInt {
        let descriptor = try PrivateFile.opened(path)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw Failure(.busy, "another process writes \(path): wait for it")
        }
        guard ftruncate(descriptor, 0) == 0 else {
            let error = Failure.system("write", path)
            close(descriptor)
            throw error
        }
        return descriptor
    }

    deinit { close(descriptor) }

    /// The length in bytes.
    func byteCount() throws(Failure) -> Int {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .system("read", path) }
        return Int(status.st_size)
    }

    /// Returns bytes from an offset on; fewer than `count` at the end of the file.
    func bytes(at offset: Int, count: Int) throws(Failure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let read = unsafe bytes.withUnsafeMutableBytes { buffer in
                Descriptor.retrying {
                    unsafe pread(descriptor, buffer.baseAddress.map { unsafe $0 + done }, count - done, offset + done)
                }
            }
            guard read >= 0 else { throw .system("read", path) }
            if read == 0 { break }
            done += read
        }
        bytes.removeLast(count - done)
        return bytes
    }

    /// Appends all bytes.
    func append(_ bytes: [UInt8]) throws(Failure) {
        guard Descriptor.write(bytes, to: descriptor) else { throw .system("write", path) }
    }

    /// Waits until all bytes are on the disk, safe from a loss of power.
    func synchronize() throws(Failure) {
        guard fsync(descriptor) == 0 else { throw .system("write", path) }
    }

    /// Whether another process has the file, which is a SQLite database, open.
    ///
    /// With a write-ahead log, each connection holds a lock on these bytes while it is open.
    func isOpenElsewhere() -> Bool {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = 0x4000_0000
        lock.l_len = 512
        return unsafe fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
    }
}

/// Operations on names in the file system.
enum FileName {
    static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    /// Removes a file, if it exists.
    static func remove(_ path: String) throws(Failure) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw .system("remove", path) }
    }

    /// Renames a file in one step, and replaces an existing one; the new name survives a loss of power.
    static func move(_ old: String, to new: String) throws(Failure) {
        guard unsafe rename(old, new) == 0 else { throw .system("write", new) }
        try ArchiveFile(reading: Catalog.folder(of: new)).synchronize()
    }

    /// Creates a folder and its missing parents; an existing one is left as it is.
    static func makeFolder(_ path: String) throws(Failure) {
        guard !exists(path) else { return }
        let parent = Catalog.folder(of: path)
        if parent != path { try makeFolder(parent) }
        guard PrivateFile.makeFolder(path) else { throw .system("make the folder", path) }
    }
}

extension Failure {
    /// Returns an error with the last message of the system.
    static func system(_ action: String, _ path: String) -> Failure {
        Failure(.fileFailed, "cannot \(action) \(path): \(unsafe String(cString: strerror(errno)))")
    }
}
