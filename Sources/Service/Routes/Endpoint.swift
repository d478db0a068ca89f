import Answers
import Changes
import HTTP
import Model

/// A row of the table that routes requests and describes the service.
///
/// It states the request, the bearers who may send it, and the answer. It is a class because every request passes it on
/// often, and a structure with so many fields is slow to copy.
final class Endpoint: Sendable {
    /// Answers an authorized request whose parameters are within bounds.
    typealias Handler = @Sendable (Call) throws(Problem) -> HTTPResponse

    /// The body of an answer with status 200.
    enum Content: Sendable {
        /// JSON with a schema that depends on the relations.
        case json(@Sendable (RelationTable) -> Schema)
        /// Text of another media type.
        case text(type: String)
        /// HTML, or a file that HTML uses; it is not in the description of the service.
        case page
    }

    /// The name of the operation in generated clients, such as `similarGroups`.
    let name: String
    let method: HTTPMethod
    /// The path, with names in braces for variable segments.
    let pattern: String
    let access: Access
    /// A description in one line, without a full stop.
    let summary: String
    /// The parameters of the path, in the order of the pattern.
    let pathParameters: [Parameter]
    let parameters: [Parameter]
    /// The JSON body; nil if requests have none.
    let body: (any RequestBody.Type)?
    let content: Content
    let caching: Caching
    /// Whether the daemon may answer from its cache.
    let reuse: AnswerReuse
    let threads: AnswerThreads
    /// The problem statuses of this route, beyond those that every route may have.
    let problems: [HTTPStatus]
    let handler: Handler
    private let pathNames: [String]

    init(
        _ name: String, _ method: HTTPMethod, _ pattern: String, _ access: Access, summary: String,
        path pathParameters: [Parameter] = [], parameters: [Parameter] = [], body: (any RequestBody.Type)? = nil,
        content: Content, caching: Caching, reuse: AnswerReuse = .never, threads: AnswerThreads? = nil,
        problems: [HTTPStatus] = [], handler: @escaping Handler
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
        self.body = body
        self.content = content
        self.caching = caching
        self.reuse = reuse
        // Other methods than GET write to a disk.
        self.threads = threads ?? (method == .get ? .server : .recording)
        self.problems = problems
        self.handler = handler
    }

    /// Creates an endpoint whose handler returns an answer, so that description and answer have one schema.
    convenience init<Body: Answer>(
        _ name: String, _ method: HTTPMethod, _ pattern: String, _ access: Access, summary: String,
        path pathParameters: [Parameter] = [], parameters: [Parameter] = [], body: (any RequestBody.Type)? = nil,
        caching: Caching, reuse: AnswerReuse = .never, threads: AnswerThreads? = nil, problems: [HTTPStatus] = [],
        handler: @escaping @Sendable (Call) throws(Problem) -> Body
    ) {
        self.init(
            name, method, pattern, access, summary: summary, path: pathParameters, parameters: parameters, body: body,
            content: .json(Body.schema(of:)), caching: caching, reuse: reuse, threads: threads,
            problems: problems
        ) { call throws(Problem) in .content("application/json", try handler(call).json) }
    }

    /// The subject of the route; generated documents group routes by it.
    var subject: String {
        switch pattern.split(separator: "/").dropFirst().first {
        case "users", "recommendations": "Members"
        case "groups", "map", "trending": "Groups"
        case "photos": "Photos"
        case let name? where name.hasPrefix("coterie-groups."): "Components"
        case "apple-app-site-association", "assetlinks.json": "Apps"
        case "admin": "Administration"
        default: "Operation"
        }
    }

    /// Returns the values of the path's parameters by their names.
    func path(_ segments: [String]) -> PathParameters { PathParameters(names: pathNames, values: segments) }
}

/// The threads that make the answers of a route.
enum AnswerThreads: Sendable {
    /// The threads of the server.
    ///
    /// An answer must take a few milliseconds at most and wait for no disk, because all other requests wait for it.
    case server
    /// The threads that wait for a disk, or for another process that writes to the same file.
    case recording
    /// The thread of low priority, for slow answers.
    case batch
}

/// The header field `Cache-Control`: whether caches may keep an answer, and for how long.
enum Caching: String, Sendable {
    /// An answer that is the same for everybody until the next version.
    case shared = "public, max-age=60"
    /// An answer that is the same for every bearer of a token.
    case sharedAmongBearers = "private, max-age=60"
    /// An answer about one person.
    case personal = "private, no-cache"
    /// An answer about the present moment.
    case never = "no-store"
}

extension Endpoint {
    /// Returns all endpoints of the service, for these relations.
    static func table(of relations: RelationTable) -> [Endpoint] {
        health + documents + components + componentTexts + apps + groups(of: relations) + members + discoveries + lists
            + interactions + photos + administration + decisions + hiding + curation + removals(of: relations)
    }
}

/// The values of the names in a pattern's braces.
struct PathParameters: Sendable {
    private let names: [String]
    private let values: [String]

    /// - Parameters:
    ///   - names: the names, in the order of the pattern.
    ///   - values: the segments, in the same order.
    init(names: [String], values: [String]) {
        precondition(names.count == values.count, "\(names) need as many values as there are names")
        self.names = names
        self.values = values
    }

    /// The value for a name, which the pattern must have.
    subscript(name: String) -> String {
        guard let index = names.firstIndex(of: name) else { preconditionFailure("the pattern has no {\(name)}") }
        return values[index]
    }

    /// Refuses values that are longer than the longest id.
    func checkLengths() throws(Problem) {
        for (name, value) in zip(names, values) where value.unicodeScalars.count > Parameter.identifierLimit {
            throw .badParameter(name, "is longer than \(Parameter.identifierLimit) characters")
        }
    }
}

/// The time for which the daemon may reuse an answer for the same request.
enum AnswerReuse: Sendable {
    /// No time: every request gets a new answer.
    case never
    /// The time until something changes for everybody, such as the current version.
    case untilChange
    /// The time until something changes for everybody, or for the member in this path parameter.
    ///
    /// The answer belongs to the member's session, `RequestParameters.sessionName`. It is reused only if sessions are
    /// kept. Otherwise every request gets a list of its own.
    case untilMemberChange(ofPathParameter: String)
}
