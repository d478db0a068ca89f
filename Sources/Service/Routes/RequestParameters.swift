import Answers
import Basics
import HTTP
import Synchronization

/// The query parameters of a request, checked against their declarations.
struct RequestParameters: Sendable {
    private enum Value {
        case integer(Int)
        case word(String)
        case list([String])
    }

    private let declared: [Parameter]
    /// The values in the order of `declared`, with defaults filled in.
    private var values: [Value?]

    /// Checks the parameters of a request.
    ///
    /// An unknown parameter is an error: if it were ignored, a misspelt one would seem to have no effect.
    ///
    /// - Throws: a `Problem` that names a parameter which is out of bounds, unknown or repeated.
    init(_ query: [HTTPRequest.QueryParameter], declared: [Parameter]) throws(Problem) {
        self.declared = declared
        values = declared.map { _ in nil }
        for parameter in query {
            guard let index = declared.firstIndex(where: { $0.name == parameter.name }) else {
                throw Self.unknown(parameter.name, declared: declared.map(\.name))
            }
            if let earlier = values[index] {
                values[index] = try Self.value(parameter, of: declared[index], after: earlier)
            } else {
                values[index] = try Self.value(parameter, of: declared[index])
            }
        }
        for (index, parameter) in declared.enumerated() where values[index] == nil {
            values[index] = Self.standard(of: parameter)
        }
    }

    /// Returns the value of a declared whole number.
    func integer(_ name: String) -> Int {
        guard case .integer(let value) = value(of: name) else { preconditionFailure("\(name) is no number") }
        return value
    }

    /// Returns the text of a declared parameter, or nil if the request does not have it.
    func text(_ name: String) -> String? {
        guard case .word(let text) = value(of: name) else { return nil }
        return text
    }

    /// Returns the elements of a declared list, or none if the request does not have it.
    func list(_ name: String) -> [String] {
        guard case .list(let elements) = value(of: name) else { return [] }
        return elements
    }

    func choice<Choice: RawRepresentable<String>>(_ name: String, of type: Choice.Type) -> Choice {
        guard case .word(let word) = value(of: name), let choice = Choice(rawValue: word) else {
            preconditionFailure("\(name) is no \(Choice.self)")
        }
        return choice
    }

    /// The largest number of rows in the answer: `Parameter.limit`.
    var limit: Int { integer(Parameter.limit.name) }

    private func value(of name: String) -> Value? {
        guard let index = declared.firstIndex(where: { $0.name == name }) else {
            preconditionFailure("the route does not declare the parameter \(name)")
        }
        return values[index]
    }

    private static func standard(of parameter: Parameter) -> Value? {
        switch parameter.kind {
        case .identifier, .text, .list, .identifiers, .repeated: nil
        case .integer(_, let standard): .integer(standard)
        case .choice(_, let standard): .word(standard)
        }
    }

    private static func value(_ given: HTTPRequest.QueryParameter, of parameter: Parameter) throws(Problem) -> Value {
        let text = given.value
        switch parameter.kind {
        case .identifier: return .word(text)
        case .text(let lengths): return .word(try checked(text, .lengths(lengths), of: parameter))
        case .integer(let bounds, _): return .integer(try integer(text, in: bounds, of: parameter.name))
        case .choice(let words, _): return .word(try checked(text, .words(words), of: parameter))
        case .list(let words): return .list(try list(parts(of: text), of: words, parameter.name))
        case .identifiers:
            // Some clients write each semicolon of the list as an escape.
            let isSplit = given.elements.contains { $0.unicodeScalars.count > Parameter.identifierLimit }
            return .list(try list(isSplit ? parts(of: text) : given.elements, of: nil, parameter.name))
        case .repeated(let form, _): return .list([try checked(text, .form(form), of: parameter)])
        }
    }

    private static func checked(_ text: String, _ bounds: TextBounds, of parameter: Parameter) throws(Problem) -> String
    {
        guard let complaint = bounds.complaint(about: text) else { return text }
        throw .badParameter(parameter.name, complaint, allowed: bounds.words)
    }

    /// Returns the value of a parameter that comes once more.
    private static func value(
        _ given: HTTPRequest.QueryParameter, of parameter: Parameter, after earlier: Value
    ) throws(Problem) -> Value {
        guard case .repeated(_, let limit) = parameter.kind, case .list(let texts) = earlier else {
            throw .badParameter(parameter.name, "comes twice: give it once")
        }
        guard texts.count < limit else {
            throw .badParameter(parameter.name, "comes more than \(limit) times: give it \(limit) times or fewer")
        }
        guard case .list(let more) = try value(given, of: parameter) else { return earlier }
        return .list(texts + more)
    }

    private static func parts(of text: String) -> [String] {
        text.split(separator: ";", omittingEmptySubsequences: false).map(String.init)
    }

    private static func list(_ elements: [String], of words: [String]?, _ name: String) throws(Problem) -> [String] {
        guard elements.count <= Parameter.listLimit else {
            throw .badParameter(name, "has \(elements.count) elements: give \(Parameter.listLimit) or fewer")
        }
        for element in elements {
            guard (1...Parameter.identifierLimit).contains(element.unicodeScalars.count), !element.utf8.contains(0)
            else {
                throw .badParameter(
                    name,
                    """
                    is a list separated by semicolons; each element must be 1 to \(Parameter.identifierLimit) \
                    characters long, without NUL
                    """)
            }
            guard words?.contains(element) != false else {
                let list = (words ?? []).joined(separator: ", ")
                throw .badParameter(
                    name, "has \"\(element)\": each element must be one of \(list)", allowed: words ?? [])
            }
        }
        return elements
    }

