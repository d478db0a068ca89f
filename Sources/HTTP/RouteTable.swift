/// The routes of a service, which assign a row to a method and a path.
///
/// A pattern is a path such as `/things/{id}/parts`. A segment in braces matches any segment that is not empty; any
/// other segment matches itself. If several patterns match, the first in the table counts. A row for GET also answers
/// HEAD.
package struct RouteTable: Sendable {
    /// The result of looking up a request.
    package enum Match: Equatable, Sendable {
        /// A row by its index, and the segments that match the names in braces, in order.
        case found(row: Int, parameters: [String])
        /// A pattern matches the path but not the method; these methods are allowed.
        case methodNotAllowed([HTTPMethod])
        /// No pattern matches the path.
        case notFound
    }

    private struct Row {
        let method: HTTPMethod
        let segments: [Segment]
    }

    private enum Segment {
        case literal(String)
        case parameter
    }

    private let rows: [Row]

    /// Creates a table of rows in this order; patterns must begin with a slash.
    package init(_ routes: [(method: HTTPMethod, pattern: String)]) {
        rows = routes.map { method, pattern in
            precondition(pattern.hasPrefix("/"), "the pattern \(pattern) does not begin with a slash")
            let segments = pattern.split(separator: "/")
            return Row(
                method: method, segments: segments.map { $0.hasPrefix("{") ? .parameter : .literal(String($0)) })
        }
    }

    /// Looks up a method and the segments of a path.
    package func match(_ method: HTTPMethod, _ segments: [String]) -> Match {
        var allowed: [HTTPMethod] = []
        for (number, row) in rows.enumerated() where Self.matches(row.segments, segments) {
            if row.method == method || (row.method == .get && method == .head) {
                return .found(row: number, parameters: Self.parameters(of: row.segments, in: segments))
            }
            for method in row.method == .get ? [.get, .head] : [row.method] where !allowed.contains(method) {
                allowed.append(method)
            }
        }
        return allowed.isEmpty ? .notFound : .methodNotAllowed(allowed)
    }

    private static func matches(_ pattern: [Segment], _ segments: [String]) -> Bool {
        guard pattern.count == segments.count else { return false }
        for index in pattern.indices {
            switch pattern[index] {
            case .literal(let text): guard text == segments[index] else { return false }
            case .parameter: guard !segments[index].isEmpty else { return false }
            }
        }
        return true
    }

    private static func parameters(of pattern: [Segment], in segments: [String]) -> [String] {
        var parameters: [String] = []
        for index in pattern.indices {
            if case .parameter = pattern[index] { parameters.append(segments[index]) }
        }
        return parameters
    }
}
