import Glibc

/// A file or standard input, read from beginning to end.
@safe
final class InputFile {
    /// Its name in messages.
    let name: String
    /// In bytes; nil for a pipe or a terminal.
    let byteCount: Int?
    private let descriptor: Int32

    /// - Parameter path: a file, or `-` for standard input.
    init(path: String) throws(CatalogError) {
        if path == "-" {
            descriptor = STDIN_FILENO
            name = "standard input"
        } else {
            descriptor = unsafe open(path, O_RDONLY)
            name = path
        }
        var status = stat()
        guard descriptor >= 0, unsafe fstat(descriptor, &status) == 0 else {
            throw CatalogError(.fileFailed, "cannot read \(path): \(Self.reason)")
        }
        guard status.st_mode & S_IFMT != S_IFDIR else {
            close(descriptor)
            throw CatalogError(.fileFailed, "cannot read \(path): it is a folder")
        }
        byteCount = status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
    }

    deinit { if descriptor != STDIN_FILENO { close(descriptor) } }

    /// Fills the beginning of a buffer.
    ///
    /// - Returns: how many bytes; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(CatalogError) -> Int {
        while true {
            let count = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            guard errno == EINTR else { throw CatalogError(.fileFailed, "cannot read \(name): \(Self.reason)") }
        }
    }

    private static var reason: String { unsafe String(cString: strerror(errno)) }
}