    private static func integer(_ text: String, in bounds: ClosedRange<Int>, of name: String) throws(Problem) -> Int {
        // Only digits are allowed, as the schema says; Swift would also read "+5" as a number.
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let value = Int(text),
            bounds.contains(value)
        else {
            throw .badParameter(
                name, "is \"\(text)\": it must be a whole number from \(bounds.lowerBound) to \(bounds.upperBound)",
                bounds: bounds)
        }
        return value
    }

    private static func unknown(_ name: String, declared: [String]) -> Problem {
        let known = declared.isEmpty ? "none here" : "these here: \(declared.joined(separator: ", "))"
        return .badParameter(name, "is unknown; there are \(known)", allowed: declared)
    }
}

/// A parameter of a path or a query: its meaning, and the bounds that are checked before the handler runs.
struct Parameter: Sendable {
    /// The kinds of values.
    enum Kind: Sendable {
        /// An external id, in a path.
        case identifier
        /// A whole number within bounds, both inclusive.
        case integer(ClosedRange<Int>, standard: Int)
        /// Optional text, whose length in Unicode scalars is within the bounds, both inclusive.
        case text(ClosedRange<Int>)
        /// One of several words.
        case choice([String], standard: String)
        /// Texts separated by semicolons, at most `listLimit` of them.
        ///
        /// If there are words, each text must be one of them.
        case list(of: [String]?)
        /// Ids, separated by semicolons; a semicolon inside an id is escaped.
        case identifiers
        /// A text of one form; the parameter may be repeated, up to a limit.
        case repeated(TextForm, limit: Int)
    }

    /// A form of text that a schema can only describe, and a function decides.
    struct TextForm: Sendable {
        /// The form as a pattern of JSON Schema, which every accepted text matches.
        let pattern: String
        /// The greatest length, in Unicode scalars (inclusive).
        let lengthLimit: Int
        /// The form in words, for a client that sent another one.
        let words: String
        let accepts: @Sendable (String) -> Bool

        var schema: Schema { .string(lengths: 1...lengthLimit, pattern: pattern) }
    }

    /// The longest id, in Unicode scalars, inclusive.
    static let identifierLimit = 512
    /// The most elements of a list, inclusive.
    static let listLimit = 100

    let name: String
    let kind: Kind
    /// A description in a few words.
    let help: String
    /// An example of a value; nil if the kind says enough.
    let example: String?
    /// Whether the parameter names a member.
    let isMember: Bool

    init(_ name: String, _ kind: Kind, _ help: String, example: String? = nil, isMember: Bool = false) {
        self.name = name
        self.kind = kind
        self.help = help
        self.example = example
        self.isMember = isMember
    }

    init<Choice: RawRepresentable<String> & CaseIterable>(_ name: String, standard: Choice, _ help: String) {
        self.init(name, .choice(Choice.allCases.map(\.rawValue), standard: standard.rawValue), help)
    }

    /// The path parameter `{id}` for a member.
    static let member = Parameter("id", .identifier, "The member's user id", example: "laura-100", isMember: true)

    /// The largest number of rows in an answer.
    static let limit = Parameter("limit", .integer(1...200, standard: 20), "How many rows to answer with, at most")

    private static func pattern(ofListOf words: [String]) -> String {
        let word = "(" + words.joined(separator: "|") + ")"
        return "^\(word)(;\(word))*$"
    }

    var schema: Schema {
        switch kind {
        case .identifier: TextBounds.identifier.schema
        case .integer(let bounds, let standard): .integer(bounds, standard: standard)
        case .text(let lengths): TextBounds.lengths(lengths).schema
        case .choice(let words, let standard): .string(words: words, standard: standard)
        case .list(let words?):
            .string(lengths: 1...Self.listLimit * Self.identifierLimit, pattern: Self.pattern(ofListOf: words))
        case .list(nil), .identifiers:
            .string(lengths: 1...Self.listLimit * Self.identifierLimit, pattern: "^[^\\u0000]+$")
        case .repeated(let form, let limit): .array(form.schema, 1...limit)
        }
    }
}

/// Assigns every request an id, which connects log lines with answers.
final class RequestIdentifiers: Sendable {
    /// The header field of requests and answers.
    static let fieldName = "X-Request-Id"
    /// The longest id that is accepted from a client, in bytes, inclusive.
    private static let limitBytes = 64

    // All ids of a daemon share a random prefix, which no other daemon has.
    private let prefix = String(UInt64.random(in: .min ... .max), radix: 36) + "-"
    private let count = Atomic<UInt64>(0)

    /// Returns the client's id for a request if it is well-formed, else a new id.
    ///
    /// A well-formed id has 1 to 64 ASCII letters, digits, dots, hyphens and underscores.
    func identifier(for request: HTTPRequest) -> String {
        if let given = request.headers[Self.fieldName], given.isWord(ofAtMost: Self.limitBytes, with: ".-_") {
            return given
        }
        return new()
    }

    func new() -> String { prefix + String(count.wrappingAdd(1, ordering: .relaxed).newValue, radix: 36) }
}
