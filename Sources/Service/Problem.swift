import Answers
import Basics
import HTTP
import Model
import RecordReading

/// An error answer: `application/problem+json` (RFC 9457).
struct Problem: Error {
    /// The kinds of problem; raw values are the last part of the answer's `type`.
    enum Kind: String {
        /// No kind beyond the status.
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
        case cannotCalculateChanges = "cannot-calculate-changes"
        case noCatalog = "no-catalog"
        case noVectors = "no-vectors"
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
    /// The reason for a refusal before any route; nil if the request reached a route.
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

    /// Returns the same problem with changed details.
    private func with(_ change: (inout ProblemDetails) -> Void) -> Problem {
        var problem = self
        change(&problem.details)
        return problem
    }

    /// Returns the response for the problem.
    ///
    /// - Parameter instance: the path as the client sent it; nil if the request could not be parsed.
    func response(instance: String?) -> HTTPResponse {
        var headers = headers
        headers.append(name: "Content-Type", value: "application/problem+json")
        headers.append(name: "Cache-Control", value: "no-store")
        headers.append(name: "X-Content-Type-Options", value: "nosniff")
        return HTTPResponse(status: status, headers: headers, body: with { $0.instance = instance }.details.json)
    }
}

extension Problem {
    /// The path does not exist.
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

    /// A parameter is unknown, repeated or out of bounds.
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

    /// A field of the body, such as `interactions[3].kind`, is wrong; an empty name means the whole body.
    static func badField(_ name: String, _ complaint: String, allowed: [String]? = nil) -> Problem {
        Problem(
            status: .badRequest, kind: .badBody, title: "Bad body",
            detail: (name.isEmpty ? "the body" : "\"\(name)\" in the body") + " \(complaint)"
        ).with { details in
            details.field = name.isEmpty ? nil : name
            details.allowed = allowed
        }
    }

    /// A field of the body is no whole number within bounds, which are inclusive.
    static func badNumber(_ number: String, at place: String, _ bounds: ClosedRange<Int>) -> Problem {
        badField(place, "is \(number): it must be a whole number from \(bounds.lowerBound) to \(bounds.upperBound)")
    }

    /// The daemon was told to stop.
    static func stopping() -> Problem {
        Problem(
            status: .serviceUnavailable, kind: .unavailable, title: "Stopping",
            detail: "the daemon was told to stop: send requests to another one")
    }

    /// The body has another media type than JSON.
    static func notJSON() -> Problem {
        Problem(
            status: .unsupportedMediaType, title: "Unsupported Media Type",
            detail: "the body must be JSON: send it with the header field Content-Type: application/json")
    }

    /// The body has a content coding, such as gzip.
    static func encodedBody(_ coding: String) -> Problem {
        Problem(
            status: .unsupportedMediaType, title: "Unsupported Media Type",
            detail: """
                the header field Content-Encoding is "\(coding.prefix(64))": send the body as it is, without this field
                """, headers: ["Accept-Encoding": "identity"])
    }

    /// A member's id was percent-encoded twice, such as `%2540` for `@`.
    static func encodedTwice(_ name: String, _ id: String) -> Problem {
        Problem(
            status: .badRequest, kind: .badParameter, title: "Bad parameter",
            detail: """
                the parameter "\(name)" is "\(id)", and there is no such member, but one whose id this is when it is \
                decoded: encode ids in paths once
                """
        ).with { $0.parameter = name }
    }

    /// A write is about an unknown member whose id has a plus, which some programs write for a space.
    static func ambiguousPlus(_ name: String, _ id: String) -> Problem {
        Problem(
            status: .badRequest, kind: .badParameter, title: "Bad parameter",
            detail: """
                the parameter "\(name)" is "\(id)", and there is no such member: in a path, write %20 for a space and \
                %2B for a plus
                """
        ).with { $0.parameter = name }
    }

