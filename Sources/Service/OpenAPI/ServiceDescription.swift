import Answers
import HTTP
import Model

/// The table of endpoints as an OpenAPI 3.1 document, for one access policy.
struct ServiceDescription: Sendable {
    let endpoints: [Endpoint]
    let relations: RelationTable
    let policy: AccessPolicy

    var json: [UInt8] {
        JSONWriter.object { json in
            json.member("openapi", "3.1.0")
            json.object("info") { json in
                json.member("title", "Coterie")
                json.member("version", "1")
                json.member("summary", "Groups that members of a photo community would love to join")
            }
            json.objects("tags", subjects) { $0.member("name", $1) }
            json.object("paths") { json in
                for (pattern, operations) in operationsByPattern {
                    json.object(pattern) { json in
                        for endpoint in operations { write(endpoint, to: &json) }
                    }
                }
            }
            json.object("components") { json in
                writeSchemas(to: &json)
                writeResponses(to: &json)
                writeSecuritySchemes(to: &json)
            }
        }
    }

    /// The subjects of the endpoints, each once, in the order of the table.
    private var subjects: [String] {
        var subjects: [String] = []
        for endpoint in endpoints where !subjects.contains(endpoint.subject) { subjects.append(endpoint.subject) }
        return subjects
    }

    /// The endpoints of each pattern, in the order of the table.
    private var operationsByPattern: [(String, [Endpoint])] {
        var patterns: [String] = []
        for endpoint in endpoints where !patterns.contains(endpoint.pattern) { patterns.append(endpoint.pattern) }
        return patterns.map { pattern in (pattern, endpoints.filter { $0.pattern == pattern }) }
    }

    private func write(_ endpoint: Endpoint, to json: inout JSONWriter) {
        json.object(endpoint.method.rawValue.lowercased()) { json in
            json.member("operationId", endpoint.name)
            json.member("tags", [endpoint.subject])
            json.member("summary", endpoint.summary)
            json.objects("parameters", parameters(of: endpoint)) { json, element in
                let (parameter, location) = element
                json.member("name", parameter.name)
                json.member("in", location)
                json.member("description", parameter.help)
                json.member("required", location == "path")
                json.object("schema") { parameter.schema.write(to: &$0) }
                if let example = parameter.example { json.member("example", example) }
            }
            if let body = endpoint.body {
                json.object("requestBody") { json in
                    json.member("required", body.isRequired)
                    writeContent("application/json", body.schema, example: body.example, to: &json)
                }
            }
            json.object("responses") { writeResponses(of: endpoint, to: &$0) }
            let tokens = policy.needsToken(for: endpoint.access) ? endpoint.access.tokens : []
            json.objects("security", tokens) { json, token in
                json.member(Self.schemeName(of: token.role), token.scopes.map(\.rawValue))
            }
        }
    }

    private func parameters(of endpoint: Endpoint) -> [(Parameter, location: String)] {
        endpoint.pathParameters.map { ($0, "path") } + endpoint.parameters.map { ($0, "query") }
    }

    private func writeResponses(of endpoint: Endpoint, to json: inout JSONWriter) {
        json.object("200") { json in
            json.member("description", endpoint.summary)
            if endpoint.caching != .never { write(headers: [.entityTag], to: &json) }
            switch endpoint.content {
            case .json(let schema): writeContent("application/json", schema(relations), to: &json)
            case .text(let type): writeContent(type, .string(), to: &json)
            case .page: break
            }
        }
        if endpoint.caching != .never, endpoint.method == .get {
            json.object(HTTPStatus.notModified.description) { json in
                json.member("description", "The client has the answer already, as its If-None-Match says")
                write(headers: [.entityTag], to: &json)
            }
        }
        for status in problems(of: endpoint) {
            json.object(status.description) { $0.member("$ref", "#/components/responses/Problem") }
        }
    }

    /// Returns the statuses of all problems that an endpoint may have, ascending.
    private func problems(of endpoint: Endpoint) -> [HTTPStatus] {
        var statuses: Set<HTTPStatus> = Set(endpoint.problems).union([
            .badRequest, .contentTooLarge, .serviceUnavailable,
        ])
        if policy.needsToken(for: endpoint.access) {
            statuses.formUnion([.unauthorized, .forbidden, .tooManyRequests])
        }
        if policy.isOpened(endpoint.access) { statuses.insert(.tooManyRequests) }
        if endpoint.body != nil { statuses.insert(.unsupportedMediaType) }
        return statuses.sorted { $0.rawValue < $1.rawValue }
    }

    /// A header field of answers that clients may act on.
    private struct HeaderField {
        var name, help: String
        var schema: Schema

        static let entityTag = HeaderField(
            name: "ETag", help: "The tag of this answer, for If-None-Match in a later request", schema: .string())
        static let retryAfter = HeaderField(
            name: "Retry-After", help: "With 429 and 503: the seconds after which to try again", schema: .count)
    }

    private func write(headers fields: [HeaderField], to json: inout JSONWriter) {
        json.object("headers") { json in
            for field in fields {
                json.object(field.name) { json in
                    json.member("description", field.help)
                    json.object("schema") { field.schema.write(to: &$0) }
                }
            }
        }
    }

    /// Writes the content of a body.
    ///
    /// - Parameter example: an example as JSON, or `nil` for none.
    private func writeContent(_ type: String, _ schema: Schema, example: String? = nil, to json: inout JSONWriter) {
        json.object("content") { json in
            json.object(type) { json in
                json.object("schema") { schema.write(to: &$0) }
                if let example { json.member("example", json: example) }
            }
        }
    }

    private var problem: Schema { ProblemDetails.schema(of: relations) }

    /// The schemas of all bodies that clients send and receive.
    private var schemas: [Schema] {
        let answers = endpoints.compactMap { endpoint -> Schema? in
            if case .json(let schema) = endpoint.content { schema(relations) } else { nil }
        }
        return [problem] + endpoints.compactMap { $0.body?.schema } + answers
    }

    private func writeSchemas(to json: inout JSONWriter) {
        json.object("schemas") { json in
            for (name, schema) in Schema.components(of: schemas) {
                json.object(name) { schema.write(to: &$0) }
            }
        }
    }

    private func writeResponses(to json: inout JSONWriter) {
        json.object("responses") { json in
            json.object("Problem") { json in
                json.member("description", "What is wrong (RFC 9457)")
                write(headers: [.retryAfter], to: &json)
                writeContent("application/problem+json", problem, to: &json)
            }
        }
    }

    private func writeSecuritySchemes(to json: inout JSONWriter) {
        json.object("securitySchemes") { json in
            for role in Role.allCases {
                json.object(Self.schemeName(of: role)) { json in
                    json.member("type", "http")
                    json.member("scheme", "bearer")
                    json.member("bearerFormat", "JWT")
                    json.member("description", "A token whose claim role is \(role.rawValue)")
                }
            }
        }
    }

    private static func schemeName(of role: Role) -> String { "\(role.rawValue)Token" }
}
