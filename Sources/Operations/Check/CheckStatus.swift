/// The outcome of the last health check, as metrics in Prometheus's text format.
///
/// The metrics are in a file for the text collector of Prometheus's node_exporter. The next check reads the number of
/// evicted keys there, because Redis counts from its own start on and does not tell when it evicted.
package struct CheckStatus: Sendable, Equatable {
    private static let time = "coterie_check_timestamp_seconds"
    private static let findings = "coterie_check_findings"
    private static let evicted = "coterie_check_redis_evicted_keys"

    package var counts: [Finding.State: Int] = [:]
    /// The time of the check, in Unix seconds.
    package var seconds: Int64
    /// The number of keys that Redis had evicted since its start, or `nil` if it is not known.
    package var evictedKeys: Int?

    package init(seconds: Int64, evictedKeys: Int?) {
        self.seconds = seconds
        self.evictedKeys = evictedKeys
    }

    /// Returns the number of evicted keys in the file of an earlier check, or `nil` if it has none.
    package static func evictedKeys(in text: String) -> Int? {
        text.split(separator: "\n").last { $0.hasPrefix(evicted) }
            .flatMap { $0.split(separator: " ").last }.flatMap { Int($0) }
    }

    /// The content of the file.
    package var text: String {
        let states = Finding.State.allCases.map { "\(Self.findings){state=\"\($0.rawValue)\"} \(counts[$0] ?? 0)\n" }
        return [
            (Self.time, "When a health check last ended.", ["\(Self.time) \(seconds)\n"]),
            (Self.findings, "What the last health check found, by its state.", states),
            (
                Self.evicted, "Keys that Redis had evicted since its start.",
                evictedKeys.map { ["\(Self.evicted) \($0)\n"] } ?? []
            ),
        ].map { name, help, samples in
            samples.isEmpty ? "" : "# HELP \(name) \(help)\n# TYPE \(name) gauge\n" + samples.joined()
        }.joined()
    }
}
