import Answers
import HTTP

extension Endpoint {
    /// Endpoints for administrators.
    static let administration = [
        Endpoint(
            "model", .get, "/v1/admin/model", .admin, summary: "What the version that serves was built from, and how",
            caching: .never, problems: [.serviceUnavailable], handler: Responder.modelReport)
    ]
}

extension Responder {
    /// `GET /v1/admin/model`: the version that serves, and what its manifest says.
    @Sendable
    fileprivate static func modelReport(_ call: Call) throws(Problem) -> ModelReport {
        let snapshot = try call.loadedSnapshot
        return ModelReport(call.freshness(of: snapshot), snapshot.manifest)
    }
}
