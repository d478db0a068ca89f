import Glibc

/// An open file or directory, which is closed at the end of the value's life.
package struct OpenFile: ~Copyable, Sendable {
    /// The purposes of opening a file.
    package enum Purpose {
        /// Reading an existing file.
        case reading
        /// Writing a new file, which must not exist and is read-only afterwards.
        case creating
        /// Writing a new file that its owner may read, and those who share the folder.
        case creatingPrivate
        /// Writing a file anew that only its owner may read, with a lock; it is created if it is missing.
        case rewriting
        /// Writing at the end of a file, which is created if it is missing.
        case appending
        /// Locking a file, which is created if it is missing, and is never read or written.
        case locking
        /// Synchronising a directory.
        case directory
    }

    package let descriptor: CInt
    /// The path, for errors.
    package let path: String
    /// The kind of failure if the file cannot be read.
    package let unreadable: Failure.Code

    /// Opens a file.
    ///
    /// - Parameter unreadable: the kind of failure if the file cannot be opened for reading, or be read.
    /// - Throws: `Failure`, among others `.busy` if another process has the lock of a file that is to be written anew.
    package init(_ path: String, for purpose: Purpose, unreadable: Failure.Code = .unavailable) throws(Failure) {
        let (flags, mode): (CInt, mode_t) =
            switch purpose {
            case .reading: (O_RDONLY, 0)
            case .creating: (O_RDWR | O_CREAT | O_EXCL, 0o444)
            case .creatingPrivate: (O_RDWR | O_CREAT | O_EXCL, 0o440)
            case .appending: (O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, 0o666)
            case .locking: (O_RDWR | O_CREAT | O_NOFOLLOW, 0o666)
            case .directory: (O_RDONLY | O_DIRECTORY, 0)
            case .rewriting: (0, 0)
            }
        guard purpose != .rewriting else {
            self.init(owning: try Self.emptied(path), path)
            return
        }
        let descriptor = Descriptor.retrying { unsafe open(path, flags | O_CLOEXEC, mode & 0o700) }
        guard descriptor >= 0 else {
            throw .system(flags & O_CREAT == 0 ? unreadable : .fileFailed, "open", path)
        }
        if flags & O_CREAT != 0 { PrivateFile.share(descriptor, path, mode) }
        self.init(owning: descriptor, path, unreadable: unreadable)
    }

    /// Takes an open descriptor over.
    package init(owning descriptor: CInt, _ path: String, unreadable: Failure.Code = .unavailable) {
        (self.descriptor, self.path, self.unreadable) = (descriptor, path, unreadable)
    }

    /// Opens a private file, locks it, and only then empties it.
    private static func emptied(_ path: String) throws(Failure) -> CInt {
        let descriptor = try PrivateFile.opened(path)
        var (own, named) = (stat(), stat())
        // Before the lock, another process may have moved or removed the file.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, unsafe fstat(descriptor, &own) == 0,
            unsafe lstat(path, &named) == 0, own.st_ino == named.st_ino
        else {
            close(descriptor)
            throw Failure(.busy, "another process writes \(path): wait for it")
        }
        guard ftruncate(descriptor, 0) == 0 else {
            let error = Failure.system(.fileFailed, "write to", path)
            close(descriptor)
            throw error
        }
        return descriptor
    }

    deinit { close(descriptor) }

    /// Whether a process that has ended left a file behind: one that writes such a file holds a lock on it.
    package static func isAbandoned(_ path: String) -> Bool {
        guard RegularFile.otherKind(at: path) == nil else { return false }
        return (try? OpenFile(path, for: .reading).lock(waiting: false)) ?? false
    }

    /// Returns the length of the file, in bytes.
    package func byteCount() throws(Failure) -> Int {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .system(unreadable, "examine", path) }
        return Int(status.st_size)
    }

    /// Returns bytes of the file from an offset on; fewer than `count` at the end of the file.
    package func bytes(count: Int, at offset: Int = 0) throws(Failure) -> [UInt8] {
        var content = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let read = unsafe content.withUnsafeMutableBytes { buffer in
                let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
                return Descriptor.retrying { unsafe pread(descriptor, rest.baseAddress, rest.count, offset + done) }
            }
            guard read >= 0 else { throw .system(unreadable, "read", path) }
            if read == 0 { break }
            done += read
        }
        content.removeLast(count - done)
        return content
    }

    /// Returns a copy of the file without a name, which is gone when it is closed and not mapped any more.
    package borrowing func copyWithoutName(byteCount: Int) throws(Failure) -> OpenFile {
        let name = "\(path)-\(String(UInt64.random(in: .min ... .max), radix: 36))"
        let copy = try OpenFile(name, for: .creatingPrivate)
        unsafe unlink(name)
        try copy.reserve(byteCount: byteCount)
        var piece = [UInt8](repeating: 0, count: Self.copyByteCount)
        var done = 0
        while done < byteCount {
            let read = unsafe piece.withUnsafeMutableBytes { piece in
                Descriptor.retrying {
                    unsafe pread(descriptor, piece.baseAddress, min(piece.count, byteCount - done), done)
                }
            }
            guard read >= 0 else { throw .system(unreadable, "read", path) }
            guard read > 0 else { throw Failure(.corrupt, "\(path) has become shorter") }
            try unsafe copy.write(piece.span.extracting(first: read).bytes, at: done)
            done += read
        }
        // The pages of the file stay in the system's cache: the next start reads them, and not the disk. The system
        // takes back pages that were read once before all others.
        return copy
    }

    private static let copyByteCount = 1 << 20

    /// Reserves space for the file, so that a full disk shows before any writing.
    package func reserve(byteCount: Int) throws(Failure) {
        let failure = posix_fallocate(descriptor, 0, byteCount)
        // If a file system does not support it, a failing write shows the full disk.
        guard failure != 0, failure != EOPNOTSUPP, failure != EINVAL else { return }
        errno = failure
        throw .system(.fileFailed, "reserve \(byteCount) bytes for", path)
    }

    package func write(_ bytes: RawSpan, at offset: Int) throws(Failure) {
        var done = 0
        while done < bytes.byteCount {
            let written = unsafe bytes.extracting(droppingFirst: done).withUnsafeBytes { rest in
                Descriptor.retrying { unsafe pwrite(descriptor, rest.baseAddress, rest.count, offset + done) }
            }
            guard written > 0 else { throw .system(.fileFailed, "write to", path) }
            done += written
        }
    }

    /// Writes all bytes behind those that were written before.
    package func append(_ bytes: some Collection<UInt8>) throws(Failure) {
        guard Descriptor.write(bytes, to: descriptor) else { throw .system(.fileFailed, "write to", path) }
    }

    /// Cuts the file off, and goes on writing from there.
    package func cut(to byteCount: Int) throws(Failure) {
        guard ftruncate(descriptor, byteCount) == 0, lseek(descriptor, byteCount, SEEK_SET) >= 0 else {
            throw .system(.fileFailed, "write to", path)
        }
    }

    /// Tells the kernel that a range of the file, or all of it, is not read soon.
    ///
    /// The kernel then begins to write new bytes to the disk in the background. It drops its cached copy of bytes that
    /// are on the disk. This is only advice; `synchronize` is a guarantee.
    package func evict(_ range: Range<Int>? = nil) {
        posix_fadvise(descriptor, range?.lowerBound ?? 0, range?.count ?? 0, POSIX_FADV_DONTNEED)
    }

    /// Waits until all written bytes, or the list of a directory, survive a loss of power.
    package func synchronize() throws(Failure) {
        guard Descriptor.retrying({ fsync(descriptor) }) == 0 else { throw .system(.fileFailed, "make durable", path) }
    }

    package func unlock() { flock(descriptor, LOCK_UN) }

    /// Takes an exclusive lock, which ends with this value or with the process.
    ///
    /// - Parameter waiting: whether to wait for another holder.
    /// - Returns: `false` if there is another holder, and `waiting` is false.
    package func lock(waiting: Bool) throws(Failure) -> Bool {
        if Descriptor.retrying({ flock(descriptor, waiting ? LOCK_EX : LOCK_EX | LOCK_NB) }) == 0 { return true }
        guard errno == EWOULDBLOCK else { throw .system(.fileFailed, "lock", path) }
        return false
    }
}

extension Failure {
    /// Returns an error with the last message of the system: "cannot write to /x/y: the disk is full".
    package static func system(_ code: Code, _ action: String, _ path: String) -> Failure {
        let number = errno
        let advice =
            switch number {
            case ENOSPC, EDQUOT: "; free some space, and do it again"
            case EROFS, EACCES, EPERM:
                "; "
                    + (FileAccess.refusal(toRead: path)
                        ?? "it must be possible for this user to read and to write there")
            case ENOTDIR: "; a part of this path is a file: name another folder"
            case EMFILE, ENFILE: "; raise the limit of open files (ulimit -n)"
            default: ""
            }
        let code: Code =
            switch (code, number) {
            case (.unavailable, EACCES), (.unavailable, EPERM): .notPermitted
            case (.unavailable, ENOTDIR): .badUsage
            default: code
            }
        return Failure(
            code,
            "cannot \(action) \(path): \(SystemWords.words(ofError: number))\(advice)")
    }
}
