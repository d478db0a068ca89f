/// Which row answers which method and path: one table, from which "not found" and "not allowed" follow.
///
/// A pattern is a path such as `/things/{id}/parts`: a segment in braces matches any segment that is not empty,
/// any other matches itself. Where two patterns match, the first in the table counts. What answers GET answers HEAD.
public struct RouteTable: Sendable {
    /// What the table has for a request.
    public enum Match: Equatable, Sendable {
        /// The number of a row, from 0, and the segments that stand for the names in braces, in order.
        case found(row: Int, parameters: [String])
        /// The path is there, but not for this method; these are allowed.
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

    /// A table of rows in this order; patterns begin with a slash.
    public init(_ routes: [(method: HTTPMethod, pattern: String)]) {
        rows = routes.map { method, pattern in
            precondition(pattern.hasPrefix("/"), "the pattern \(pattern) does not begin with a slash")
            let segments = pattern.split(separator: "/")
            return Row(
                method: method, segments: segments.map { $0.hasPrefix("{") ? .parameter : .literal(String($0)) })
        }
    }

    /// The row for a method and the segments of a path.
    public func match(_ method: HTTPMethod, _ segments: [String]) -> Match {
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
        for place in pattern.indices {
            switch pattern[place] {
            case .literal(let text): guard text == segments[place] else { return false }
            case .parameter: guard !segments[place].isEmpty else { return false }
            }
        }
        return true
    }

    private static func parameters(of pattern: [Segment], in segments: [String]) -> [String] {
        var parameters: [String] = []
        for place in pattern.indices {
            if case .parameter = pattern[place] { parameters.append(segments[place]) }
        }
        return parameters
    }
}
