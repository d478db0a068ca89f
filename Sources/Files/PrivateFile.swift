import Glibc

/// Writes files that only this user may read, in folders in which others may write.
///
/// No link is followed. A file of another user, or one with a second name, is refused. The reason of an error follows
/// "cannot write PATH: ".
public enum PrivateFile {
    /// Creates a file for writing, after removing any file of the same name.
    ///
    /// - Returns: a descriptor, which the caller closes.
    public static func created(_ path: String) throws(FileError) -> CInt {
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw FileError(errno) }
        let descriptor = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileError(errno) }
        return descriptor
    }

    /// Creates an empty file if nothing has its name yet.
    ///
    /// If root creates it in the folder of another user, it belongs to that user, whose programs could not open it
    /// else.
    ///
    /// - Returns: false if there is something already, or the file cannot be created.
    public static func createEmpty(_ path: String) -> Bool {
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { String(path[...$0]) } ?? "."
        let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
        // The owner and the place are of the same folder, even if its name leads elsewhere meanwhile.
        let parent = unsafe Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else { return false }
        defer { close(parent) }
        let descriptor = unsafe openat(parent, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var owner = stat()
        if geteuid() == 0, unsafe fstat(parent, &owner) == 0, owner.st_uid != 0 {
            _ = fchown(descriptor, owner.st_uid, owner.st_gid)
        }
        return true
    }

    /// Opens or creates a file for writing, and withdraws the permissions of others.
    ///
    /// - Returns: a descriptor, which the caller closes.
    public static func opened(_ path: String) throws(FileError) -> CInt {
        // Without O_NONBLOCK, opening a pipe could wait for its other end.
        let descriptor = unsafe Glibc.open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            guard errno != ENOENT else { return try created(path) }
            throw errno == ELOOP ? .foreign : FileError(errno)
        }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_nlink == 1, fchmod(descriptor, 0o600) == 0
        else {
            close(descriptor)
            throw .foreign
        }
        return descriptor
    }

    /// Replaces a file in one step.
    public static func write(_ bytes: [UInt8], to path: String) throws(FileError) {
        let draft = "\(path)-\(String(UInt64.random(in: .min ... .max), radix: 36)).partial"
        let descriptor = try created(draft)
        defer { close(descriptor) }
        guard Descriptor.write(bytes, to: descriptor), unsafe rename(draft, path) == 0 else {
            let error = FileError(errno)
            _ = unsafe unlink(draft)
            throw error
        }
    }
}
