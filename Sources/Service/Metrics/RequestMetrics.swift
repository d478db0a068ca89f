import HTTP
import Synchronization

/// Counts requests: how long they took by route and class of status, how many are under way, how many were refused.
final class RequestMetrics: Sendable {
    /// Classes of status: 2xx to 5xx.
    private static let classes = 2...5

    /// What the histograms stand for: the endpoints in their order, and last the requests that led to none of them.
    private let routes: [(method: String, pattern: String)]
    private let durations: [Histogram]
    private let refusals = InlineArray<8, Atomic<UInt64>> { _ in Atomic(0) }
    private let underWay = Atomic(0)

    init(_ endpoints: [Endpoint]) {
        routes = endpoints.map { ($0.method.rawValue, $0.pattern) } + [("", "unmatched")]
        durations = (0..<(routes.count * Self.classes.count)).map { _ in Histogram() }
        precondition(Refusal.allCases.count == refusals.count, "each refusal needs a counter")
    }

    /// A request has arrived.
    func began() {
        underWay.wrappingAdd(1, ordering: .relaxed)
    }

    /// A request was answered.
    ///
    /// - Parameter endpoint: the number of the endpoint it led to; nil if there is none.
    func ended(endpoint: Int?, status: HTTPStatus, nanoseconds: UInt64) {
        underWay.wrappingSubtract(1, ordering: .relaxed)
        let route = endpoint ?? routes.count - 1
        durations[route * Self.classes.count + status.rawValue / 100 - Self.classes.lowerBound].observe(
            nanoseconds: nanoseconds)
    }

    /// A request was turned away.
    func refused(_ refusal: Refusal) {
        guard let place = Refusal.allCases.firstIndex(of: refusal) else { return }
        refusals[place].wrappingAdd(1, ordering: .relaxed)
    }
}

extension RequestMetrics: MetricSource {
    func write(to text: inout MetricsText) {
        text.histograms(
            "coterie_http_request_duration_seconds", "Time from the arrival of a whole request to its answer.",
            durations.enumerated().lazy.map { place, histogram in
                let route = self.routes[place / Self.classes.count]
                let status = "\(Self.classes.lowerBound + place % Self.classes.count)xx"
                return ([("method", route.method), ("route", route.pattern), ("status", status)], histogram)
            })
        text.gauge(
            "coterie_http_requests_in_flight", "Requests that are being answered, the one that asks included.",
            underWay.load(ordering: .relaxed))
        text.counters(
            "coterie_http_refused_total", "Requests turned away before they reached a route.", by: "reason",
            Refusal.allCases.enumerated().lazy.map { place, refusal in
                (refusal.rawValue, self.refusals[place].load(ordering: .relaxed))
            })
    }
}
