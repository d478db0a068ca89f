import Answers
import HTTP

extension Endpoint {
    /// Endpoints about the service itself.
    static let documents = [
        Endpoint(
            "description", .get, "/openapi.json", .open, summary: "This description, in OpenAPI 3.1",
            content: .json({ _ in .component("Description", .anyObject) }), caching: .shared, reuse: .untilChange,
            handler: Responder.serviceDescription),
        Endpoint(
            "metrics", .get, "/metrics", .site(.metrics), summary: "Figures about the daemon, for Prometheus",
            content: .text(type: Responder.metricsType), caching: .never, handler: Responder.metrics),
    ]
}

extension Responder {
    static let metricsType = "text/plain; version=0.0.4; charset=utf-8"

    /// `GET /openapi.json`.
    @Sendable
    fileprivate static func serviceDescription(_ call: Call) -> HTTPResponse {
        .content("application/json", call.responder.openAPI)
    }

    /// `GET /metrics`.
    @Sendable
    fileprivate static func metrics(_ call: Call) -> HTTPResponse {
        var text = MetricsText()
        for source in call.responder.metricSources { source.write(to: &text) }
        return .content(metricsType, text.bytes)
    }
}
