import Answers
import HTTP

/// A row of the table that routes requests and describes the service: what is asked, who may ask, what is answered.
///
/// A class, because a request passes it on often and a structure of so many parts is dear to copy.
final class Endpoint: Sendable {
    /// Answers a request that has been let in and whose parameters are within bounds.
    typealias Handler = @Sendable (Call) throws(Problem) -> HTTPResponse

    /// What an answer of status 200 has in its body.
    enum Content: Sendable {
        /// JSON of a schema.
        case json(Schema)
        /// Text of another type.
        case text(type: String)
    }

    /// A name for clients that are generated, such as `similarGroups`.
    let name: String
    let method: HTTPMethod
    /// The path, with names in braces for segments that vary.
    let pattern: String
    let access: Access
    /// What it answers, in one line without a full stop.
    let summary: String
    /// The parameters of the path, in their order.
    let pathParameters: [Parameter]
    /// The parameters of the query.
    let parameters: [Parameter]
    /// The schema of the JSON that a request must bring; nil if it brings none.
    let bodySchema: Schema?
    let content: Content
    let caching: Caching
    /// Whether the daemon itself may give an answer again.
    let reuse: AnswerReuse
    /// The statuses of problems that are its own, beyond those that any route may have.
    let problems: [HTTPStatus]
    let handler: Handler
    private let pathNames: [String]

    init(
        _ name: String, _ method: HTTPMethod, _ pattern: String, _ access: Access, summary: String,
        path pathParameters: [Parameter] = [], parameters: [Parameter] = [], body: (any RequestBody.Type)? = nil,
        content: Content, caching: Caching, reuse: AnswerReuse = .never, problems: [HTTPStatus] = [],
        handler: @escaping Handler
    ) {
        pathNames = pathParameters.map(\.name)
        let inPattern = pattern.split(separator: "/").filter { $0.hasPrefix("{") }.map { $0.dropFirst().dropLast() }
        precondition(pathNames.map { $0[...] } == inPattern, "\(pattern) has other parameters than \(pathNames)")
        self.name = name
        self.method = method
        self.pattern = pattern
        self.access = access
        self.summary = summary
        self.pathParameters = pathParameters
        self.parameters = parameters
        bodySchema = body?.schema
        self.content = content
        self.caching = caching
        self.reuse = reuse
        self.problems = problems
        self.handler = handler
    }

    /// An endpoint whose handler returns an answer: what is described is what is written.
    convenience init<Body: Answer>(
        _ name: String, _ method: HTTPMethod, _ pattern: String, _ access: Access, summary: String,
        path pathParameters: [Parameter] = [], parameters: [Parameter] = [], body: (any RequestBody.Type)? = nil,
        caching: Caching, reuse: AnswerReuse = .never, problems: [HTTPStatus] = [],
        handler: @escaping @Sendable (Call) throws(Problem) -> Body
    ) {
        self.init(
            name, method, pattern, access, summary: summary, path: pathParameters, parameters: parameters, body: body,
            content: .json(Body.schema), caching: caching, reuse: reuse, problems: problems
        ) { call throws(Problem) in .content("application/json", try handler(call).json) }
    }

    /// The segments that a request has in the places of the path's parameters, by their names.
    func path(_ segments: [String]) -> PathParameters { PathParameters(names: pathNames, values: segments) }
}

/// Whether others than the client may keep an answer, and for how long: the header field `Cache-Control`.
enum Caching: String, Sendable {
    /// The same for everybody until the next version, which comes once a week or so.
    case shared = "public, max-age=60"
    /// The same for everybody who has a token.
    case sharedAmongBearers = "private, max-age=60"
    /// About one person.
    case personal = "private, no-cache"
    /// About this very moment.
    case never = "no-store"
}

extension Endpoint {
    /// All that the service answers.
    static let table =
        health + documents + groups + members + interactions + photos + administration + hiding + curation
}
