import Basics
import Glibc
import Model

/// An open file or directory, which is closed at the end of the value's life.
struct OpenFile: ~Copyable {
    /// The purposes of opening a file.
    enum Purpose {
        /// Reading an existing file.
        case reading
        /// Writing a new file, which must not exist and is read-only afterwards.
        case creating
        /// Writing a new file that only its owner may read.
        case creatingPrivate
        /// Locking a file, which is created if it is missing, and is never read or written.
        case locking
        /// Synchronising a directory.
        case directory
    }

    let descriptor: CInt
    /// The path, for errors.
    let path: String

    init(_ path: String, for purpose: Purpose) throws(Failure) {
        let flags =
            switch purpose {
            case .reading: O_RDONLY
            case .creating, .creatingPrivate: O_RDWR | O_CREAT | O_EXCL
            case .locking: O_RDWR | O_CREAT
            case .directory: O_RDONLY | O_DIRECTORY
            }
        let mode: mode_t =
            switch purpose {
            case .creating: 0o444
            case .creatingPrivate: 0o400
            case .reading, .locking, .directory: 0o644
            }
        self.path = path
        descriptor = Descriptor.retrying { unsafe open(path, flags | O_CLOEXEC, mode) }
        guard descriptor >= 0 else {
            throw .system(purpose == .reading || purpose == .directory ? .unavailable : .fileFailed, "open", path)
        }
        if flags & O_CREAT != 0 { PrivateFile.giveToOwnerOfFolder(descriptor, path) }
    }

    deinit { close(descriptor) }

    /// Returns the length of the file, in bytes.
    func byteCount() throws(Failure) -> Int {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .system(.unavailable, "examine", path) }
        return Int(status.st_size)
    }

    /// Returns bytes of the file from an offset on; fewer than `count` at the end of the file.
    func bytes(count: Int, at offset: Int = 0) throws(Failure) -> [UInt8] {
        var content = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let read = unsafe content.withUnsafeMutableBytes { buffer in
                let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
                return Descriptor.retrying { unsafe pread(descriptor, rest.baseAddress, rest.count, offset + done) }
            }
            guard read >= 0 else { throw .system(.unavailable, "read", path) }
            if read == 0 { break }
            done += read
        }
        content.removeLast(count - done)
        return content
    }

    /// Returns a copy of the file without a name, which is gone when it is closed and not mapped any more.
    borrowing func copyWithoutName(byteCount: Int) throws(Failure) -> OpenFile {
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
            guard read >= 0 else { throw .system(.unavailable, "read", path) }
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
    func reserve(byteCount: Int) throws(Failure) {
        let failure = posix_fallocate(descriptor, 0, byteCount)
        // If a file system does not support it, a failing write shows the full disk.
        guard failure != 0, failure != EOPNOTSUPP, failure != EINVAL else { return }
        errno = failure
        throw .system(.fileFailed, "reserve \(byteCount) bytes for", path)
    }

    /// Writes all bytes at an offset.
    func write(_ bytes: RawSpan, at offset: Int) throws(Failure) {
        var done = 0
        while done < bytes.byteCount {
            let written = unsafe bytes.extracting(droppingFirst: done).withUnsafeBytes { rest in
                Descriptor.retrying { unsafe pwrite(descriptor, rest.baseAddress, rest.count, offset + done) }
            }
            guard written > 0 else { throw .system(.fileFailed, "write to", path) }
            done += written
        }
    }

    /// Tells the kernel that a range of the file, or all of it, is not read soon.
    ///
    /// The kernel then begins to write new bytes to the disk in the background. It drops its cached copy of bytes that
    /// are on the disk. This is only advice; `synchronize` is a guarantee.
    func evict(_ range: Range<Int>? = nil) {
        posix_fadvise(descriptor, range?.lowerBound ?? 0, range?.count ?? 0, POSIX_FADV_DONTNEED)
    }

    /// Waits until all written bytes, or the list of a directory, survive a loss of power.
    func synchronize() throws(Failure) {
        guard Descriptor.retrying({ fsync(descriptor) }) == 0 else { throw .system(.fileFailed, "make durable", path) }
    }

    func unlock() { flock(descriptor, LOCK_UN) }

    /// Takes an exclusive lock, which ends with this value or with the process.
    ///
    /// - Parameter waiting: whether to wait for another holder.
    /// - Returns: `false` if there is another holder, and `waiting` is false.
    func lock(waiting: Bool) throws(Failure) -> Bool {
        if Descriptor.retrying({ flock(descriptor, waiting ? LOCK_EX : LOCK_EX | LOCK_NB) }) == 0 { return true }
        guard errno == EWOULDBLOCK else { throw .system(.fileFailed, "lock", path) }
        return false
    }
}

extension Failure {
    /// Returns an error with the last message of the system: "cannot write to /x/y: No space left on device".
    static func system(_ code: Code, _ action: String, _ path: String) -> Failure {
        let number = errno
        let advice =
            switch number {
            case ENOSPC, EDQUOT: "; free some space and publish again"
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
            "cannot \(action) \(path): \(unsafe String(cString: strerror(number)))\(advice)")
    }
}

/// Files that are mapped into memory.
///
/// A mapping stays valid after the file's name is removed. Only files that do not change any more are mapped. If a
/// mapped file is truncated all the same, reading it ends the process.
enum MappedFile {
    /// Maps a whole file, read-only.
    ///
    /// - Parameter isOwn: whether to map a private copy without a name, which takes as much space as the file. Without
    ///   that space, the file itself is mapped.
    static func region(of file: borrowing OpenFile, isOwn: Bool) throws(Failure) -> ByteRegion {
        let count = try file.byteCount()
        guard count > 0 else { throw Failure(.corrupt, "\(file.path) is empty") }
        if isOwn, let copy = try? file.copyWithoutName(byteCount: count) { return try region(of: copy, count) }
        return try region(of: file, count)
    }

    private static func region(of file: borrowing OpenFile, _ count: Int) throws(Failure) -> ByteRegion {
        guard let region = ByteRegion(mapping: file.descriptor, count: count) else {
            throw .system(.unavailable, "map", file.path)
        }
        return region
    }
}
