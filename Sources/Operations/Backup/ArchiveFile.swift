import CatalogStore
import Glibc

/// A file that is read or written in order; it is closed when the value ends.
struct ArchiveFile: ~Copyable {
    let path: String
    let descriptor: CInt

    /// Opens a file that exists.
    init(reading path: String) throws(BackupError) {
        self.path = path
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system("open", path) }
    }

    /// Makes or empties a file that only its owner may read, and that no other process writes to meanwhile.
    init(writing path: String) throws(BackupError) {
        let file = try Self.emptied(path)
        self.path = path
        descriptor = file
    }

    private static func emptied(_ path: String) throws(BackupError) -> CInt {
        let descriptor: CInt
        do throws(CatalogError) {
            descriptor = try PrivateFile.opened(path)
        } catch { throw BackupError(.fileFailed, error.message) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw BackupError(.occupied, "another process writes \(path): wait for it")
        }
        guard ftruncate(descriptor, 0) == 0 else {
            let error = BackupError.system("write", path)
            close(descriptor)
            throw error
        }
        return descriptor
    }

    deinit { close(descriptor) }

    /// The length in bytes.
    func byteCount() throws(BackupError) -> Int {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .system("read", path) }
        return Int(status.st_size)
    }

    /// Bytes from an offset on; fewer than `count` if the file ends.
    func bytes(at offset: Int, count: Int) throws(BackupError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let read = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe pread(descriptor, buffer.baseAddress.map { unsafe $0 + done }, count - done, offset + done)
            }
            if read < 0, errno == EINTR { continue }
            guard read >= 0 else { throw .system("read", path) }
            if read == 0 { break }
            done += read
        }
        bytes.removeLast(count - done)
        return bytes
    }

    /// Writes all bytes at the end.
    func append(_ bytes: [UInt8]) throws(BackupError) {
        var done = 0
        while done < bytes.count {
            let written = unsafe bytes.withUnsafeBytes { buffer in
                unsafe write(descriptor, buffer.baseAddress.map { unsafe $0 + done }, bytes.count - done)
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw .system("write", path) }
            done += written
        }
    }

    /// Returns when everything is safe from a loss of power.
    func synchronize() throws(BackupError) {
        guard fsync(descriptor) == 0 else { throw .system("write", path) }
    }

    /// Whether another process has the file, which is a SQLite database, open.
    ///
    /// In a write-ahead log's mode each connection holds a lock on these bytes as long as it lives.
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

    /// Removes a file, if it is there.
    static func remove(_ path: String) throws(BackupError) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw .system("remove", path) }
    }

    /// Gives a file another name, in one step, in place of what had the name; it stays so after a loss of power.
    static func move(_ old: String, to new: String) throws(BackupError) {
        guard unsafe rename(old, new) == 0 else { throw .system("write", new) }
        try ArchiveFile(reading: Catalog.folder(of: new)).synchronize()
    }

    /// Makes a folder and those above it; one that exists is left as it is.
    static func makeFolder(_ path: String) throws(BackupError) {
        guard !exists(path) else { return }
        let parent = Catalog.folder(of: path)
        if parent != path { try makeFolder(parent) }
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .system("make the folder", path) }
    }
}

extension BackupError {
    /// The last error of the system.
    static func system(_ action: String, _ path: String) -> BackupError {
        BackupError(.fileFailed, "cannot \(action) \(path): \(unsafe String(cString: strerror(errno)))")
    }
}
