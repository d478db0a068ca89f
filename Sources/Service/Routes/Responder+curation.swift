import Answers
import HTTP
import Model

extension Endpoint {
    private static let group = Parameter("group", .identifier, "The group's id", example: "macro-mondays")

    /// Endpoints for groups that are put forward.
    static let curation = [
        Endpoint(
            "curation", .get, "/v1/admin/curation", .admin,
            summary: "All groups that are put forward, by position, also those whose time is over or to come",
            caching: .never, problems: [.notImplemented, .serviceUnavailable],
            handler: Responder.curation),
        Endpoint(
            "curateGroup", .put, "/v1/admin/curation/{group}", .admin,
            summary: "Puts a group forward, or changes where and when; those behind it move on", path: [group],
            body: Placement.self, caching: .never,
            problems: [.notFound, .conflict, .notImplemented, .serviceUnavailable], handler: Responder.curate),
        Endpoint(
            "uncurateGroup", .delete, "/v1/admin/curation/{group}", .admin,
            summary: "Puts a group forward no more; those behind it move up", path: [group],
            caching: .never,
            problems: [.notFound, .notImplemented, .serviceUnavailable], handler: Responder.uncurate),
    ]
}

/// Where and when a group is put forward, as a client sends it.
struct Placement: RequestBody {
    private static let positions = 1...1_000_000
    static let isRequired = false
    static let example = #"{"position":1,"expiresAtMilliseconds":1798675200000}"#

    static let schema = Schema.component(
        "Placement",
        .object([
            .sometimes(
                "position", .integer(positions), "The position among all that are put forward; the last if not given"),
            .sometimes(
                "startsAtMilliseconds", .integer(RequestTime.bounds),
                "From when on, to the second; at once if not given"),
            .sometimes(
                "expiresAtMilliseconds", .integer(RequestTime.bounds),
                "Until when, to the second; for ever if not given"
            ),
        ]))

    /// From 1; nil, or a number beyond the end, is the last.
    var position: Int?
    /// Truncated to seconds.
    var startsAtMilliseconds, expiresAtMilliseconds: Int64?

    func action() throws(Problem) -> SiteChange.Action {
        if let position, !Self.positions.contains(position) {
            throw .badField(
                "position",
                "is \(position): positions count from \(Self.positions.lowerBound) to \(Self.positions.upperBound)")
        }
        for (name, time) in [
            ("startsAtMilliseconds", startsAtMilliseconds), ("expiresAtMilliseconds", expiresAtMilliseconds),
        ] {
            if let time { try RequestTime.check(time, name) }
        }
        return .curate(
            position: position, startsAt: startsAtMilliseconds.map { $0 / 1000 },
            expiresAt: expiresAtMilliseconds.map { $0 / 1000 })
    }
}

extension Responder {
    /// `PUT /v1/admin/curation/{group}`.
    @Sendable
    fileprivate static func curate(_ call: Call) throws(Problem) -> CuratedGroups {
        _ = try call.community(with: Call.siteDecisions)
        let action = try call.body(as: Placement.self).action()
        switch try call.decide(action, aboutGroup: call.path["group"]) {
        case .changed, .unchanged, .unknownGroup: return try curation(call)
        case .privateGroup: throw .privateGroup(call.path["group"])
        case .expiresBeforeStart: throw .badField("expiresAtMilliseconds", "is not a second or more after the start")
        }
    }

    /// `DELETE /v1/admin/curation/{group}`.
    @Sendable
    fileprivate static func uncurate(_ call: Call) throws(Problem) -> CuratedGroups {
        _ = try call.decide(.uncurate, aboutGroup: call.path["group"])
        return try curation(call)
    }

    /// `GET /v1/admin/curation`.
    @Sendable
    fileprivate static func curation(_ call: Call) throws(Problem) -> CuratedGroups {
        let community = try call.community(with: Call.siteDecisions)
        let curations = try call.orUnavailable { () throws(ServiceError) in try community.curations() }
        return CuratedGroups(curations, atSeconds: call.responder.now() / 1000)
    }
}
