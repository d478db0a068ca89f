import HTTP
import Model

extension Endpoint {
    /// What whoever looks after the daemon asks.
    static let administration = [
        Endpoint(
            "model", .get, "/v1/admin/model", .admin, summary: "What the version that serves was built from, and how",
            content: .json(schema: "ModelReport"), caching: .never, problems: [.serviceUnavailable],
            handler: Responder.modelReport)
    ]
}

extension Responder {
    /// `GET /v1/admin/model`: the version that serves, and what its manifest says.
    @Sendable
    fileprivate static func modelReport(_ call: Call) throws(Problem) -> HTTPResponse {
        let snapshot = try call.snapshot
        let manifest = snapshot.manifest
        return .json { json in
            json.freshness(of: snapshot, call)
            json.member("createdAtMilliseconds", manifest.createdAtMilliseconds)
            json.member("sizeBytes", manifest.byteCount)
            json.member("recomputeSeconds", manifest.steps.reduce(0) { $0 + $1.seconds })
            json.object("catalog") { json in
                json.member("schemaVersion", manifest.catalog.schemaVersion)
                json.member("changeCount", manifest.catalog.changeCount)
            }
            json.object("groups") { json in
                json.member("included", manifest.groups.included)
                json.member("leftOutPrivate", manifest.groups.leftOutPrivate)
            }
            json.objects("relations", manifest.relations) { $0.report($1) }
        }
    }
}

extension JSONWriter {
    /// The members of one relation's report.
    fileprivate mutating func report(_ report: Manifest.RelationReport) {
        member("relation", report.relation.rawValue)
        member("measure", report.measure)
        object("measureParameters") { json in
            for (name, value) in report.measureParameters.sorted(by: { $0.key < $1.key }) { json.member(name, value) }
        }
        member("minimumEntries", report.minimumEntries)
        member("minimumCommon", report.minimumCommon)
        member("limit", report.limit)
        member("entries", report.entries)
        member("groupsCounted", report.groupsCounted)
        member("groupsWithNeighbours", report.groupsWithNeighbours)
        member("neighbours", report.neighbours)
    }
}
