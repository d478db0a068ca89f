import Answers
import HTTP

/// An error answer: `application/problem+json` (RFC 9457).
struct Problem: Error {
    /// The kinds of problem; raw values are the last part of the answer's `type`.
    enum Kind: String {
        /// Nothing more specific than the status.
        case general = ""
        case badParameter = "bad-parameter"
        case badBody = "bad-body"
        case unknownGroup = "unknown-group"
        case unknownUser = "unknown-user"
        case privateGroup = "private-group"
        case unknownPhoto = "unknown-photo"
        case unknownInteraction = "unknown-interaction"
        case unknownEntry = "unknown-entry"
        case idTaken = "id-taken"
        case noCatalog = "no-catalog"
        case noModel = "no-model"
        case unavailable = "temporarily-unavailable"
        case badToken = "bad-token"
        case forbidden = "forbidden"
        case tooManyRequests = "too-many-requests"
    }

    var status: HTTPStatus
    /// The body of the answer.
    var details: ProblemDetails
    var headers: HTTPHeaders
    /// Why the request was refused before it reached a route; nil if it did reach one.
    var refusal: Refusal?

    init(
        status: HTTPStatus, kind: Kind = .general, title: String, detail: String, headers: HTTPHeaders = [:],
        refusal: Refusal? = nil
    ) {
        self.status = status
        details = ProblemDetails(
            type: kind == .general ? "about:blank" : "urn:coterie:problem:\(kind.rawValue)", title: title,
            status: status.rawValue, detail: detail)
        self.headers = headers
        self.refusal = refusal
    }

    /// The same problem with more details.
    private func with(_ change: (inout ProblemDetails) -> Void) -> Problem {
        var problem = self
        change(&problem.details)
        return problem
    }

    /// The answer.
    ///
    /// - Parameter instance: the path of the request as it came; nil if it could not be understood.
    func response(instance: String?) -> HTTPResponse {
        var headers = headers
        headers.append(name: "Content-Type", value: "application/problem+json")
        headers.append(name: "Cache-Control", value: "no-store")
        headers.append(name: "X-Content-Type-Options", value: "nosniff")
        return HTTPResponse(status: status, headers: headers, body: with { $0.instance = instance }.details.json)
    }
}

extension Problem {
    /// There is nothing at the path.
    static func noSuchPath() -> Problem {
        Problem(
            status: .notFound, title: "Not Found",
            detail: "there is nothing at this path; data is below /v1/groups, /v1/users and /v1/photos")
    }

    /// The path does not support the method.
    static func methodNotAllowed(_ method: HTTPMethod, allowed: [HTTPMethod]) -> Problem {
        let names = allowed.map(\.rawValue).joined(separator: ", ")
        return Problem(
            status: .methodNotAllowed, title: "Method Not Allowed",
            detail: "\(method) is not possible here: use \(names)", headers: ["Allow": names])
    }

    /// A parameter is out of bounds.
    static func badParameter(
        _ name: String, _ complaint: String, allowed: [String]? = nil, bounds: ClosedRange<Int>? = nil
    ) -> Problem {
        Problem(
            status: .badRequest, kind: .badParameter, title: "Bad parameter",
            detail: "the parameter \"\(name)\" \(complaint)"
        ).with { details in
            details.parameter = name
            details.allowed = allowed
            (details.minimum, details.maximum) = (bounds?.lowerBound, bounds?.upperBound)
        }
    }

    /// A member of the body, such as `interactions[3].kind`, is wrong; an empty name means the whole body.
    static func badField(_ name: String, _ complaint: String, allowed: [String]? = nil) -> Problem {
        Problem(
            status: .badRequest, kind: .badBody, title: "Bad body",
            detail: (name.isEmpty ? "the body" : "\"\(name)\" in the body") + " \(complaint)"
        ).with { details in
            details.field = name.isEmpty ? nil : name
            details.allowed = allowed
        }
    }

    /// The body is of another type than JSON.
    static func notJSON() -> Problem {
        Problem(
            status: .unsupportedMediaType, title: "Unsupported Media Type",
            detail: "the body must be JSON: send it with the header field Content-Type: application/json")
    }

    /// No group, user or photo has this id; `near` are similar ids.
    static func unknown(_ kind: Kind, _ noun: String, id: String, near: [String]) -> Problem {
        let hint = near.isEmpty ? "" : "; near it are \(near.joined(separator: ", "))"
        return Problem(
            status: .notFound, kind: kind, title: "Unknown \(noun)", detail: "there is no \(noun) \"\(id)\"\(hint)"
        ).with { $0.near = near.isEmpty ? nil : near }
    }

    /// A private group cannot be curated.
    static func privateGroup(_ id: String) -> Problem {
        Problem(
            status: .conflict, kind: .privateGroup, title: "Private group",
            detail: "the group \"\(id)\" is private, and private groups cannot be curated")
    }

    /// An interaction names a group that does not exist or is not shown.
    static func unknownGroup(_ id: String, inField name: String) -> Problem {
        Problem(
            status: .notFound, kind: .unknownGroup, title: "Unknown group",
            detail: "\"\(name)\" in the body is \"\(id)\": there is no such group"
        ).with { $0.field = name }
    }

    /// An interaction has the id of another that says something else.
    static func idTaken(_ id: String, inField name: String) -> Problem {
        Problem(
            status: .conflict, kind: .idTaken, title: "Id taken",
            detail: "\"\(name)\" in the body is \"\(id)\": another interaction has this id, and says something else"
        ).with { $0.field = name }
    }

    /// `after` names a group that was never in the list.
    static func notInList(after id: String) -> Problem {
        Problem(
            status: .notFound, kind: .unknownGroup, title: "Not in the list",
            detail: "the list has no group \"\(id)\" to begin after; has the session ended? Begin without it"
        ).with { $0.parameter = "after" }
    }

    /// No version has been loaded yet.
    static func noModel(_ state: VersionFollower.State) -> Problem {
        Problem(
            status: .serviceUnavailable, kind: .noModel, title: "No model is loaded",
            detail: "\(state.problem ?? "no version is loaded"); the daemon takes a version up as soon as there is one",
            headers: ["Retry-After": "5"]
        ).with { details in
            details.missing = ["model"]
            details.storeUnreachableSinceMilliseconds = state.storeUnreachableSinceMilliseconds
        }
    }

    /// Memberships or photos cannot be read right now.
    static func unavailable(_ error: ServiceError) -> Problem {
        Problem(
            status: .serviceUnavailable, kind: .unavailable, title: "Temporarily unavailable", detail: error.message,
            headers: ["Retry-After": "1"])
    }

    /// The daemon was started without what this route needs.
    static func noCatalog(_ what: String) -> Problem {
        Problem(
            status: .notImplemented, kind: .noCatalog, title: "No catalog",
            detail: "the daemon was started without a catalog, and cannot know \(what)")
    }
}
