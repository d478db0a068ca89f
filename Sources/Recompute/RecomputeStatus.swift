/// When the weekly job last succeeded, when it last failed and why, as metrics in Prometheus's text format.
///
/// They are for a file that the text collector of Prometheus's node_exporter reads: the job ends, and a daemon may be
/// on another machine. A job that cannot even start shows, too: its last success gets old.
public struct RecomputeStatus: Sendable, Equatable {
    private static let success = "coterie_recompute_last_success_timestamp_seconds"
    private static let failure = "coterie_recompute_last_failure_timestamp_seconds"
    /// The longest reason that is told, in characters.
    private static let reasonLimit = 200

    /// The samples, without their ends of line; nil if it never happened.
    private var lastSuccess, lastFailure: String?

    /// The state that a file tells.
    ///
    /// - Parameter text: what `text` gave for the run before; anything else is nothing.
    public init(_ text: String = "") {
        let lines = text.split(separator: "\n")
        lastSuccess = lines.last { $0.hasPrefix(Self.success) }.map(String.init)
        lastFailure = lines.last { $0.hasPrefix(Self.failure) }.map(String.init)
    }

    /// When the job last succeeded, in Unix seconds; nil if it never did.
    public var lastSuccessSeconds: Int64? { Self.time(in: lastSuccess) }

    /// When the job last failed, in Unix seconds; nil if it never did.
    public var lastFailureSeconds: Int64? { Self.time(in: lastFailure) }

    /// Why it last failed; nil if it never did.
    public var lastFailureReason: String? {
        guard let sample = lastFailure, let start = sample.firstRange(of: "reason=\"")?.upperBound,
            let end = sample.ranges(of: "\"} ").last?.lowerBound, start <= end
        else { return nil }
        var reason = ""
        var isEscaped = false
        for character in sample[start..<end] {
            if character == "\\", !isEscaped {
                isEscaped = true
            } else {
                reason.append(character)
                isEscaped = false
            }
        }
        return reason
    }

    private static func time(in sample: String?) -> Int64? {
        sample?.split(separator: " ").last.flatMap { Int64($0) }
    }

    /// The job has succeeded, at a time in Unix seconds.
    public mutating func succeeded(at seconds: Int64) { lastSuccess = "\(Self.success) \(seconds)" }

    /// The job has failed.
    ///
    /// - Parameters:
    ///   - seconds: when, in Unix seconds.
    ///   - exitCode: with which exit code.
    ///   - reason: why, in a sentence.
    public mutating func failed(at seconds: Int64, exitCode: Int32, reason: String) {
        let label = reason.prefix(Self.reasonLimit).map { character in
            switch character {
            case "\\", "\"": "\\\(character)"
            case _ where character.isNewline: " "
            default: String(character)
            }
        }.joined()
        lastFailure = "\(Self.failure){code=\"\(exitCode)\",reason=\"\(label)\"} \(seconds)"
    }

    /// The file.
    public var text: String {
        [
            (Self.success, "When a recompute last succeeded.", lastSuccess),
            (Self.failure, "When a recompute last failed, and why.", lastFailure),
        ].map { name, help, sample in
            sample.map { "# HELP \(name) \(help)\n# TYPE \(name) gauge\n\($0)\n" } ?? ""
        }.joined()
    }
}
