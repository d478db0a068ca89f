import Answers
import Basics
import Changes
import Model
import Synchronization

/// Metrics in the text format of Prometheus (0.0.4): the help of a family, its type, its samples.
struct MetricsText {
    /// The labels of a sample, in their order.
    typealias Labels = [(name: String, value: String)]

    private(set) var bytes: [UInt8] = []

    mutating func gauge(_ name: String, _ help: String, _ value: some CustomStringConvertible, _ labels: Labels = []) {
        begin(name, help, type: "gauge")
        sample(name, labels, value)
    }

    mutating func counter(_ name: String, _ help: String, _ value: UInt64) {
        begin(name, help, type: "counter")
        sample(name, [], value)
    }

    /// Writes counters, one for each value of a label.
    mutating func counters(
        _ name: String, _ help: String, by label: String, _ samples: some Sequence<(value: String, count: UInt64)>
    ) {
        begin(name, help, type: "counter")
        for (value, count) in samples { sample(name, [(label, value)], count) }
    }

    /// Writes counters, one for each set of labels.
    mutating func counters(_ name: String, _ help: String, _ samples: some Sequence<(Labels, UInt64)>) {
        begin(name, help, type: "counter")
        for (labels, count) in samples { sample(name, labels, count) }
    }

    /// Writes histograms of durations, one for each set of labels; empty histograms are left out.
    mutating func histograms(_ name: String, _ help: String, _ samples: some Sequence<(Labels, Histogram)>) {
        begin(name, help, type: "histogram")
        for (labels, histogram) in samples {
            let (cumulative, sum) = histogram.reading
            guard let count = cumulative.last, count > 0 else { continue }
            for (bound, count) in zip(Histogram.boundLabels + ["+Inf"], cumulative) {
                sample("\(name)_bucket", labels + [("le", bound)], count)
            }
            sample("\(name)_sum", labels, sum)
            sample("\(name)_count", labels, count)
        }
    }

    private mutating func begin(_ name: String, _ help: String, type: String) {
        bytes.append(contentsOf: "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n".utf8)
    }

    private mutating func sample(_ name: String, _ labels: Labels, _ value: some CustomStringConvertible) {
        bytes.append(contentsOf: name.utf8)
        if !labels.isEmpty {
            bytes.append(UInt8(ascii: "{"))
            for (index, label) in labels.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                bytes.append(contentsOf: "\(label.name)=\"".utf8)
                bytes.append(contentsOf: label.value.asLabelValue.utf8)
                bytes.append(UInt8(ascii: "\""))
            }
            bytes.append(UInt8(ascii: "}"))
        }
        bytes.append(contentsOf: " \(value)\n".utf8)
    }
}

/// A part of the daemon with metrics; it is asked at every scrape, on a thread that answers requests.
protocol MetricSource: Sendable {
    /// Writes its families; a family must be written as a whole by a single source.
    func write(to text: inout MetricsText)
}

/// Counts interactions by their kind, by the origin of the group that the member saw, and by its position.
final class InteractionMetrics: Sendable {
    /// The labels of origins: those that clients tell, then "list" for a list without such an origin, then none.
    private static let origins = ShownOrigin.allCases.map(\.rawValue) + ["list", "elsewhere"]
    /// The ranges of positions, inclusive; positions beyond them, and missing ones, have labels of their own.
    private static let ranges: [ClosedRange<Int>] = [1...1, 2...2, 3...3, 4...10, 11...20, 21...50]
    private static let positions =
        ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" } + ["51+", "none"]
    /// The label of interactions that cannot be assigned.
    private static let mixed = "mixed"

    private let counts: Mutex<[UInt64]>
    private let mixedCount = Atomic<UInt64>(0)

    init() {
        counts = Mutex(
            Array(repeating: 0, count: Interaction.Kind.allCases.count * Self.origins.count * Self.positions.count))
    }

    /// Counts a batch that was recorded.
    ///
    /// - Parameters:
    ///   - origins: the origin of each as told by the client, or `nil`.
    ///   - new: the number of interactions that were not known before. If some were known, all new ones count as mixed.
    func count(_ records: [InteractionRecord], origins: [ShownOrigin?], new: Int) {
        guard new == records.count else {
            mixedCount.wrappingAdd(UInt64(new), ordering: .relaxed)
            return
        }
        counts.withLock { counts in
            for (record, origin) in zip(records, origins) { counts[Self.index(of: record, origin)] += 1 }
        }
    }

    private static func index(of record: InteractionRecord, _ told: ShownOrigin?) -> Int {
        let kind = Interaction.Kind.allCases.firstIndex(of: record.kind) ?? 0
        let origin =
            told.flatMap { ShownOrigin.allCases.firstIndex(of: $0) }
            ?? ShownOrigin.allCases.count + (record.recommendationID == nil ? 1 : 0)
        let position =
            record.position.map { position in ranges.firstIndex { $0.contains(position) } ?? ranges.count }
            ?? positions.count - 1
        return (kind * origins.count + origin) * positions.count + position
    }
}

extension InteractionMetrics: MetricSource {
    func write(to text: inout MetricsText) {
        let counts = counts.withLock { $0 }
        var samples: [(MetricsText.Labels, UInt64)] = []
        for (index, count) in counts.enumerated() where count > 0 {
            let (rest, position) = index.quotientAndRemainder(dividingBy: Self.positions.count)
            let (kind, origin) = rest.quotientAndRemainder(dividingBy: Self.origins.count)
            samples.append(
                (
                    [
                        ("kind", Interaction.Kind.allCases[kind].rawValue), ("origin", Self.origins[origin]),
                        ("position", Self.positions[position]),
                    ], count
                ))
        }
        let mixed = mixedCount.load(ordering: .relaxed)
        if mixed > 0 {
            samples.append((["kind", "origin", "position"].map { (name: $0, value: Self.mixed) }, mixed))
        }
        text.counters("coterie_interactions_total", "Interactions that were recorded.", samples)
    }
}

/// Metrics about the serving version and its store.
struct ModelMetrics: MetricSource {
    let problems: DaemonProblems
    /// The time, in Unix milliseconds.
    let now: @Sendable () -> Int64

    func write(to text: inout MetricsText) {
        let (follower, state) = (problems.follower, problems.follower.current)
        if let snapshot = state.snapshot {
            text.gauge(
                "coterie_model_info", "The version that serves, as a label; always 1.", 1,
                [("version", snapshot.version.description)])
            text.gauge(
                "coterie_model_age_seconds", "Time since the recompute of the version that serves began.",
                snapshot.ageSeconds(at: now()))
            text.gauge("coterie_model_groups", "Groups in the version that serves.", snapshot.model.groupCount)
            if let quality = snapshot.manifest.quality?.last, let figures = quality.figures {
                for (name, title, value) in QualityFigures.all {
                    text.gauge(
                        "coterie_list_\(name)", "\(title), as a share, in lists of the version before.",
                        figures[keyPath: value], [("version", quality.version.description)])
                }
            }
        }
        text.gauge("coterie_model_loaded", "Whether there is a version to serve.", state.snapshot == nil ? 0 : 1)
        text.gauge(
            "coterie_degraded", "Whether the daemon has a problem; /readyz has the reason.",
            problems.sentences.isEmpty ? 0 : 1)
        text.gauge(
            "coterie_store_reachable", "Whether the store answered when it was last asked.",
            state.storeIsReachable ? 1 : 0)
        text.counter(
            "coterie_store_poll_failures_total", "Times that the current version could not be asked for or loaded.",
            follower.pollFailureCount)
    }
}
