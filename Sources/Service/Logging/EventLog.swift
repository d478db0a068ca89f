import Answers
import Glibc

/// What happens, a JSON object a line: `timeMilliseconds`, `level`, `message`, and more by the message.
///
/// No line has a token, a key, or the query of a request in it.
public struct EventLog: Sendable {
    /// How much an event matters.
    public enum Level: String, Sendable {
        /// As it should be.
        case info
        /// Worth a look; the daemon goes on.
        case warning
        /// Somebody has to do something.
        case error
    }

    private let write: @Sendable (_ line: String) -> Void
    private let now: @Sendable () -> Int64
    /// Where warnings and errors are counted; nil for nowhere.
    private var troubles: RecentTroubles?

    /// A log.
    ///
    /// - Parameters:
    ///   - now: the time, in Unix milliseconds.
    ///   - write: takes one line without its end; called from several threads at a time.
    public init(now: @escaping @Sendable () -> Int64, write: @escaping @Sendable (_ line: String) -> Void) {
        self.now = now
        self.write = write
    }

    /// Standard error.
    public static let standardError = EventLog(now: { SystemClock.nowMilliseconds }, write: StandardErrorLog.write)

    /// Takes down what is as it should be.
    public func info(_ message: String) { record(.info, message) }

    /// Takes down what is worth a look.
    public func warning(_ message: String) {
        record(.warning, message)
        troubles?.note(message, at: now())
    }

    /// Takes down what somebody has to see to.
    public func error(_ message: String) {
        record(.error, message)
        troubles?.note(message, at: now())
    }

    /// The same log, whose warnings and errors are counted, too; refused requests are none of them.
    func counting(in troubles: RecentTroubles) -> EventLog {
        var log = self
        log.troubles = troubles
        return log
    }

    /// Writes a line with members of its own.
    func record(_ level: Level, _ message: String, _ members: (inout JSONWriter) -> Void = { _ in }) {
        let line = JSONWriter.object { json in
            json.member("timeMilliseconds", now())
            json.member("level", level.rawValue)
            json.member("message", message)
            members(&json)
        }
        write(String(decoding: line, as: UTF8.self))
    }
}

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
