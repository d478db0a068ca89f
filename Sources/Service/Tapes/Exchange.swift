import Answers
import Basics
import FoundationEssentials

/// A request and its answer, as recorded on a tape.
package struct Exchange: Sendable, Equatable {
    /// The number, from 1, in the order in which a daemon answered.
    package var sequence: UInt64
    /// The arrival of the request, in Unix milliseconds.
    package var atMilliseconds: Int64
    package var method: String
    /// The path and the query, as in a request line.
    package var target: String
    /// The pattern of the path, such as `/v1/users/{id}/recommendations`, or `nil` if it has no route.
    package var route: String?
    /// The member that the path names, or `nil` if it names none.
    package var member: String?
    /// Whether the route writes data.
    package var isChange: Bool
    /// The recorded header fields of the request, by name.
    package var requestHeaders: [String: String]
    /// The body of the request; may be empty.
    package var requestBody: [UInt8]
    package var status: Int
    /// The recorded header fields of the answer, by name.
    package var headers: [String: String]
    /// The body of the answer, uncompressed; may be empty.
    package var body: [UInt8]
    /// The duration until the answer.
    package var microseconds: UInt64

    package init(
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

    /// The method and the route, as people name them; without a route, the method and "(no route)".
    package var routeName: String { route.map { "\(method) \($0)" } ?? "\(method) (no route)" }
}

/// An exchange as a line of JSON.
///
/// The body of an earlier exchange in the same block is not written again.
struct ExchangeLine {
    var exchange: Exchange
    /// The number of the exchange that has the body of the answer, or `nil` if the line has it.
    var bodyOf: UInt64?

    /// The line, without its line end.
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

    /// Writes text as it is, and other bytes in base64; writes nothing for an empty body.
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
    /// Reads a line, or returns `nil` if it is invalid.
    init?(_ line: ArraySlice<UInt8>) {
        guard let read = try? JSON.decoded(Written.self, from: line),
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

/// The first line of each file of a tape, which describes the recording daemon.
package struct TapeHeader: Codable, Sendable, Equatable {
    /// The format that this program writes and reads.
    package static let currentFormat = 2

    package var format = Self.currentFormat
    /// The release of the program that recorded the tape.
    package var release: String
    /// The creation of the file, in Unix milliseconds.
    package var beganAtMilliseconds: Int64 = 0
    /// A fingerprint of the daemon's settings, which is equal for equal settings.
    package var settings: String
    package var memberNames: MemberNames
    /// The values of the settings that lists depend on, by key.
    package var lists: [String: String] = [:]
    package var rotationKey = ""

    /// The ways to name members on a tape.
    package enum MemberNames: String, Codable, Sendable {
        case ids
        /// Members have pseudonyms (`Pseudonyms`).
        case pseudonyms
    }

    package init(release: String, settings: String, memberNames: MemberNames) {
        self.release = release
        self.settings = settings
        self.memberNames = memberNames
    }

    /// Returns whether a daemon of another header makes the same lists of the same data.
    func makesSameLists(as other: TapeHeader) -> Bool {
        release == other.release && lists == other.lists && rotationKey == other.rotationKey
    }

    /// The line, without its line end.
    var bytes: [UInt8] {
        guard let json = try? JSON.encoded(self) else { preconditionFailure("a header has nothing to refuse") }
        return json
    }
}
