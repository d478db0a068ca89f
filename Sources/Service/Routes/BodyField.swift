import Answers

/// An object in a request's body, whose fields are declared with their bounds.
///
/// The declarations are checked, and described in `/openapi.json`.
protocol BoundedObject: Decodable, Sendable {
    static var schemaName: String { get }
    static var fields: [BodyField<Self>] { get }
}

extension BoundedObject {
    static var schema: Schema { .component(schemaName, .object(fields.map(\.property))) }

    /// Checks the bounds of all fields.
    ///
    /// - Parameter place: the place of the object in the body, empty for the body itself.
    /// - Throws: a `Problem` of status 400 that names the first field that is out of bounds.
    func check(at place: String = "") throws(Problem) {
        for field in Self.fields {
            try field.check(self, place.isEmpty ? field.property.name : "\(place).\(field.property.name)")
        }
    }
}

/// A field of an object in a body, with its bounds.
struct BodyField<Body: Sendable>: Sendable {
    let property: Schema.Property
    /// Checks the field of an object; the text is its place in the body.
    fileprivate let check: @Sendable (Body, String) throws(Problem) -> Void

    private init(
        _ name: String, _ schema: Schema, isRequired: Bool, _ help: String,
        check: @escaping @Sendable (Body, String) throws(Problem) -> Void
    ) {
        property = isRequired ? .always(name, schema, help) : .sometimes(name, schema, help)
        self.check = check
    }

    static func text(
        _ name: String, _ value: @escaping @Sendable (Body) -> String?, _ bounds: TextBounds, isRequired: Bool = false,
        _ help: String
    ) -> BodyField {
        BodyField(name, bounds.schema, isRequired: isRequired, help) { (body, place) throws(Problem) in
            if let text = value(body) { try bounds.check(text, at: place) }
        }
    }

    /// Creates a list of texts.
    ///
    /// - Parameter checksEach: whether each text is checked; otherwise the handler does that.
    static func texts(
        _ name: String, _ value: @escaping @Sendable (Body) -> [String]?, _ counts: ClosedRange<Int>,
        of bounds: TextBounds, checksEach: Bool = true, isRequired: Bool = false, _ help: String
    ) -> BodyField {
        BodyField(name, .array(bounds.schema, counts), isRequired: isRequired, help) { (body, place) throws(Problem) in
            guard let texts = value(body) else { return }
            try checkCount(texts.count, counts, at: place)
            guard checksEach else { return }
            for (index, text) in texts.enumerated() { try bounds.check(text, at: "\(place)[\(index)]") }
        }
    }

    /// Creates a whole number.
    static func integer(
        _ name: String, _ value: @escaping @Sendable (Body) -> Int?, _ bounds: ClosedRange<Int>, standard: Int? = nil,
        _ help: String
    ) -> BodyField {
        let schema = Schema.integer(bounds, standard: standard)
        return BodyField(name, schema, isRequired: false, help) { (body, place) throws(Problem) in
            guard let number = value(body), !bounds.contains(number) else { return }
            throw .badNumber("\(number)", at: place, bounds)
        }
    }

    /// Creates a time in Unix milliseconds.
    static func time(
        _ name: String, _ value: @escaping @Sendable (Body) -> Int64?, _ bounds: ClosedRange<Int>,
        _ help: String
    ) -> BodyField {
        BodyField(name, .integer(bounds), isRequired: false, help) { (body, place) throws(Problem) in
            if let time = value(body) { try RequestTime.check(time, place, in: bounds) }
        }
    }

    /// Creates a list of numbers.
    static func numbers(
        _ name: String, _ value: @escaping @Sendable (Body) -> [Double]?, _ counts: ClosedRange<Int>, _ help: String
    ) -> BodyField {
        BodyField(name, .array(.number, counts), isRequired: false, help) { (body, place) throws(Problem) in
            if let numbers = value(body) { try checkCount(numbers.count, counts, at: place) }
        }
    }

    /// Creates a list of objects.
    static func objects<Object: BoundedObject>(
        _ name: String, _ value: @escaping @Sendable (Body) -> [Object]?, _ counts: ClosedRange<Int>,
        isRequired: Bool = false, _ help: String
    ) -> BodyField {
        BodyField(name, .array(Object.schema, counts), isRequired: isRequired, help) { (body, place) throws(Problem) in
            guard let objects = value(body) else { return }
            try checkCount(objects.count, counts, at: place)
            for (index, object) in objects.enumerated() { try object.check(at: "\(place)[\(index)]") }
        }
    }

    private static func checkCount(_ count: Int, _ counts: ClosedRange<Int>, at place: String) throws(Problem) {
        guard !counts.contains(count) else { return }
        throw .badField(place, "has \(count) entries: send \(counts.lowerBound) to \(counts.upperBound)")
    }
}

/// The bounds of a text that clients send, in a query or a body.
enum TextBounds: Sendable {
    /// A number of Unicode scalars (inclusive), without NUL.
    case lengths(ClosedRange<Int>, mayHaveSemicolons: Bool = true)
    case words([String])
    case form(Parameter.TextForm)
    /// Any text: the handler looks whether it names something.
    case any

    /// An external id.
    static let identifier = TextBounds.lengths(1...Parameter.identifierLimit)

    var schema: Schema {
        switch self {
        // The pattern refuses NUL, escaped or not.
        case .lengths(let lengths, let mayHaveSemicolons):
            .string(lengths: lengths, pattern: mayHaveSemicolons ? "^[^\\u0000]+$" : "^[^;\\u0000]+$")
        case .words(let words): .string(words: words)
        case .form(let form): form.schema
        case .any: .string()
        }
    }

    /// The words of the bounds, or nil if there are none.
    var words: [String]? { if case .words(let words) = self { words } else { nil } }

    /// Returns a complaint about a text, or nil if it is within the bounds.
    func complaint(about text: String) -> String? {
        switch self {
        case .lengths(let lengths, let mayHaveSemicolons):
            guard
                !lengths.contains(text.unicodeScalars.count) || text.utf8.contains(0)
                    || !mayHaveSemicolons && text.utf8.contains(UInt8(ascii: ";"))
            else { return nil }
            return "must be \(lengths.lowerBound) to \(lengths.upperBound) characters long, without "
                + (mayHaveSemicolons ? "NUL" : "semicolons and NUL")
        case .words(let words):
            return words.contains(text) ? nil : "is \"\(text)\": it must be one of \(words.joined(separator: ", "))"
        case .form(let form): return form.accepts(text) ? nil : "is \"\(text)\": write \(form.words)"
        case .any: return nil
        }
    }

    /// Refuses a text of a body that is out of bounds.
    func check(_ text: String, at place: String) throws(Problem) {
        if let complaint = complaint(about: text) { throw .badField(place, complaint, allowed: words) }
    }
}
