import Files
import FoundationEssentials
import HTTP

/// Makes the record of a request and its answer, without tokens.
///
/// With pseudonyms, the record has no ids of members either.
struct ExchangeMaker: Sendable {
    /// The header fields of a request that an answer depends on; never `Authorization` or `Cookie`.
    private static let requestFields = ["Accept", "Accept-Encoding", "Content-Type", "If-None-Match"]
    private static let answerFields = ["Content-Type", "ETag", "Cache-Control", "Retry-After", "Allow"]

    let pseudonyms: Pseudonyms?

    /// Returns the exchange, without a number.
    ///
    /// - Parameters:
    ///   - answered: the request and its answer.
    ///   - withBody: whether the body of the answer is recorded.
    /// - Returns: `nil` if members have pseudonyms and the path has no route, as the path could name a member.
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

    /// Returns the body without its compression.
    private static func plainBody(of response: HTTPResponse) -> [UInt8] {
        guard response.headers["Content-Encoding"] == "gzip", let decompressor = GzipDecompressor() else {
            return response.body
        }
        var body = response.body[...]
        return decompressor.member(of: &body) ?? []
    }
}

/// The recorded target of a request.
///
/// It has only the query parameters that the route knows, because others may contain anything, even tokens.
struct RecordedTarget {
    let path: String
    /// The whole target: path and query.
    let text: String
    /// The id of the member that the path names.
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
    /// The index of the path segment that names a member, or `nil` if none does.
    fileprivate var memberPlace: Int? {
        guard let parameter = pathParameters.first(where: \.isMember) else { return nil }
        return pattern.split(separator: "/").firstIndex { $0 == "{\(parameter.name)}" }
    }
}

/// A request and its answer for the recorder; only references are copied.
struct AnsweredRequest: Sendable {
    let request: HTTPRequest
    let response: HTTPResponse
    /// The route that answered, or `nil` if there is none.
    let endpoint: Endpoint?
    /// The arrival of the request, in Unix milliseconds.
    let atMilliseconds: Int64
    /// The duration until the answer.
    let nanoseconds: UInt64

    /// The approximate size in memory, in bytes.
    var byteCount: Int { request.target.count + request.body.count + response.body.count + 1024 }
}
