/// How far a daemon is behind: what the store has as current, and what other daemons have recorded.
public struct DaemonLag: Sendable, Equatable, Encodable {
    /// For how long it has not served the current version, in seconds; 0 if it serves it, nil if that is not known.
    public var versionSeconds: Double?
    /// How long after the switch it took the current version up, in seconds; nil if it does not serve it, or started
    /// later.
    public var switchSeconds: Double?
    /// The age of the latest moment whose changes of other daemons it all has, in seconds; nil without a journal.
    public var streamSeconds: Double?

    /// A lag.
    public init(versionSeconds: Double? = nil, switchSeconds: Double? = nil, streamSeconds: Double? = nil) {
        self.versionSeconds = versionSeconds
        self.switchSeconds = switchSeconds
        self.streamSeconds = streamSeconds
    }
}

extension DaemonReport {
    /// How far the daemon is behind.
    ///
    /// - Parameters:
    ///   - current: the current version of the store; nil if there is none.
    ///   - since: when that became current, in Unix milliseconds; nil if it is not known.
    ///   - now: Unix milliseconds.
    public func lag(behind current: String?, since: Int64?, at now: Int64) -> DaemonLag {
        func seconds(from start: Int64, to end: Int64) -> Double { Double(max(0, end - start)) / 1000 }
        var lag = DaemonLag()
        lag.streamSeconds = streamCompleteAtMilliseconds.map { seconds(from: $0, to: reportedAtMilliseconds) }
        guard let current else { return lag }
        guard modelVersion == current else {
            lag.versionSeconds = since.map { seconds(from: max($0, startedAtMilliseconds), to: now) }
            return lag
        }
        lag.versionSeconds = 0
        if let since, let taken = versionTakenAtMilliseconds, startedAtMilliseconds < since {
            lag.switchSeconds = seconds(from: since, to: taken)
        }
        return lag
    }
}
