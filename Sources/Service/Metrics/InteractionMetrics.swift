import Answers
import CatalogStore
import Model
import Synchronization

/// Counts what members do, by what it is, what made the group stand where they saw it, and at which position.
final class InteractionMetrics: Sendable {
    /// Labels of origins: those that clients tell, then a list of which nothing else is told, then nothing.
    private static let origins = ShownOrigin.allCases.map(\.rawValue) + ["list", "elsewhere"]
    /// Ranges of positions, inclusive; positions beyond them, and none, have labels of their own.
    private static let ranges: [ClosedRange<Int>] = [1...1, 2...2, 3...3, 4...10, 11...20, 21...50]
    private static let positions =
        ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" } + ["51+", "none"]
    /// The label of interactions that cannot be told apart.
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
    ///   - origins: what clients tell of each; nil for nothing.
    ///   - new: how many of them were not known before; which ones is not known.
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
