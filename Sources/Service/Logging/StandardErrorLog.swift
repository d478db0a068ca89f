import Glibc

enum StandardErrorLog {
    /// Writes one line with one system call, so that the lines of several threads do not mix.
    @Sendable
    static func write(_ line: String) {
        var bytes = Array(line.utf8)
        bytes.append(UInt8(ascii: "\n"))
        // Nobody is left to be told if this fails.
        _ = unsafe Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}
