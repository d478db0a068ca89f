import Glibc

/// Standard error as a log.
public enum StandardErrorLog {
    /// Writes one line with one system call, so that the lines of several threads do not mix.
    public static func write(_ line: String) {
        var bytes = Array(line.utf8)
        bytes.append(UInt8(ascii: "\n"))
        // Nobody is left to be told if this fails.
        _ = unsafe Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}

enum WallClock {
    /// Unix milliseconds.
    static var nowMilliseconds: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