    /// No object of this kind has the id; `near` holds similar ids.
    static func unknown(_ kind: Kind, _ noun: String, id: String, near: [String]) -> Problem {
        let hint = near.isEmpty ? "" : "; did you mean \(choice(of: near))?"
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

    /// An interaction names a group, a photo or a member that does not exist, or is not public.
    static func unknownSubject(_ subject: Interaction.Kind.Subject, _ id: String, inField name: String) -> Problem {
        let kind: Kind =
            switch subject {
            case .group: .unknownGroup
            case .photo: .unknownPhoto
            case .user: .unknownUser
            }
        return Problem(
            status: .notFound, kind: kind, title: "Unknown \(subject.noun)",
            detail: "\"\(name)\" in the body is \"\(id)\": there is no such \(subject.noun)"
        ).with { $0.field = name }
    }

    /// Another interaction with other content already has the id.
    static func idTaken(_ id: String, inField name: String) -> Problem {
        Problem(
            status: .conflict, kind: .idTaken, title: "Id taken",
            detail: "\"\(name)\" in the body is \"\(id)\": another interaction has this id, and says something else"
        ).with { $0.field = name }
    }

    /// The parameter `after` names a group that was never in the list.
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

    /// Members, photos or decisions cannot be read or recorded right now.
    static func unavailable(_ error: Failure) -> Problem {
        Problem(
            status: .serviceUnavailable, kind: .unavailable, title: "Temporarily unavailable", detail: error.message,
            headers: ["Retry-After": "1"])
    }

    /// The version, or the photo, has no vectors.
    static func noVectors(_ detail: String) -> Problem {
        Problem(status: .notFound, kind: .noVectors, title: "No vectors", detail: detail)
    }

    /// The daemon lacks the data that the route needs.
    static func noCatalog(_ what: String) -> Problem {
        Problem(
            status: .notImplemented, kind: .noCatalog, title: "No catalog",
            detail:
                "the daemon cannot know \(what): it was started without a catalog, or its version was made of tables")
    }
}

extension Problem {
    /// The server refused a request before it was routed, for example because it could not be parsed.
    static func refused(_ error: HTTPError) -> Problem {
        switch error.status {
        case .contentTooLarge:
            Problem(
                status: .contentTooLarge, title: "Content Too Large", detail: error.message,
                refusal: .contentTooLarge)
        case .serviceUnavailable:
            Problem(
                status: .serviceUnavailable, kind: .unavailable, title: "Too many connections", detail: error.message,
                headers: ["Retry-After": "1"], refusal: .overloaded)
        default:
            Problem(
                status: error.status, title: error.status.reasonPhrase, detail: error.message, refusal: .badRequest)
        }
    }

    /// The request has no token, but needs one.
    static func noToken() -> Problem {
        Problem(
            status: .unauthorized, kind: .badToken, title: "Token needed",
            detail: "send a token, in the header field Authorization: Bearer TOKEN",
            headers: ["WWW-Authenticate": "Bearer"], refusal: .tokenMissing)
    }

    /// The token is not valid.
    static func badToken(_ error: TokenError) -> Problem {
        Problem(
            status: .unauthorized, kind: .badToken, title: "Bad token", detail: error.message,
            headers: ["WWW-Authenticate": "Bearer error=\"invalid_token\""],
            refusal: refusal(error.code))
    }

    private static func refusal(_ code: TokenError.Code) -> Refusal {
        switch code {
        case .expired: .tokenExpired
        case .notYetValid: .tokenNotYetValid
        default: .tokenInvalid
        }
    }

    /// The token is valid, but has a role that the route does not accept.
    static func wrongRole(_ role: Role, needed: [Role]) -> Problem {
        let needed = needed.map(\.rawValue).joined(separator: " or ")
        return Problem(
            status: .forbidden, kind: .forbidden, title: "Forbidden",
            detail: "the token's role is \(role.rawValue), and this is for tokens of role \(needed)",
            refusal: .forbidden)
    }

