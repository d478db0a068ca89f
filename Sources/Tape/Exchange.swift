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
