import HTTP
import Synchronization

/// Counts requests: durations by route and kind of status, requests in flight, and refused requests.
final class RequestMetrics: Sendable {
    /// The kinds of status: one for each class, and one for 501.
    ///
    /// A 501 only shows that the daemon was started without a feature; it is no failure.
    private static let kinds = ["2xx", "3xx", "4xx", "5xx", "501"]

    private static func kind(of status: HTTPStatus) -> Int {
        status == .notImplemented ? kinds.count - 1 : status.rawValue / 100 - 2
    }

    /// The routes of the histograms: the endpoints in their order, and last the requests without an endpoint.
    private let routes: [(method: String, pattern: String)]
    /// Whether a route is a page, whose views are no answers to members.
    private let isPage: [Bool]
    private let durations: [Histogram]
    private let refusals = InlineArray<9, Atomic<UInt64>> { _ in Atomic(0) }
    private let underWay = Atomic(0)

    init(_ endpoints: [Endpoint]) {
        routes = endpoints.map { ($0.method.rawValue, $0.pattern) } + [("", "unmatched")]
        isPage = endpoints.map(\.isPage) + [false]
        durations = (0..<(routes.count * Self.kinds.count)).map { _ in Histogram() }
        precondition(Refusal.allCases.count == refusals.count, "each refusal needs a counter")
    }

    /// Counts a request that has arrived.
    func began() {
        underWay.wrappingAdd(1, ordering: .relaxed)
    }

    /// Counts a request that was answered.
    ///
    /// - Parameter endpoint: the number of the request's endpoint, or `nil` if there is none.
    func ended(endpoint: Int?, status: HTTPStatus, nanoseconds: UInt64) {
        underWay.wrappingSubtract(1, ordering: .relaxed)
        let route = endpoint ?? routes.count - 1
        durations[route * Self.kinds.count + Self.kind(of: status)].observe(nanoseconds: nanoseconds)
    }

    /// The answers of all routes since the start of the daemon.
    struct Total: Equatable {
        var answers, failures: UInt64
        /// The bound that 99% of the answers kept, in microseconds; nil without answers, or beyond the last bound.
        var slowestMicroseconds: UInt64?
    }

    /// The answers of all routes but pages since the start; a status of 500 or more, except 501, is a failure.
    var total: Total {
        var cumulative = [UInt64](repeating: 0, count: Histogram.boundsNanoseconds.count + 1)
        var failures: UInt64 = 0
        for (index, histogram) in durations.enumerated()
        where !isPage[index / Self.kinds.count] {
            let counts = histogram.reading.cumulative
            for (bucket, count) in counts.enumerated() { cumulative[bucket] += count }
            if Self.kinds[index % Self.kinds.count] == "5xx" { failures += counts.last ?? 0 }
        }
        let answers = cumulative.removeLast()
        let bound = answers == 0 ? nil : cumulative.firstIndex { $0 * 100 >= answers * 99 }
        return Total(
            answers: answers, failures: failures,
            slowestMicroseconds: bound.map { Histogram.boundsNanoseconds[$0] / 1000 })
    }

    /// Counts a request that was refused.
    func refused(_ refusal: Refusal) {
        guard let index = Refusal.allCases.firstIndex(of: refusal) else { return }
        refusals[index].wrappingAdd(1, ordering: .relaxed)
    }
}

extension RequestMetrics: MetricSource {
    func write(to text: inout MetricsText) {
        text.histograms(
            "coterie_http_request_duration_seconds", "Time from the arrival of a whole request to its answer.",
            durations.enumerated().lazy.map { index, histogram in
                let route = self.routes[index / Self.kinds.count]
                let kind = Self.kinds[index % Self.kinds.count]
                return ([("method", route.method), ("route", route.pattern), ("status", kind)], histogram)
            })
        text.gauge(
            "coterie_http_requests_in_flight", "Requests that are being answered, the one that asks included.",
            underWay.load(ordering: .relaxed))
        text.counters(
            "coterie_http_refused_total", "Requests turned away before they reached a route.", by: "reason",
            Refusal.allCases.enumerated().lazy.map { index, refusal in
                (refusal.rawValue, self.refusals[index].load(ordering: .relaxed))
            })
    }
}

/// A histogram of durations; threads count without waiting for each other.
final class Histogram: Sendable {
    /// The upper bounds of all buckets except the last, inclusive, in nanoseconds; ascending.
    static let boundsNanoseconds: [UInt64] = [
        100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000, 100_000_000,
        250_000_000, 500_000_000, 1_000_000_000,
    ]

    /// The same bounds in seconds, as Prometheus's labels.
    static let boundLabels = [
        "0.0001", "0.00025", "0.0005", "0.001", "0.0025", "0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1",
    ]

    private let buckets = InlineArray<14, Atomic<UInt64>> { _ in Atomic(0) }
    private let sumNanoseconds = Atomic<UInt64>(0)

    func observe(nanoseconds: UInt64) {
        let index = Self.boundsNanoseconds.firstIndex { nanoseconds <= $0 } ?? Self.boundsNanoseconds.count
        buckets[index].wrappingAdd(1, ordering: .relaxed)
        sumNanoseconds.wrappingAdd(nanoseconds, ordering: .relaxed)
    }

    /// The cumulative count of each bucket, the last being the count of all, and the sum in seconds.
    var reading: (cumulative: [UInt64], sumSeconds: Double) {
        var count: UInt64 = 0
        let cumulative = buckets.indices.map { index in
            count += buckets[index].load(ordering: .relaxed)
            return count
        }
        return (cumulative, Double(sumNanoseconds.load(ordering: .relaxed)) / 1e9)
    }
}
