package import Glibc

/// Writes files that only their owner may read, in folders in which others may write.
///
/// No link is followed. A file of another user, one with a second name, and a database are refused. What root creates
/// in the folder of another user belongs to that user, whose programs could not open it else.
package enum PrivateFile {
    /// The permissions of a file that its owner alone may read and write.
    fileprivate static let ownMode: mode_t = 0o600

    /// Creates a file for writing, after removing any file of the same name.
    ///
    /// - Returns: a descriptor, which the caller closes.
    package static func created(_ path: String) throws(Failure) -> CInt {
        try refuseOther(path)
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw .unwritable(path) }
        return try Folder(of: path).created()
    }

    /// Creates an empty file if nothing has its name yet.
    ///
    /// - Parameter model: another file, for whose owner, group and permissions the new one is; nil for none.
    /// - Returns: false if there is something already, or the file cannot be created.
    @discardableResult
    package static func createEmpty(_ path: String, as model: String? = nil) -> Bool {
        guard let descriptor = try? Folder(of: path).created() else { return false }
        defer { close(descriptor) }
        guard let status = model.flatMap(FileTree.status) else { return true }
        if geteuid() == 0 { _ = fchown(descriptor, status.st_uid, status.st_gid) }
        _ = fchmod(descriptor, status.st_mode & 0o777)
        return true
    }

    /// Opens or creates a file for writing, and withdraws the permissions of others.
    ///
    /// - Returns: a descriptor, which the caller closes.
    package static func opened(_ path: String) throws(Failure) -> CInt {
        try refuseOther(path)
        // Without O_NONBLOCK, opening a pipe could wait for its other end.
        let descriptor = unsafe Glibc.open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            guard errno != ENOENT else { return try created(path) }
            throw errno == ELOOP ? .foreign(path) : .unwritable(path)
        }
        do throws(Failure) {
            let owner = try Folder(of: path).owner
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                [geteuid(), owner?.user].contains(status.st_uid), status.st_nlink == 1, fchmod(descriptor, ownMode) == 0
            else { throw Failure.foreign(path) }
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Opens or creates an empty file for writing; what `/dev` has, such as `/dev/stdout`, is written as it is.
    ///
    /// - Returns: a descriptor, which the caller closes.
    package static func emptied(_ path: String) throws(Failure) -> CInt {
        guard !path.hasPrefix("/dev/") else {
            let descriptor = unsafe Glibc.open(path, O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw .unwritable(path) }
            return descriptor
        }
        let descriptor = try opened(path)
        guard ftruncate(descriptor, 0) == 0 else {
            let error = Failure.unwritable(path)
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Replaces a file in one step; one that is a link is left alone, and the draft of a killed process is used again.
    ///
    /// - Parameter mode: the permissions of the file, for a reader that is another user.
    package static func write(_ bytes: [UInt8], to path: String, mode: mode_t = 0o600) throws(Failure) {
        try refuseOther(path)
        let draft = try OpenFile(path + ".draft", for: .rewriting)
        guard fchmod(draft.descriptor, mode) == 0, Descriptor.write(bytes, to: draft.descriptor),
            unsafe rename(draft.path, path) == 0
        else {
            let error = Failure.unwritable(path)
            _ = unsafe unlink(draft.path)
            throw error
        }
    }

    /// Refuses what an output named by mistake would destroy: a SQLite database, a link, or what is no plain file.
    ///
    /// An output that is moved to its place must be checked here, too.
    package static func refuseOther(_ path: String) throws(Failure) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .foreign(path) }
        guard isDatabase(path) else { return }
        throw Failure(.fileFailed, "cannot write \(path): it is a SQLite database: name another file")
    }

    /// Whether a file is a SQLite database.
    package static func isDatabase(_ path: String) -> Bool {
        FileTree.status(of: path).flatMap { beginning(of: path, $0) } == Array("SQLite format 3".utf8)
    }

    /// Returns the first bytes of a file, as many as the mark of a database has.
    ///
    /// A file that this process has open already is read there. Closing another descriptor of it would end the locks
    /// that SQLite has on it.
    private static func beginning(of path: String, _ status: stat) -> [UInt8]? {
        for name in (try? FileTree.names(in: "/proc/self/fd")) ?? [] {
            var open = stat()
            guard let descriptor = CInt(name), unsafe fstat(descriptor, &open) == 0, open.st_ino == status.st_ino,
                open.st_dev == status.st_dev
            else { continue }
            var bytes = [UInt8](repeating: 0, count: markByteCount)
            guard unsafe pread(descriptor, &bytes, bytes.count, 0) == bytes.count else { continue }
            return bytes
        }
        // One byte more than the limit is read.
        return try? RegularFile.read(path, limitBytes: markByteCount - 1).bytes
    }

    /// The number of bytes with which every SQLite database begins.
    private static let markByteCount = 15

    /// Creates a folder and its missing parents, unless there is one.
    ///
    /// - Parameter mode: the permissions of each; nil to share it with those who share its parent, also if it exists.
    /// - Returns: false if the system refuses it; `errno` then has the reason.
    package static func makeFolder(_ path: String, mode: mode_t? = 0o700) -> Bool {
        let path = path.hasSuffix("/") && path.count > 1 ? String(path.dropLast()) : path
        if let folder = try? Folder(of: path) { return folder.makeFolder(mode) }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex,
            makeFolder(String(path[..<slash]), mode: mode), let folder = try? Folder(of: path)
        else { return false }
        return folder.makeFolder(mode)
    }

    /// Opens a file to those to whom its folder is open, whatever the mask of this process is.
    ///
    /// It gets the group of the folder and, from root, the owner. The group and others may do with it what they may do
    /// with the folder. A private file is open to a group only if that may write to the folder.
    ///
    /// - Parameter bound: the most permissions; those of a private file have none for others.
    package static func share(_ descriptor: CInt, _ path: String, _ bound: mode_t) {
        (try? Folder(of: path))?.share(descriptor, bound)
    }
}

