import Answers
import Basics
import HTTP
import Model

extension Endpoint {
    private static let group = Parameter("group", .identifier, "The group's id", example: "macro-mondays")

    static let curation = [
        Endpoint(
            "curation", .get, "/v1/admin/curation", .admin(.look),
            summary: "All curated groups, by position, also those whose time is over or to come",
            caching: .never, problems: [.notImplemented, .serviceUnavailable],
            handler: Responder.curation),
        Endpoint(
            "curateGroup", .put, "/v1/admin/curation/{group}", .admin(.curate),
            summary: "Curates a group, or changes its position and times; those behind it move down", path: [group],
            body: CurationBody.self, caching: .never,
            problems: [.notFound, .conflict, .notImplemented, .serviceUnavailable], handler: Responder.curate),
        Endpoint(
            "uncurateGroup", .delete, "/v1/admin/curation/{group}", .admin(.curate),
            summary: "Curates a group no more; those behind it move up", path: [group],
            caching: .never,
            problems: [.notFound, .notImplemented, .serviceUnavailable], handler: Responder.uncurate),
    ]
}

/// The position and times of a curated group in a request.
struct CurationBody: RequestBody {
    static let isRequired = false
    static let example = #"{"position":1,"expiresAtMilliseconds":1798675200000}"#

    static let schemaName = "Placement"
    static let fields: [BodyField<CurationBody>] = [
        .integer(
            "position", \.position, 1...1_000_000, "The position among all curated groups; the last if not given"),
        .time(
            "startsAtMilliseconds", \.startsAtMilliseconds, RequestTime.bounds,
            "From when on, to the second; at once if not given"),
        .time(
            "expiresAtMilliseconds", \.expiresAtMilliseconds, RequestTime.bounds,
            "Until when, to the second; for ever if not given"),
    ]

    /// The position, from 1; nil or a number beyond the end stands for the last position.
    var position: Int?
    /// The start and the end, which are truncated to seconds.
    var startsAtMilliseconds, expiresAtMilliseconds: Int64?

    var action: SiteChange.Action {
        .curate(
            position: position, startsAt: startsAtMilliseconds.map { $0 / 1000 },
            expiresAt: expiresAtMilliseconds.map { $0 / 1000 })
    }
}

extension Responder {
    /// Answers `PUT /v1/admin/curation/{group}`.
    @Sendable
    fileprivate static func curate(_ call: Call) throws(Problem) -> CuratedGroups {
        _ = try call.community(with: .siteDecisions)
        let action = try call.body(as: CurationBody.self).action
        switch try call.decide(action, aboutGroup: call.path["group"]) {
        case .changed, .unchanged, .unknownGroup: return try curation(call)
        case .privateGroup: throw .privateGroup(call.path["group"])
        case .expiresBeforeStart: throw .badField("expiresAtMilliseconds", "is not a second or more after the start")
        }
    }

    /// Answers `DELETE /v1/admin/curation/{group}`.
    @Sendable
    fileprivate static func uncurate(_ call: Call) throws(Problem) -> CuratedGroups {
        _ = try call.decide(.uncurate, aboutGroup: call.path["group"])
        return try curation(call)
    }

    /// Answers `GET /v1/admin/curation`.
    @Sendable
    fileprivate static func curation(_ call: Call) throws(Problem) -> CuratedGroups {
        let community = try call.community(with: .siteDecisions)
        let curations = try call.orUnavailable { () throws(Failure) in try community.siteState().curations }
        return CuratedGroups(curations, atSeconds: call.responder.now() / 1000)
    }
}

extension Endpoint {
    private static let hiddenGroup = Parameter("id", .identifier, "The group's id", example: "macro-mondays")

    /// Endpoints for hidden groups.
    static let hiding = [
        Endpoint(
            "hideGroup", .put, "/v1/admin/groups/{id}/hidden", .admin(.curate),
            summary: "Hides a group from everybody, at once, until it is unhidden", path: [hiddenGroup],
            caching: .never,
            problems: [.notFound, .notImplemented, .serviceUnavailable],
            handler: { (call) throws(Problem) in try Responder.setHidden(true, call) }),
        Endpoint(
            "unhideGroup", .delete, "/v1/admin/groups/{id}/hidden", .admin(.curate),
            summary: "Shows a group again that was hidden", path: [hiddenGroup], caching: .never,
            problems: [.notFound, .notImplemented, .serviceUnavailable],
            handler: { (call) throws(Problem) in try Responder.setHidden(false, call) }),
        Endpoint(
            "hiddenGroups", .get, "/v1/admin/hidden", .admin(.look),
            summary: "All hidden groups, in the order of their ids",
            parameters: [
                .limit, Parameter("after", .text(1...Parameter.identifierLimit), "Begin after this id"),
            ],
            caching: .never, problems: [.notImplemented, .serviceUnavailable],
            handler: Responder.hiddenGroups),
    ]
}

extension Responder {
    /// Answers `PUT|DELETE /v1/admin/groups/{id}/hidden`.
    fileprivate static func setHidden(_ isHidden: Bool, _ call: Call) throws(Problem) -> Hiding {
        let outcome = try call.decide(isHidden ? .hide : .unhide, aboutGroup: call.id)
        return Hiding(groupId: call.id, hidden: isHidden, changed: outcome == .changed)
    }

    /// Answers `GET /v1/admin/hidden?after=ID&limit=N`.
    @Sendable
    fileprivate static func hiddenGroups(_ call: Call) throws(Problem) -> HiddenGroups {
        let community = try call.community(with: .siteDecisions)
        let hidden = try call.orUnavailable { () throws(Failure) in try community.siteState().hiddenGroups }
        let after = call.parameters.text("after")
        let found = hidden.drop { group in after.map { !$0.utf8.lexicographicallyPrecedes(group.id.utf8) } ?? false }
        return HiddenGroups(Array(found), limit: call.parameters.limit)
    }
}
