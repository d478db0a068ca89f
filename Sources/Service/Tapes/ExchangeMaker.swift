import Compression
import FoundationEssentials
import HTTP

/// Makes what stands on the tape of a request and its answer: without tokens, and without the ids of members if they
/// have pseudonyms.
struct ExchangeMaker: Sendable {
    /// The fields of a request's header that an answer depends on; never `Authorization` or `Cookie`.
    private static let requestFields = ["Accept", "Accept-Encoding", "Content-Type", "If-None-Match"]
    private static let answerFields = ["Content-Type", "ETag", "Cache-Control", "Retry-After", "Allow"]

    let pseudonyms: Pseudonyms?

    /// The exchange, without a number.
    ///
    /// - Parameter withBody: whether the body of the answer is wanted.
    /// - Returns: nil for what cannot be told without naming members: a path that is of no route.
    func exchange(_ answered: AnsweredRequest, withBody: Bool) -> Exchange? {
        let (request, response, endpoint) = (answered.request, answered.response, answered.endpoint)
        guard pseudonyms == nil || endpoint != nil else { return nil }
        let target = RecordedTarget(request, of: endpoint, pseudonyms)
        let naming = pseudonyms.map { MemberNaming($0, path: target.path) }
        var requestBody = request.body
        var known = [target.member].compactMap(\.self)
        if let naming { requestBody = naming.request(requestBody, noting: &known) }
        var body: [UInt8] = []
        if withBody, request.method != .head {
            body = Self.plainBody(of: response)
            if let naming { body = naming.answer(body, about: known) }
        }
        return Exchange(
            atMilliseconds: answered.atMilliseconds, method: request.method.rawValue, target: target.text,
            route: endpoint?.pattern, member: target.member.map { pseudonyms?.pseudonym(of: $0) ?? $0 },
            isChange: endpoint?.threads == .recording,
            requestHeaders: Self.fields(Self.requestFields, of: request.headers), requestBody: requestBody,
            status: response.status.rawValue, headers: Self.fields(Self.answerFields, of: response.headers),
            body: body, microseconds: answered.nanoseconds / 1000)
    }

    private static func fields(_ names: [String], of headers: HTTPHeaders) -> [String: String] {
        var fields: [String: String] = [:]
        for name in names { fields[name] = headers[name] }
        return fields
    }

    /// The body without its compression.
    private static func plainBody(of response: HTTPResponse) -> [UInt8] {
        guard response.headers["Content-Encoding"] == "gzip", let decompressor = GzipDecompressor() else {
            return response.body
        }
        var body = response.body[...]
        return decompressor.member(of: &body) ?? []
    }
}

/// The target of a request as it stands on the tape: with those parameters of the query alone that the route knows, as
/// others may be anything, tokens too.
struct RecordedTarget {
    let path: String
    /// The whole target.
    let text: String
    /// The id of the member whom the path names.
    let member: String?

    init(_ request: HTTPRequest, of endpoint: Endpoint?, _ pseudonyms: Pseudonyms?) {
        guard let endpoint else {
            (path, text, member) = (request.rawPath, request.rawPath, nil)
            return
        }
        let place = endpoint.memberPlace.flatMap { $0 < request.segments.count ? $0 : nil }
        member = place.map { request.segments[$0] }
        var segments = request.rawPath.split(separator: "/", omittingEmptySubsequences: false)
        if let place, let member, let pseudonyms, place + 1 < segments.count {
            segments[place + 1] = pseudonyms.pseudonym(of: member)[...]
        }
        path = segments.joined(separator: "/")
        let whole = String(decoding: request.target, as: UTF8.self)
        let pairs = whole.split(separator: "?", maxSplits: 1).dropFirst().first?.split(separator: "&") ?? []
        var kept: [String] = []
        for (written, parameter) in zip(pairs, request.query)
        where endpoint.parameters.contains(where: { $0.name == parameter.name }) {
            if let pseudonyms, parameter.name == Parameter.session.name {
                kept.append("\(parameter.name)=\(pseudonyms.pseudonym(of: parameter.value))")
            } else {
                kept.append(String(written))
            }
        }
        text = kept.isEmpty ? path : path + "?" + kept.joined(separator: "&")
    }
}

extension Endpoint {
    /// The index of the segment of the path that names a member; nil if none does.
    fileprivate var memberPlace: Int? {
        guard let parameter = pathParameters.first(where: \.isMember) else { return nil }
        return pattern.split(separator: "/").firstIndex { $0 == "{\(parameter.name)}" }
    }
}

/// A request and its answer, as they are handed to the recorder: nothing is copied but references.
struct AnsweredRequest: Sendable {
    let request: HTTPRequest
    let response: HTTPResponse
    /// The route that answered; nil if there is none.
    let endpoint: Endpoint?
    /// When the request arrived, in Unix milliseconds.
    let atMilliseconds: Int64
    /// How long it took to answer.
    let nanoseconds: UInt64

    /// What it keeps in memory, in bytes, about.
    var byteCount: Int { request.target.count + request.body.count + response.body.count + 1024 }
}
