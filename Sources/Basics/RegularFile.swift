package import Glibc

/// Reads whole files, such as keys, secrets and configuration.
///
/// Opening never waits, whatever is at the path. Otherwise a pipe there would stop a daemon for ever.
package enum RegularFile {
    /// The content of a file, with the system's facts about it.
    package struct Contents: Sendable {
        /// The bytes that were read.
        package let bytes: [UInt8]
        /// The result of `fstat`, from before the bytes were read.
        package let status: stat
    }

    /// Returns what stands at a path, such as "a link", unless it is an ordinary file or nothing.
    package static func otherKind(at path: String) -> String? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? otherKind(of: status) : nil
    }

    /// Returns what a status is of, such as "a pipe", unless it is of an ordinary file.
    static func otherKind(of status: stat) -> String? {
        switch status.st_mode & S_IFMT {
        case S_IFREG: nil
        case S_IFDIR: "a folder"
        case S_IFLNK: "a link"
        case S_IFIFO: "a pipe"
        case S_IFSOCK: "a socket"
        default: "a device"
        }
    }

    /// Refuses what is no ordinary file, and no link to one.
    ///
    /// - Parameter status: the status of what the path leads to; nil if it leads to nothing.
    package static func refuseOther(_ status: stat?, _ path: String) throws(Failure) {
        guard let kind = status.flatMap(otherKind) else { return }
        throw Failure(.fileFailed, "\(path) cannot be read: it is \(kind): put an ordinary file there")
    }

    /// Returns the text of a file, such as one of the kernel's, or nil if it cannot be read or is longer than 1 MiB.
    package static func text(_ path: String) -> String? {
        guard let bytes = try? read(path, limitBytes: 1 << 20).bytes, bytes.count <= 1 << 20 else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads a file.
    ///
    /// - Parameter limitBytes: the expected limit of the length. Of a longer file, one byte more than the limit is
    ///   returned.
    /// - Throws: `Failure` if there is no file at the path, it is not a regular file, or the system cannot read it.
    package static func read(_ path: String, limitBytes: Int) throws(Failure) -> Contents {
        let descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadable(path) }
        let file = OpenFile(owning: descriptor, path, unreadable: .fileFailed)
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .unreadable(path) }
        try refuseOther(status, path)
        return Contents(bytes: try file.bytes(count: limitBytes + 1), status: status)
    }
}

extension Failure {
    /// Returns the failure of a read, with the reason from `errno`.
    fileprivate static func unreadable(_ path: String) -> Failure {
        Failure(.fileFailed, "\(path) cannot be read: \(SystemWords.lastError)")
    }
}
