import Synchronization

/// How long requests took, counted in buckets; threads count without waiting for each other.
final class Histogram: Sendable {
    /// The upper bounds of all buckets but the last, inclusive, in nanoseconds; ascending.
    static let boundsNanoseconds: [UInt64] = [
        100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000, 100_000_000,
        250_000_000, 500_000_000, 1_000_000_000,
    ]

    /// The same bounds in seconds, as Prometheus labels buckets.
    static let boundLabels = [
        "0.0001", "0.00025", "0.0005", "0.001", "0.0025", "0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1",
    ]

    private let buckets = InlineArray<14, Atomic<UInt64>> { _ in Atomic(0) }
    private let sumNanoseconds = Atomic<UInt64>(0)

    /// Counts a request that took so long.
    func observe(nanoseconds: UInt64) {
        let index = Self.boundsNanoseconds.firstIndex { nanoseconds <= $0 } ?? Self.boundsNanoseconds.count
        buckets[index].wrappingAdd(1, ordering: .relaxed)
        sumNanoseconds.wrappingAdd(nanoseconds, ordering: .relaxed)
    }

    /// The counts up to and including each bucket, of which the last is the count of all; and the sum in seconds.
    var reading: (cumulative: [UInt64], sumSeconds: Double) {
        var count: UInt64 = 0
        let cumulative = buckets.indices.map { index in
            count += buckets[index].load(ordering: .relaxed)
            return count
        }
        return (cumulative, Double(sumNanoseconds.load(ordering: .relaxed)) / 1e9)
    }
}
