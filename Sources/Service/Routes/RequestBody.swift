import Answers
import Basics

/// A JSON body that a client sends.
protocol RequestBody: BoundedObject {
    /// Whether a request must have the body; an omitted body counts as an object without fields.
    static var isRequired: Bool { get }
    /// An example of the body, as JSON.
    static var example: String { get }
}

extension RequestBody {
    static var isRequired: Bool { true }

    /// Decodes a body, and checks the bounds of its fields.
    ///
    /// - Throws: a `Problem` of status 400 that names the wrong field.
    init(body: [UInt8]) throws(Problem) {
        // Foundation also reads UTF-16 and UTF-32, which tapes and other programs do not.
        guard !body.contains(0) else { throw .badField("", "has zero bytes: send JSON in UTF-8") }
        do {
            self = try JSON.decoded(Self.self, from: body.isEmpty && !Self.isRequired ? Array("{}".utf8) : body)
        } catch let error as DecodingError {
            if case .dataCorrupted = error, let place = JSON.placeOfHalfSurrogate(in: body) {
                throw .badField(place, "has half a surrogate pair in it, which is no text: send UTF-8, or whole pairs")
            }
            // The decoder takes a number that does not fit for a body that is no JSON.
            if case .dataCorrupted = error, let json = JSON(body) { try Self.schema.checkNumbers(of: json, at: "") }
            let (path, words) = error.complaint
            var reason = words
            if case .dataCorrupted(let context) = error { reason += ": \(context.debugDescription)" }
            throw .badField(SystemWords.place(of: path), reason)
        } catch { throw .badField("", "is not JSON") }
        try check()
    }
}

extension Call {
    /// Decodes and checks the body.
    ///
    /// - Throws: a `Problem` of status 400 that names the wrong field.
    func body<Value: RequestBody>(as type: Value.Type) throws(Problem) -> Value { try Value(body: body) }
}

/// Bounds of the times that clients send, in Unix milliseconds.
enum RequestTime {
    /// The bounds of any time: to the end of the year 2200.
    static let bounds = 0...7_289_654_399_999
    /// The bounds of an interaction's time: from the year 2000 to the end of the year 2200.
    ///
    /// A smaller number is probably in seconds by mistake.
    static let eventBounds = 946_684_800_000...7_289_654_399_999

    /// Refuses a time that is out of bounds.
    static func check(_ milliseconds: Int64, _ field: String, in bounds: ClosedRange<Int>) throws(Problem) {
        let number = Int(milliseconds)
        guard !bounds.contains(number) else { return }
        let areSeconds = number >= 0 && number < bounds.lowerBound
        throw .badField(
            field,
            "is \(number): times are milliseconds from \(bounds.lowerBound) to \(bounds.upperBound)"
                + (areSeconds ? "; are these seconds?" : ""))
    }
}

extension Schema {
    /// Refuses the first number of a value that the decoder cannot read as what the schema says.
    ///
    /// - Parameter place: the place of the value in the body.
    fileprivate func checkNumbers(of value: JSON, at place: String) throws(Problem) {
        switch (self, value) {
        case (.component(_, let schema), _): try schema.checkNumbers(of: value, at: place)
        case (.object(let properties), .object):
            for property in properties {
                guard let value = value[property.name] else { continue }
                let place = place.isEmpty ? property.name : "\(place).\(property.name)"
                try property.schema.checkNumbers(of: value, at: place)
            }
        case (.array(let schema, _), .list(let elements)):
            for (index, element) in elements.enumerated() {
                try schema.checkNumbers(of: element, at: "\(place)[\(index)]")
            }
        case (.integer(let bounds?, _), .number(let text)) where (try? JSON.decoded(Int.self, from: text.utf8)) == nil:
            throw .badNumber(text, at: place, bounds)
        case (.number, .number(let text)) where (try? JSON.decoded(Double.self, from: text.utf8)) == nil:
            throw .badField(place, "is \(text): it must be a number that 64 bits can hold, such as 0.25")
        default: break
        }
    }
}
