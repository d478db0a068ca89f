import Answers
import FoundationEssentials

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
