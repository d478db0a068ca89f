import Answers
import Basics
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
    /// - Returns: `nil` if members have pseudonyms, and a path without a route or a page for operators could name them.
    func exchange(_ answered: AnsweredRequest, withBody: Bool) -> Exchange? {
        let (request, response, endpoint) = (answered.request, answered.response, answered.endpoint)
        guard pseudonyms == nil || endpoint?.isPage == false else { return nil }
        // The names in a refused request may be of anything.
        let isRefused = (400..<500).contains(response.status.rawValue)
        let target = RecordedTarget(request, of: endpoint, pseudonyms, isRefused: isRefused)
        let naming = pseudonyms.map { MemberNaming($0, path: target.path, fields: endpoint?.bodyFields ?? []) }
        var requestBody = request.body
        var known = target.replaced
        if let naming { requestBody = naming.request(requestBody, noting: &known) }
        if naming != nil, isRefused { requestBody = [] }
        var body: [UInt8] = []
        if withBody, request.method != .head {
            body = Self.plainBody(of: response)
            if let naming { body = naming.answer(body, about: known) }
        }
        return Exchange(
            atMilliseconds: answered.atMilliseconds, method: request.method.rawValue, target: target.text,
            route: endpoint?.pattern, member: target.member.map { pseudonyms?.pseudonym(of: $0) ?? $0 },
            isChange: endpoint?.threads == .recording,
            requestHeaders: requestFields(request.headers), requestBody: requestBody,
            status: response.status.rawValue, headers: Self.fields(Self.answerFields, of: response.headers),
            body: body, microseconds: answered.nanoseconds / 1000)
    }

    /// Returns the fields of a request; with pseudonyms, only those with values that name nobody.
    private func requestFields(_ headers: HTTPHeaders) -> [String: String] {
        let fields = Self.fields(Self.requestFields, of: headers)
        guard pseudonyms != nil else { return fields }
        return fields.filter { name, value in
            name == "If-None-Match" ? EntityTag.isOurs(value) : Self.commonValues.contains(value)
        }
    }

    /// The values of header fields that clients send without a thought.
    private static let commonValues: Set = [
        "*/*", "application/json", "application/json; charset=utf-8", "text/html", "gzip", "gzip, deflate",
        "gzip, deflate, br", "gzip, deflate, br, zstd", "identity", "deflate, gzip", "br, gzip, deflate",
    ]

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
    /// The texts that pseudonyms replace: the member, and whatever else a client chose.
    let replaced: [String]

    init(_ request: HTTPRequest, of endpoint: Endpoint?, _ pseudonyms: Pseudonyms?, isRefused: Bool) {
        guard let endpoint else {
            (path, text, member, replaced) = (request.rawPath, request.rawPath, nil, [])
            return
        }
        let places = endpoint.pathPlaces.filter { $0.place < request.segments.count }
        member = places.first(where: \.parameter.isMember).map { request.segments[$0.place] }
        var segments = request.rawPath.split(separator: "/", omittingEmptySubsequences: false)
        var names: [String] = []
        for (place, parameter) in places {
            // A client chooses the names of its interactions; those of groups and photos are the site's.
            guard parameter.isMember || parameter.isOfClient || isRefused else { continue }
            names.append(request.segments[place])
            guard let pseudonyms, place + 1 < segments.count else { continue }
            segments[place + 1] = pseudonyms.pseudonym(of: request.segments[place])[...]
        }
        path = segments.joined(separator: "/")
        let whole = String(decoding: request.target, as: UTF8.self)
        let pairs = whole.split(separator: "?", maxSplits: 1).dropFirst().first?.split(separator: "&") ?? []
        var kept: [String] = []
        for (written, parameter) in zip(pairs, request.query)
        where endpoint.parameters.contains(where: { $0.name == parameter.name }) {
            let isChosen = parameter.name == Parameter.session.name || isRefused || names.contains(parameter.value)
            if let pseudonyms, isChosen || endpoint.pages(by: parameter.name) {
                names.append(parameter.value)
                kept.append("\(parameter.name)=\(pseudonyms.pseudonym(of: parameter.value))")
            } else {
                kept.append(String(written))
            }
        }
        replaced = names
        text = kept.isEmpty ? path : path + "?" + kept.joined(separator: "&")
    }
}

extension Endpoint {
    /// The names of all fields that the route reads from a body.
    fileprivate var bodyFields: Set<String> { body?.schema.fieldNames ?? [] }

    /// The parameters of the path, with the indexes of their segments.
    fileprivate var pathPlaces: [(place: Int, parameter: Parameter)] {
        let segments = pattern.split(separator: "/")
        return pathParameters.compactMap { parameter in
            segments.firstIndex { $0 == "{\(parameter.name)}" }.map { ($0, parameter) }
        }
    }

    /// Whether a query parameter names an interaction, whose id a client chose, to begin behind it.
    fileprivate func pages(by name: String) -> Bool { name == "after" && pattern.contains("/interactions") }
}

extension Parameter {
    /// Whether a client chose the name that the parameter has: that of an interaction.
    fileprivate var isOfClient: Bool { name == "interaction" }
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
