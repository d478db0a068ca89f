import HTTP

/// An answer that says what is wrong: `application/problem+json` (RFC 9457).
struct Problem: Error {
    /// The kinds of problem; raw values end the `type` of the answer.
    enum Kind: String {
        /// Nothing more specific than the status.
        case general = ""
        case badParameter = "bad-parameter"
        case badBody = "bad-body"
        case unknownGroup = "unknown-group"
        case privateGroup = "private-group"
        case unknownUser = "unknown-user"
        case unknownPhoto = "unknown-photo"
        case unknownInteraction = "unknown-interaction"
        case noCatalog = "no-catalog"
        case noModel = "no-model"
        case unavailable = "temporarily-unavailable"
        case badToken = "bad-token"
        case forbidden = "forbidden"
        case tooManyRequests = "too-many-requests"
    }

    /// A member beyond those of the RFC.
    enum Extension {
        case text(String, String)
        case texts(String, [String])
        case number(String, Int)
    }

    var status: HTTPStatus
    var kind = Kind.general
    var title: String
    var detail: String
    var extensions: [Extension] = []
    var headers: HTTPHeaders = [:]
    /// Why the request was turned away before it reached a route; nil if it did.
    var refusal: Refusal?

    /// The answer.
    ///
    /// - Parameter instance: the path of the request as it came; nil if it could not be understood.
    func response(instance: String?) -> HTTPResponse {
        let body = JSONWriter.object { json in
            json.member("type", kind == .general ? "about:blank" : "urn:coterie:problem:\(kind.rawValue)")
            json.member("title", title)
            json.member("status", status.rawValue)
            json.member("detail", detail)
            if let instance { json.member("instance", instance) }
            for member in extensions {
                switch member {
                case .text(let name, let value): json.member(name, value)
                case .texts(let name, let values): json.texts(name, values)
                case .number(let name, let value): json.member(name, value)
                }
            }
        }
        var headers = headers
        headers.append(name: "Content-Type", value: "application/problem+json")
        headers.append(name: "Cache-Control", value: "no-store")
        headers.append(name: "X-Content-Type-Options", value: "nosniff")
        return HTTPResponse(status: status, headers: headers, body: body)
    }
}

extension Problem {
    /// The path leads nowhere.
    static func noSuchPath() -> Problem {
        Problem(
            status: .notFound, title: "Not Found",
            detail: "there is nothing at this path; data is below /v1/groups, /v1/users and /v1/photos")
    }

    /// The path is there, but not for this method.
    static func methodNotAllowed(_ method: HTTPMethod, allowed: [HTTPMethod]) -> Problem {
        let names = allowed.map(\.rawValue).joined(separator: ", ")
        return Problem(
            status: .methodNotAllowed, title: "Method Not Allowed",
            detail: "\(method) is not possible here: use \(names)", headers: ["Allow": names])
    }

    /// A parameter is not what it may be.
    static func badParameter(_ name: String, _ complaint: String, _ extensions: [Extension] = []) -> Problem {
        Problem(
            status: .badRequest, kind: .badParameter, title: "Bad parameter",
            detail: "the parameter \"\(name)\" \(complaint)", extensions: [.text("parameter", name)] + extensions)
    }

    /// A member of the body, such as `interactions[3].kind`, is not what it may be; an empty name means all of it.
    static func badField(_ name: String, _ complaint: String, _ extensions: [Extension] = []) -> Problem {
        Problem(
            status: .badRequest, kind: .badBody, title: "Bad body",
            detail: (name.isEmpty ? "the body" : "\"\(name)\" in the body") + " \(complaint)",
            extensions: (name.isEmpty ? [] : [.text("field", name)]) + extensions)
    }

    /// The body is of another type than JSON.
    static func notJSON() -> Problem {
        Problem(
            status: .unsupportedMediaType, title: "Unsupported Media Type",
            detail: "the body must be JSON: send it with the header field Content-Type: application/json")
    }

    /// No group, user or photo has this id; `near` are ids that are close to it.
    static func unknown(_ kind: Kind, _ noun: String, id: String, near: [String]) -> Problem {
        let hint = near.isEmpty ? "" : "; near it are \(near.joined(separator: ", "))"
        return Problem(
            status: .notFound, kind: kind, title: "Unknown \(noun)", detail: "there is no \(noun) \"\(id)\"\(hint)",
            extensions: near.isEmpty ? [] : [.texts("near", near)])
    }

    /// A private group cannot be put forward, as long as it is private.
    static func privateGroup(_ id: String) -> Problem {
        Problem(
            status: .conflict, kind: .privateGroup, title: "Private group",
            detail: "the group \"\(id)\" is private, and private groups are put forward to nobody")
    }

    /// An interaction names a group that is not there, or not shown.
    static func unknownGroup(_ id: String, inField name: String) -> Problem {
        Problem(
            status: .notFound, kind: .unknownGroup, title: "Unknown group",
            detail: "\"\(name)\" in the body is \"\(id)\": there is no such group", extensions: [.text("field", name)])
    }

    /// A page was to begin after a group that the list never had.
    static func notInList(after id: String) -> Problem {
        Problem(
            status: .notFound, kind: .unknownGroup, title: "Not in the list",
            detail: "the list has no group \"\(id)\" to begin after; has the session ended? Begin without it",
            extensions: [.text("parameter", "after")])
    }

    /// No version has been loaded yet.
    static func noModel(_ state: VersionFollower.State) -> Problem {
        let since = state.storeUnreachableSinceMilliseconds
        return Problem(
            status: .serviceUnavailable, kind: .noModel, title: "No model is loaded",
            detail: "\(state.problem ?? "no version is loaded"); the daemon takes a version up as soon as there is one",
            extensions: [.texts("missing", ["model"])]
                + (since.map { [.number("storeUnreachableSinceMilliseconds", Int($0))] } ?? []),
            headers: ["Retry-After": "5"])
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
