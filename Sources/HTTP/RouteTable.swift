/// Which handler answers which method and path: one table, from which "not found" and "not allowed" follow.
///
/// A pattern is a path such as `/things/{id}/parts`: a segment in braces matches any segment that is not empty,
/// any other matches itself. Where two patterns match, the first in the table counts. What answers GET answers HEAD.
public struct RouteTable<Handler: Sendable>: Sendable {
    /// One row.
    public struct Route: Sendable {
        /// The method it answers.
        public let method: HTTPMethod
        /// The pattern as it was written.
        public let pattern: String
        /// What answers.
        public let handler: Handler

        /// A row.
        public init(_ method: HTTPMethod, _ pattern: String, _ handler: Handler) {
            precondition(pattern.hasPrefix("/"), "the pattern \(pattern) does not begin with a slash")
            self.method = method
            self.pattern = pattern
            self.handler = handler
        }
    }

    /// What the table has for a request.
    public enum Match {
        /// A handler, the pattern that led to it, and the segments that stand for the names in braces, in order.
        case found(Handler, pattern: String, parameters: [String])
        /// The path is there, but not for this method; these are allowed.
        case methodNotAllowed([HTTPMethod])
        /// No pattern matches the path.
        case notFound
    }

    /// The rows.
    public let routes: [Route]
    private let patterns: [[Segment]]

    private enum Segment: Equatable {
        case literal(String)
        case parameter
    }

    /// A table of rows.
    public init(_ routes: [Route]) {
        self.routes = routes
        patterns = routes.map { route in
            route.pattern.split(separator: "/").map { $0.hasPrefix("{") ? .parameter : .literal(String($0)) }
        }
    }

    /// The handler for a method and the segments of a path.
    public func match(_ method: HTTPMethod, _ segments: [String]) -> Match {
        var allowed: [HTTPMethod] = []
        for (route, pattern) in zip(routes, patterns) {
            guard let parameters = Self.parameters(of: pattern, in: segments) else { continue }
            if route.method == method || (route.method == .get && method == .head) {
                return .found(route.handler, pattern: route.pattern, parameters: parameters)
            }
            for method in route.method == .get ? [.get, .head] : [route.method] where !allowed.contains(method) {
                allowed.append(method)
            }
        }
        return allowed.isEmpty ? .notFound : .methodNotAllowed(allowed)
    }

    private static func parameters(of pattern: [Segment], in segments: [String]) -> [String]? {
        guard pattern.count == segments.count else { return nil }
        var parameters: [String] = []
        for (part, segment) in zip(pattern, segments) {
            switch part {
            case .literal(let text): guard text == segment else { return nil }
            case .parameter:
                guard !segment.isEmpty else { return nil }
                parameters.append(segment)
            }
        }
        return parameters
    }
}
