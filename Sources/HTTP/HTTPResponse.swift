/// The answer to a request.
///
/// `Date`, `Content-Length` and `Connection` are added when it is sent. In answer to HEAD, the body is counted but
/// not sent.
public struct HTTPResponse: Sendable {
    /// The status.
    public var status: HTTPStatus
    /// The header fields, except those that are added.
    public var headers: HTTPHeaders
    /// The body; may be empty.
    public var body: [UInt8]

    /// Makes a response.
    public init(status: HTTPStatus, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Makes a response of one line of plain text.
    public init(status: HTTPStatus, text: String) {
        self.init(status: status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Array("\(text)\n".utf8))
    }
}

/// The status of a response, by its number.
public struct HTTPStatus: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number, from 200 to 599.
    public let rawValue: Int

    /// Makes a status from any number from 200 to 599.
    public init(rawValue: Int) {
        precondition((200...599).contains(rawValue), "\(rawValue) is not the status of a final response")
        self.rawValue = rawValue
    }

    /// 200.
    public static let ok = HTTPStatus(rawValue: 200)
    /// Whether a response of this status has no body, not even an empty one (RFC 9110, section 6.4.1).
    var hasNoBody: Bool { self == .noContent || self == .notModified }

    /// 204.
    public static let noContent = HTTPStatus(rawValue: 204)
    /// 304.
    public static let notModified = HTTPStatus(rawValue: 304)
    /// 400.
    public static let badRequest = HTTPStatus(rawValue: 400)
    /// 401.
    public static let unauthorized = HTTPStatus(rawValue: 401)
    /// 403.
    public static let forbidden = HTTPStatus(rawValue: 403)
    /// 404.
    public static let notFound = HTTPStatus(rawValue: 404)
    /// 405.
    public static let methodNotAllowed = HTTPStatus(rawValue: 405)
    /// 409.
    public static let conflict = HTTPStatus(rawValue: 409)
    /// 413.
    public static let contentTooLarge = HTTPStatus(rawValue: 413)
    /// 414.
    public static let uriTooLong = HTTPStatus(rawValue: 414)
    /// 415.
    public static let unsupportedMediaType = HTTPStatus(rawValue: 415)
    /// 429.
    public static let tooManyRequests = HTTPStatus(rawValue: 429)
    /// 431.
    public static let requestHeaderFieldsTooLarge = HTTPStatus(rawValue: 431)
    /// 500.
    public static let internalServerError = HTTPStatus(rawValue: 500)
    /// 501.
    public static let notImplemented = HTTPStatus(rawValue: 501)
    /// 503.
    public static let serviceUnavailable = HTTPStatus(rawValue: 503)
    /// 505.
    public static let httpVersionNotSupported = HTTPStatus(rawValue: 505)

    /// The number.
    public var description: String { String(rawValue) }

    /// The words for the number (RFC 9110, section 15); empty for a number without a name here.
    public var reasonPhrase: String {
        switch self {
        case .ok: "OK"
        case .noContent: "No Content"
        case .notModified: "Not Modified"
        case .badRequest: "Bad Request"
        case .unauthorized: "Unauthorized"
        case .forbidden: "Forbidden"
        case .notFound: "Not Found"
        case .methodNotAllowed: "Method Not Allowed"
        case .conflict: "Conflict"
        case .contentTooLarge: "Content Too Large"
        case .uriTooLong: "URI Too Long"
        case .unsupportedMediaType: "Unsupported Media Type"
        case .tooManyRequests: "Too Many Requests"
        case .requestHeaderFieldsTooLarge: "Request Header Fields Too Large"
        case .internalServerError: "Internal Server Error"
        case .notImplemented: "Not Implemented"
        case .serviceUnavailable: "Service Unavailable"
        case .httpVersionNotSupported: "HTTP Version Not Supported"
        default: ""
        }
    }
}
