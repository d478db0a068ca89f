/// How far answers may differ from recorded ones, so that something can be made to depend on it.
public struct ReplayLimits: Sendable {
    /// The least part of all exchanges that must be identical; nil for any.
    public var identicalShare: Double?
    /// The least mean overlap; nil for any.
    public var meanOverlap: Double?
    /// How many may have another status, or no answer; nil for any number.
    public var statusChangeCount: Int?
    /// How many times as long as recorded the 99th percentile of latency may be; nil for any.
    public var latencyRatio: Double?

    /// No limits.
    public init() {}

    /// The limits that are exceeded, in words; none if all are kept.
    public func exceeded(by summary: ReplaySummary) -> [String] {
        let total = summary.total
        var problems: [String] = []
        if let identicalShare, total.identicalShare < identicalShare {
            problems.append(
                "\(percent(total.identicalShare)) are identical: at least \(percent(identicalShare)) must be")
        }
        if let meanOverlap, let mean = total.meanOverlap, mean < meanOverlap {
            problems.append("the mean overlap at 10 is \(percent(mean)): it must be at least \(percent(meanOverlap))")
        }
        if let statusChangeCount, total.statusChangeCount > statusChangeCount {
            problems.append(
                "\(total.statusChangeCount) have another status or no answer: at most \(statusChangeCount) may")
        }
        if let latencyRatio, let before = total.recordedMicroseconds(ofPart: 0.99),
            let now = total.microseconds(ofPart: 0.99), Double(now) > latencyRatio * Double(before)
        {
            problems.append(
                "the 99th percentile of latency is \(now) µs, and was \(before) µs: at most \(latencyRatio) times that")
        }
        return problems
    }

    private func percent(_ share: Double) -> String { "\((share * 1000).rounded(.down) / 10)%" }
}
