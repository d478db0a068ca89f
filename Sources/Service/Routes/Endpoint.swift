import Answers
import HTTP
import Model

/// A row of the table that routes requests and describes the service: the request, who may send it, and the answer.
///
/// A class, because a structure of so many parts is slow to copy and every request passes it on often.
final class Endpoint: Sendable {
    /// Answers a request that is authorized and whose parameters are within bounds.
    typealias Handler = @Sendable (Call) throws(Problem) -> HTTPResponse

    /// What an answer of status 200 has in its body.
    enum Content: Sendable {
        /// JSON of a schema, which depends on the relations that there are.
        case json(@Sendable (RelationTable) -> Schema)
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
    /// Whether a request without that body is refused.
    let needsBody: Bool
    /// Such a body, as JSON; nil if it brings none.
    let bodyExample: String?
    let content: Content
    let caching: Caching
    /// Whether the daemon may answer from its cache.
    let reuse: AnswerReuse
    /// Where its answers are made.
    let threads: AnswerThreads
    /// The statuses of problems beyond those that every route may have.
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
        bodySchema = body?.schema
        needsBody = body?.isRequired ?? false
        bodyExample = body?.example
        self.content = content
        self.caching = caching
        self.reuse = reuse
        // What is not only read is written to a disk.
        self.threads = threads ?? (method == .get ? .server : .recording)
        self.problems = problems
        self.handler = handler
    }

    /// An endpoint whose handler returns an answer: what is described is what is written.
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

    /// What it is about: routes of the same subject stand together in what is generated from the description.
    var subject: String {
        switch pattern.split(separator: "/").dropFirst().first {
        case "users", "recommendations": "Members"
        case "groups", "trending": "Groups"
        case "photos": "Photos"
        case "admin": "Administration"
        default: "Operation"
        }
    }

    /// The segments that a request has in the positions of the path's parameters, by their names.
    func path(_ segments: [String]) -> PathParameters { PathParameters(names: pathNames, values: segments) }
}

/// The threads that make the answers of a route.
enum AnswerThreads: Sendable {
    /// Those of the server. An answer takes a few milliseconds at most and waits for no disk: all others wait for it.
    case server
    /// Those that wait for a disk, or for another process that writes to the same file.
    case recording
    /// The one of low priority, for answers that take long.
    case batch
}

/// Whether caches may keep an answer, and for how long: the header field `Cache-Control`.
enum Caching: String, Sendable {
    /// The same for everybody until the next version.
    case shared = "public, max-age=60"
    /// The same for every bearer of a token.
    case sharedAmongBearers = "private, max-age=60"
    /// About one person.
    case personal = "private, no-cache"
    /// About this very moment.
    case never = "no-store"
}

extension Endpoint {
    /// All that the service answers, with these relations.
    static func table(of relations: RelationTable) -> [Endpoint] {
        health + documents + groups(of: relations) + members + lists + interactions + photos + administration + hiding
            + curation + removals(of: relations)
    }
}

/// The segments of a path that stand for the names in a pattern's braces.
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

    /// The segment that stands for a name, which the pattern must have.
    subscript(name: String) -> String {
        guard let index = names.firstIndex(of: name) else { preconditionFailure("the pattern has no {\(name)}") }
        return values[index]
    }

    /// Refuses ids that are longer than any.
    func checkLengths() throws(Problem) {
        for (name, value) in zip(names, values) where value.unicodeScalars.count > Parameter.identifierLimit {
            throw .badParameter(name, "is longer than \(Parameter.identifierLimit) characters")
        }
    }
}

/// Whether an answer of a route may be given again to the same request, and until when.
enum AnswerReuse: Sendable {
    /// It is made anew for every request.
    case never
    /// Until something changes for everybody, such as the version that serves.
    case untilChange
    /// Until something changes for everybody, or for the member who is a parameter of the path; the answer is of the
    /// member's session, `RequestParameters.sessionName`.
    ///
    /// Only where sessions are kept: without them every request gets a list of its own.
    case untilMemberChange(ofPathParameter: String)
}