/// The open folder of a file, so that its owner and the place are of the same folder, even if its name leads elsewhere
/// meanwhile.
private struct Folder: ~Copyable {
    private let descriptor: CInt
    private let path: String
    private let name: String

    init(of path: String) throws(Failure) {
        self.path = path
        let slash = path.lastIndex(of: "/")
        name = slash.map { String(path[path.index(after: $0)...]) } ?? path
        let folder = slash.map { String(path[...$0]) } ?? "."
        let opened = unsafe Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // Nothing is closed if this fails, so that callers find the reason in errno.
        guard opened >= 0 else { throw .unwritable(path) }
        descriptor = opened
    }

    deinit { close(descriptor) }

    /// The owner of the folder to whom root gives what it creates; nil if this user keeps it.
    var owner: (user: uid_t, group: gid_t)? {
        var status = stat()
        guard geteuid() == 0, unsafe fstat(descriptor, &status) == 0, status.st_uid != 0 else { return nil }
        return (status.st_uid, status.st_gid)
    }

    /// Creates the file, which must not exist, and returns its descriptor.
    borrowing func created() throws(Failure) -> CInt {
        let file = unsafe openat(
            descriptor, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, PrivateFile.ownMode)
        guard file >= 0 else { throw .unwritable(path) }
        share(file, PrivateFile.ownMode)
        return file
    }

    borrowing func share(_ file: CInt, _ bound: mode_t) {
        var (own, shared) = (stat(), stat())
        guard unsafe fstat(descriptor, &own) == 0 else { return }
        _ = fchown(file, geteuid() == 0 ? own.st_uid : uid_t.max, own.st_gid)
        guard unsafe fstat(file, &shared) == 0 else { return }
        // All may write to a folder such as /tmp, but not to what others have there.
        var open = own.st_mode & S_ISVTX == 0 ? own.st_mode : own.st_mode & ~0o022
        // A file of another group than the folder's is open to its own group as to others.
        if shared.st_gid != own.st_gid { open = open & ~0o070 | (open & 0o007) << 3 }
        if bound & 0o007 == 0, open & 0o020 == 0 { open = 0 }
        let mode = bound & (open | 0o700)
        if shared.st_mode & 0o7777 != mode { _ = fchmod(file, mode) }
    }

    borrowing func makeFolder(_ mode: mode_t?) -> Bool {
        let isNew = unsafe mkdirat(descriptor, name, mode ?? 0o700) == 0
        guard isNew || errno == EEXIST else { return false }
        if mode == nil {
            let folder = unsafe openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            share(folder, 0o777 | S_ISGID)
            close(folder)
        } else if isNew, let owner {
            _ = unsafe fchownat(descriptor, name, owner.user, owner.group, AT_SYMLINK_NOFOLLOW)
        }
        return true
    }
}

extension Failure {
    /// Returns the failure of a write, with the reason from `errno`.
    fileprivate static func unwritable(_ path: String) -> Failure {
        Failure(.fileFailed, "cannot write \(path): \(SystemWords.lastError)")
    }

    /// Returns the failure of a write to a file that is not this user's alone.
    fileprivate static func foreign(_ path: String) -> Failure {
        let kind = FileTree.status(of: path).flatMap(RegularFile.otherKind)
        let reason =
            kind.map { "it is \($0): name another file" }
            ?? "it is a link, has a second name, or is another user's: remove it, or name another file or folder"
        return Failure(.fileFailed, "cannot write \(path): \(reason)")
    }
}
