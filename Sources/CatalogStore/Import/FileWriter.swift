import Glibc

/// Writes a file from its beginning, readable for its owner only.
final class FileWriter {
    let path: String
    private let descriptor: Int32
    private var buffer: [UInt8] = []

    /// Makes or empties a file.
    init(path: String) throws(CatalogError) {
        self.path = path
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure(path) }
    }

    deinit { close(descriptor) }

    func write(_ text: String) throws(CatalogError) { try write(Array(text.utf8)) }

    func write(_ bytes: [UInt8]) throws(CatalogError) {
        buffer += bytes
        if buffer.count >= 1 << 16 { try flush() }
    }

    /// Writes what is buffered; to be called at the end.
    func flush() throws(CatalogError) {
        var rest = buffer[...]
        while !rest.isEmpty {
            let written = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard written > 0 else { throw Self.failure(path) }
            rest = rest.dropFirst(written)
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Removes a file, if there is one.
    static func remove(_ path: String) { _ = unsafe unlink(path) }

    private static func failure(_ path: String) -> CatalogError {
        CatalogError(
            .fileFailed,
            "cannot write rejected lines to \(path): "
                + "\(unsafe String(cString: strerror(errno))); name another file with --rejects"
        )
    }
}
