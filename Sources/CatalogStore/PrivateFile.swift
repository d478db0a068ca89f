import Glibc

/// Writes files that only this user may read, in folders in which others may write.
///
/// No link is followed. A file of another user, or one with a second name, is refused.
public enum PrivateFile {
    /// Creates a file for writing, after removing any file of the same name.
    ///
    /// - Returns: a descriptor, which the caller closes.
    public static func made(_ path: String) throws(CatalogError) -> CInt {
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw failure(path) }
        let descriptor = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(path) }
        return descriptor
    }

    /// Opens or creates a file for writing, and withdraws the permissions of others.
    ///
    /// - Returns: a descriptor, which the caller closes.
    public static func opened(_ path: String) throws(CatalogError) -> CInt {
        // Without O_NONBLOCK, opening a pipe could wait for its other end.
        let descriptor = unsafe Glibc.open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            guard errno != ENOENT else { return try made(path) }
            guard errno != ELOOP else { throw foreign(path) }
            throw failure(path)
        }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_nlink == 1, fchmod(descriptor, 0o600) == 0
        else {
            close(descriptor)
            throw foreign(path)
        }
        return descriptor
    }

    /// Replaces a file in one step.
    public static func write(_ bytes: [UInt8], to path: String) throws(CatalogError) {
        let draft = "\(path)-\(String(UInt64.random(in: .min ... .max), radix: 36)).partial"
        let descriptor = try made(draft)
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw abandoned(draft, path) }
            rest = rest.dropFirst(written)
        }
        guard unsafe rename(draft, path) == 0 else { throw abandoned(draft, path) }
    }

    private static func abandoned(_ draft: String, _ path: String) -> CatalogError {
        let error = failure(path)
        _ = unsafe unlink(draft)
        return error
    }

    private static func foreign(_ path: String) -> CatalogError {
        CatalogError(
            .fileFailed,
            "\(path) is a link, no plain file, or another user's: remove it, or name another file or folder")
    }

    private static func failure(_ path: String) -> CatalogError {
        CatalogError(.fileFailed, "cannot write \(path): \(unsafe String(cString: strerror(errno)))")
    }
}
