import Answers
import FoundationEssentials

/// A request and its answer, as they stand on a tape.
public struct Exchange: Sendable, Equatable {
    /// Its number, from 1, in the order in which a daemon answered.
    public var sequence: UInt64
    /// When the request arrived, in Unix milliseconds.
    public var atMilliseconds: Int64
    /// The method.
    public var method: String
    /// Path and query, as in a request line.
    public var target: String
    /// The pattern of the path, such as `/v1/users/{id}/recommendations`; nil if no route has the path.
    public var route: String?
    /// The member whom the path names; nil if it names none.
    public var member: String?
    /// Whether the route writes something.
    public var isChange: Bool
    /// Fields of the request's header, by their names.
    public var requestHeaders: [String: String]
    /// The body of the request; may be empty.
    public var requestBody: [UInt8]
    /// The status of the answer.
    public var status: Int
    /// Fields of the answer's header, by their names.
    public var headers: [String: String]
    /// The body of the answer, not compressed; may be empty.
    public var body: [UInt8]
    /// How long it took to make the answer.
    public var microseconds: UInt64

    /// An exchange.
    public init(
        sequence: UInt64 = 0, atMilliseconds: Int64, method: String, target: String, route: String? = nil,
        member: String? = nil, isChange: Bool = false, requestHeaders: [String: String] = [:],
        requestBody: [UInt8] = [], status: Int, headers: [String: String] = [:], body: [UInt8] = [],
        microseconds: UInt64 = 0
    ) {
        self.sequence = sequence
        self.atMilliseconds = atMilliseconds
        self.method = method
        self.target = target
        self.route = route
        self.member = member
        self.isChange = isChange
        self.requestHeaders = requestHeaders
        self.requestBody = requestBody
        self.status = status
        self.headers = headers
        self.body = body
        self.microseconds = microseconds
    }

    /// Method and route, as people name them; the method alone if no route has the path.
    public var routeName: String { route.map { "\(method) \($0)" } ?? "\(method) (no route)" }
}

/// An exchange as a line of JSON.
///
/// A body that an earlier exchange of the same block has is not written again.
struct ExchangeLine {
    var exchange: Exchange
    /// The number of the exchange that has the body of the answer; nil if it stands in the line.
    var bodyOf: UInt64?

    /// The line, without its end.
    var bytes: [UInt8] {
        JSONWriter.object { json in
            json.member("sequence", exchange.sequence)
            json.member("atMilliseconds", exchange.atMilliseconds)
            json.member("method", exchange.method)
            json.member("target", exchange.target)
            if let route = exchange.route { json.member("route", route) }
            if let member = exchange.member { json.member("member", member) }
            if exchange.isChange { json.member("isChange", true) }
            if !exchange.requestHeaders.isEmpty { json.member("requestHeaders", exchange.requestHeaders) }
            Self.write(exchange.requestBody, "requestBody", to: &json)
            json.member("status", exchange.status)
            json.member("microseconds", exchange.microseconds)
            if !exchange.headers.isEmpty { json.member("headers", exchange.headers) }
            if let bodyOf {
                json.member("bodyOf", bodyOf)
            } else {
                Self.write(exchange.body, "body", to: &json)
            }
        }
    }

    /// Text as it is, other bytes in base64; nothing if there are none.
    private static func write(_ body: [UInt8], _ name: String, to json: inout JSONWriter) {
        guard !body.isEmpty else { return }
        if let text = String(validating: body, as: UTF8.self) {
            json.member(name, text)
        } else {
            json.member(name + "Base64", Data(body).base64EncodedString())
        }
    }
}

extension ExchangeLine {
    /// Reads a line; nil if it is none.
    init?(_ line: ArraySlice<UInt8>) {
        guard let read = try? JSONDecoder().decode(Written.self, from: Data(line)),
            let requestBody = Self.body(read.requestBody, read.requestBodyBase64),
            let body = Self.body(read.body, read.bodyBase64), (200...599).contains(read.status)
        else { return nil }
        bodyOf = read.bodyOf
        exchange = Exchange(
            sequence: read.sequence, atMilliseconds: read.atMilliseconds, method: read.method, target: read.target,
            route: read.route, member: read.member, isChange: read.isChange ?? false,
            requestHeaders: read.requestHeaders ?? [:], requestBody: requestBody, status: read.status,
            headers: read.headers ?? [:], body: body, microseconds: read.microseconds)
    }

    private static func body(_ text: String?, _ base64: String?) -> [UInt8]? {
        if let text { return Array(text.utf8) }
        guard let base64 else { return [] }
        return Data(base64Encoded: base64).map { Array($0) }
    }

    private struct Written: Decodable {
        var sequence, microseconds: UInt64
        var atMilliseconds: Int64
        var method, target: String
        var route, member: String?
        var isChange: Bool?
        var requestHeaders, headers: [String: String]?
        var requestBody, requestBodyBase64, body, bodyBase64: String?
        var bodyOf: UInt64?
        var status: Int
    }
}

/// The first line of each file of a tape: what recorded it, and how.
public struct TapeHeader: Codable, Sendable, Equatable {
    /// The format that this program writes and reads.
    public static let currentFormat = 1

    /// The format of the file.
    public var format = Self.currentFormat
    /// The release of the program that recorded it.
    public var release: String
    /// When the file was begun, in Unix milliseconds.
    public var beganAtMilliseconds: Int64 = 0
    /// A fingerprint of the daemon's settings: two tapes of the same settings have the same one.
    public var settings: String
    /// How members are named.
    public var memberNames: MemberNames

    /// How the members on a tape are named.
    public enum MemberNames: String, Codable, Sendable {
        /// By their ids.
        case ids
        /// By pseudonyms (`Pseudonyms`).
        case pseudonyms
    }

    /// A header.
    public init(release: String, settings: String, memberNames: MemberNames) {
        self.release = release
        self.settings = settings
        self.memberNames = memberNames
    }

    /// The line, without its end.
    var bytes: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let json = try? encoder.encode(self) else { preconditionFailure("a header has nothing to refuse") }
        return Array(json)
    }
}
