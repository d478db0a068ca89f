import Glibc

/// A file, or a pipe, of lines of text.
enum LineFile {
    /// The lines that are not empty, without carriage returns at their ends.
    ///
    /// - Parameter path: a file, `-` for standard input, or what a shell puts for `<(…)`.
    /// - Throws: `Failure` if it cannot be read, or is not UTF-8.
    static func lines(of path: String) throws(Failure) -> [String] {
        guard let text = String(validating: try bytes(of: path), as: UTF8.self) else {
            throw Failure(Failure.badData, "cannot read \(path): it is not UTF-8 text")
        }
        return text.split(whereSeparator: \.isNewline).map(String.init)
    }

    /// All bytes; the size of a pipe is not known before.
    private static func bytes(of path: String) throws(Failure) -> [UInt8] {
        let descriptor = path == "-" ? STDIN_FILENO : unsafe open(path, O_RDONLY | O_CLOEXEC)
        defer { if descriptor > STDIN_FILENO { close(descriptor) } }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            if count == 0 { return bytes }
            if count > 0 {
                bytes += chunk.prefix(count)
            } else if errno != EINTR {
                throw Failure(Failure.badData, "cannot read \(path): \(unsafe String(cString: strerror(errno)))")
            }
        }
    }
}