    /// A daemon without keys was asked by another name than this machine's.
    static func foreignHost() -> Problem {
        Problem(
            status: .forbidden, kind: .forbidden, title: "Not by this name",
            detail: """
                without keys the daemon answers only to localhost, 127.0.0.1 and [::1] in the header field Host: use one \
                of these, let a proxy send it, or give the daemon keys
                """, refusal: .forbidden)
    }

    /// A page of another site wants to change something at a daemon without keys.
    static func foreignOrigin(_ origin: String) -> Problem {
        Problem(
            status: .forbidden, kind: .forbidden, title: "Not from this site",
            detail: """
                without keys nothing is changed for a page of another site, and the header field Origin is \
                "\(origin.prefix(200))": name it with --allow-origin, or give the daemon keys
                """, refusal: .forbidden)
    }

    /// The token of a service or an admin lacks a scope (RFC 6750, section 3.1).
    static func missingScope(_ scope: Scope) -> Problem {
        Problem(
            status: .forbidden, kind: .forbidden, title: "Forbidden",
            detail: """
                the token is of \(scope.role == .admin ? "an admin" : "a service") without the scope \
                \(scope.rawValue)
                """,
            headers: ["WWW-Authenticate": "Bearer error=\"insufficient_scope\", scope=\"\(scope.rawValue)\""],
            refusal: .forbidden)
    }

    /// The queue of slow requests is full.
    static func tooManyWait(_ limit: Int) -> Problem {
        Problem(
            status: .serviceUnavailable, kind: .unavailable, title: "Too many requests wait",
            detail: "\(limit) requests of this kind wait already; send fewer at a time",
            headers: ["Retry-After": "1"], refusal: .overloaded)
    }

    /// The token belongs to another member.
    static func otherMember() -> Problem {
        Problem(
            status: .forbidden, kind: .forbidden, title: "Forbidden",
            detail: "the token is another member's: it opens the paths of its own subject alone", refusal: .forbidden)
    }

    /// The bearer exceeds its rate limit.
    static func tooManyRequests(waitNanoseconds wait: UInt64) -> Problem {
        tooManyRequests("the token's bearer asks more often than is allowed", wait)
    }

    /// All callers of an open area together exceed its rate limit.
    static func openAreaTooBusy(waitNanoseconds wait: UInt64) -> Problem {
        tooManyRequests("all callers together use the open areas more often than is allowed", wait)
    }

    /// The member has reached the quota of recorded interactions.
    static func tooManyInteractions(_ quota: MemberQuota, waitSeconds: Int) -> Problem {
        let limits = [
            quota.interactionsPerDay.map { "\($0) interactions a day" },
            quota.keptBytes.map { "\($0 >> 20) MiB of interactions" },
        ].compactMap(\.self).joined(separator: ", and ")
        return Problem(
            status: .tooManyRequests, kind: .tooManyRequests, title: "Too many interactions",
            detail: "nothing was recorded: of each member at most \(limits) are",
            headers: ["Retry-After": String(waitSeconds)])
    }

    /// A member has made as many other changes as are allowed.
    static func tooManyChanges(_ quota: MemberQuota, waitSeconds: Int) -> Problem {
        Problem(
            status: .tooManyRequests, kind: .tooManyRequests, title: "Too many changes",
            detail: """
                nothing was changed: of each member at most \(quota.otherChangesPerDay) deletions and statements of \
                interests a day are taken
                """,
            headers: ["Retry-After": String(waitSeconds)])
    }

    private static func tooManyRequests(_ detail: String, _ wait: UInt64) -> Problem {
        Problem(
            status: .tooManyRequests, kind: .tooManyRequests, title: "Too many requests", detail: detail,
            headers: ["Retry-After": String((wait + 999_999_999) / 1_000_000_000)], refusal: .rateLimited)
    }
}
