import Answers
import FoundationEssentials

/// A body that a client sends as JSON.
protocol RequestBody: Decodable {
    static var schema: Schema { get }
    /// Whether a request must bring it; without it, all of its members are missing.
    static var isRequired: Bool { get }
    /// Such a body, as JSON.
    static var example: String { get }
}

extension RequestBody {
    static var isRequired: Bool { true }
}

extension Call {
    /// The body, decoded.
    ///
    /// - Throws: a `Problem` of status 400 that names the member of the JSON which is wrong.
    func body<Value: RequestBody>(as type: Value.Type) throws(Problem) -> Value {
        do {
            return try JSONDecoder().decode(
                type, from: Data(body.isEmpty && !type.isRequired ? Array("{}".utf8) : body))
        } catch let error as DecodingError {
            throw .badBody(error)
        } catch { throw .badField("", "is not JSON") }
    }
}

/// Bounds of times that clients give.
enum RequestTime {
    /// Unix milliseconds, up to the end of the year 9999.
    static let bounds = 0...253_402_300_799_999

    /// Refuses a time that is out of bounds.
    static func check(_ milliseconds: Int64, _ field: String) throws(Problem) {
        guard bounds.contains(Int(milliseconds)) else {
            throw .badField(field, "is \(milliseconds): times are from \(bounds.lowerBound) to \(bounds.upperBound)")
        }
    }
}

extension Problem {
    fileprivate static func badBody(_ error: DecodingError) -> Problem {
        switch error {
        case .keyNotFound(let key, let context): .badField(field(context.codingPath + [key]), "is missing")
        case .valueNotFound(_, let context): .badField(field(context.codingPath), "is null")
        case .typeMismatch(let type, let context): .badField(field(context.codingPath), "is not \(name(of: type))")
        // Also numbers that are not whole, which come without a path.
        case .dataCorrupted(let context):
            .badField(field(context.codingPath), "cannot be read: \(context.debugDescription)")
        @unknown default: .badField("", "cannot be read")
        }
    }

    /// A member of the body as a person writes it: `interactions[3].kind`.
    private static func field(_ path: [any CodingKey]) -> String {
        path.reduce("") { field, key in
            if let index = key.intValue { return "\(field)[\(index)]" }
            return field.isEmpty ? key.stringValue : "\(field).\(key.stringValue)"
        }
    }

    private static func name(of type: any Any.Type) -> String {
        switch type {
        case is String.Type: "text"
        case is Int.Type, is Int64.Type: "a whole number"
        case is [String: Any].Type: "an object"
        case is [Any].Type: "a list"
        default: "what it must be"
        }
    }
}
