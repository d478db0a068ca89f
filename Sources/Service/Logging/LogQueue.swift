import Answers
import Basics
import Glibc
import Synchronization

/// A queue of log lines for standard error.
///
/// A thread of its own writes the lines, so logging never waits. If nobody reads them, for example because the reader
/// of a pipe hangs, lines are kept up to a limit. Further lines are dropped and counted, as are lines that a full disk
/// does not take. When there is room again, the count is written.
final class LogQueue: Sendable {
    /// The most bytes that may wait, inclusive.
    static let limitBytes = 1 << 20

    /// The queue of all logs on standard error.
    ///
    /// Lines are appended to a file. A file that is cut meanwhile, as logrotate's copytruncate does, begins anew.
    static let standardError: LogQueue = {
        let flags = fcntl(STDERR_FILENO, F_GETFL)
        if flags >= 0 { _ = fcntl(STDERR_FILENO, F_SETFL, flags | O_APPEND) }
        return LogQueue(descriptor: STDERR_FILENO)
    }()

    private struct State {
        var waiting: [[UInt8]] = []
        var waitingBytes = 0
        /// The number of dropped lines that are not yet reported.
        var untoldCount: UInt64 = 0
        var droppedCount: UInt64 = 0
        var isWriting = false
        /// Whether the last write failed.
        ///
        /// Then the count waits, because it would be lost as well.
        var isFailing = false
        /// Whether a failed write left a part of a line, after which a line of its own must begin.
        var isWithinLine = false

        mutating func drop(_ count: UInt64) {
            untoldCount += count
            droppedCount += count
        }
    }

    /// A line for the log: an event, or the number of dropped lines.
    private struct Line {
        var bytes: [UInt8]
        /// The number of dropped lines that it tells.
        var toldCount: UInt64 = 0
    }

    private let descriptor: Int32
    private let state = Mutex(State())

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Adds a line, which must not have a line feed at its end.
    func add(_ line: String) {
        let bytes = Array(line.utf8) + [UInt8(ascii: "\n")]
        let mustStart = state.withLock { state in
            guard state.waitingBytes + bytes.count <= Self.limitBytes else {
                state.drop(1)
                return false
            }
            state.waiting.append(bytes)
            state.waitingBytes += bytes.count
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if mustStart { start() }
    }

    /// Waits until all lines are written, but at most for a time.
    ///
    /// - Returns: whether all lines are written.
    @discardableResult
    func flush(waitingAtMost patience: Duration) -> Bool {
        let end = ContinuousClock.now + patience
        while state.withLock({ $0.isWriting }) {
            guard ContinuousClock.now < end else { return false }
            usleep(1000)
        }
        return true
    }

    /// Starts a thread that writes until no line waits.
    private func start() {
        // If there is none, the next line tries to start one again.
        do { try WorkThread { [self] in writeAll() } } catch { state.withLock { $0.isWriting = false } }
    }

    private func writeAll() {
        while let line = next() {
            let written = write(line.bytes)
            state.withLock { state in
                state.isFailing = written < line.bytes.count
                guard state.isFailing else { return }
                // The line may have begun with the end of one that was written in part.
                if written > 0 || line.bytes.first == UInt8(ascii: "\n") { state.isWithinLine = true }
                if line.toldCount > 0 { state.untoldCount += line.toldCount } else { state.drop(1) }
            }
        }
    }

    /// Returns the next line, or nil if the thread must end.
    private func next() -> Line? {
        state.withLock { state in
            let start = state.isWithinLine ? [UInt8(ascii: "\n")] : []
            if state.untoldCount > 0, state.waitingBytes <= Self.limitBytes / 2, !state.isFailing {
                defer { (state.untoldCount, state.isWithinLine) = (0, false) }
                return Line(bytes: start + Self.notice(ofDropped: state.untoldCount), toldCount: state.untoldCount)
            }
            guard !state.waiting.isEmpty else {
                state.isWriting = false
                return nil
            }
            let line = state.waiting.removeFirst()
            state.waitingBytes -= line.count
            defer { state.isWithinLine = false }
            return Line(bytes: start + line)
        }
    }

    private static func notice(ofDropped count: UInt64) -> [UInt8] {
        JSONWriter.object { json in
            json.member("timeMilliseconds", SystemClock.nowMilliseconds)
            json.member("level", EventLog.Level.warning.rawValue)
            json.member("message", "lines of the log were lost: nobody read standard error, or its disk was full")
            json.member("linesDropped", count)
        } + [UInt8(ascii: "\n")]
    }

    /// Writes a line, usually with one system call, so that it does not mix with lines of other processes.
    ///
    /// - Returns: the number of bytes that were written, fewer than the line has if the disk is full or nobody reads.
    private func write(_ line: [UInt8]) -> Int {
        var start = 0
        while start < line.count {
            let count = unsafe line[start...].withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count > 0 {
                start += count
            } else if errno == EAGAIN {
                // Another process has made the pipe non-blocking.
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&entry, 1, 1000)
            } else if errno != EINTR {
                return start
            }
        }
        return start
    }
}

extension LogQueue: MetricSource {
    func write(to text: inout MetricsText) {
        text.counter(
            "coterie_log_dropped_total",
            "Lines of the log that were lost: nobody read them in time, or the disk was full.",
            state.withLock { $0.droppedCount })
    }
}
