import HTTP

/// The query parameters of a request, each known by name and checked against its bounds.
struct RequestParameters: Sendable {
    private enum Value {
        case integer(Int)
        case word(String)
        case list([String])
    }

    private let declared: [Parameter]
    /// In the order of `declared`, with defaults filled in.
    private var values: [Value?]

    /// Takes the parameters of a request.
    ///
    /// - Throws: a `Problem` that names a parameter that is out of bounds, unknown or repeated: if a misspelt parameter
    ///   were ignored, it would seem to have no effect.
    init(_ query: [HTTPRequest.QueryParameter], declared: [Parameter]) throws(Problem) {
        self.declared = declared
        values = declared.map { _ in nil }
        for parameter in query {
            guard let index = declared.firstIndex(where: { $0.name == parameter.name }) else {
                throw Self.unknown(parameter.name, declared: declared.map(\.name))
            }
            guard values[index] == nil else { throw .badParameter(parameter.name, "comes twice: give it once") }
            values[index] = try Self.value(parameter.value, of: declared[index])
        }
        for (index, parameter) in declared.enumerated() where values[index] == nil {
            values[index] = Self.standard(of: parameter)
        }
    }

    /// The value of a whole number that is declared.
    func integer(_ name: String) -> Int {
        guard case .integer(let value) = value(of: name) else { preconditionFailure("\(name) is no number") }
        return value
    }

    /// The text of a parameter that is declared; nil if none was given.
    func text(_ name: String) -> String? {
        guard case .word(let text) = value(of: name) else { return nil }
        return text
    }

    /// The elements of a list that is declared; none if it was not given.
    func list(_ name: String) -> [String] {
        guard case .list(let elements) = value(of: name) else { return [] }
        return elements
    }

    /// The value of a choice that is declared.
    func choice<Choice: RawRepresentable<String>>(_ name: String, of type: Choice.Type) -> Choice {
        guard case .word(let word) = value(of: name), let choice = Choice(rawValue: word) else {
            preconditionFailure("\(name) is no \(Choice.self)")
        }
        return choice
    }

    /// How many rows are asked for: `Parameter.limit`.
    var limit: Int { integer(Parameter.limit.name) }

    private func value(of name: String) -> Value? {
        guard let index = declared.firstIndex(where: { $0.name == name }) else {
            preconditionFailure("the route does not declare the parameter \(name)")
        }
        return values[index]
    }

    private static func standard(of parameter: Parameter) -> Value? {
        switch parameter.kind {
        case .identifier, .text, .list: nil
        case .integer(_, let standard): .integer(standard)
        case .choice(_, let standard): .word(standard)
        }
    }

    private static func value(_ text: String, of parameter: Parameter) throws(Problem) -> Value {
        switch parameter.kind {
        case .identifier: return .word(text)
        case .text(let lengths):
            guard lengths.contains(text.unicodeScalars.count), !text.utf8.contains(0) else {
                throw .badParameter(
                    parameter.name,
                    "must be \(lengths.lowerBound) to \(lengths.upperBound) characters long, without NUL")
            }
            return .word(text)
        case .integer(let bounds, _): return .integer(try integer(text, in: bounds, of: parameter.name))
        case .choice(let words, _):
            guard words.contains(text) else {
                let list = words.joined(separator: ", ")
                throw .badParameter(
                    parameter.name, "is \"\(text)\": it must be one of \(list)", allowed: words)
            }
            return .word(text)
        case .list(let words): return .list(try list(text, of: words, parameter.name))
        }
    }

    private static func list(_ text: String, of words: [String]?, _ name: String) throws(Problem) -> [String] {
        let elements = text.split(separator: ";", omittingEmptySubsequences: false).map(String.init)
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
        // Digits only: Swift reads "+5" as a number, the schema does not allow it.
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
