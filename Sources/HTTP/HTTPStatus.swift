/// The status of a response, by its number.
public struct HTTPStatus: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number, from 200 to 599.
    public let rawValue: Int

    /// A status of any number from 200 to 599.
    public init(rawValue: Int) {
        precondition((200...599).contains(rawValue), "\(rawValue) is not the status of a final response")
        self.rawValue = rawValue
    }

    /// 200.
    public static let ok = HTTPStatus(rawValue: 200)
    /// 204.
    public static let noContent = HTTPStatus(rawValue: 204)
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
    /// 415.
    public static let unsupportedMediaType = HTTPStatus(rawValue: 415)
    /// 429.
    public static let tooManyRequests = HTTPStatus(rawValue: 429)
    /// 500.
    public static let internalServerError = HTTPStatus(rawValue: 500)
    /// 501.
    public static let notImplemented = HTTPStatus(rawValue: 501)
    /// 503.
    public static let serviceUnavailable = HTTPStatus(rawValue: 503)

    /// The number.
    public var description: String { String(rawValue) }
}
