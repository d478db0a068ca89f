import HTTP

/// The query parameters of a request, known by name and checked against their bounds.
struct RequestParameters {
    /// How many rows an answer may have, inclusive.
    static let limitBounds = 1...200
    /// How many rows it has unless the request says otherwise.
    static let defaultLimit = 20

    private var values: [String: String] = [:]

    /// Takes the parameters of a request.
    ///
    /// - Throws: a `Problem` that names a parameter which is not among `allowed`, or comes twice: a misspelt
    ///   parameter that was passed over would look like one that had no effect.
    init(_ query: [HTTPRequest.QueryParameter], allowed: [String]) throws(Problem) {
        for parameter in query {
            guard allowed.contains(parameter.name) else {
                let known = allowed.isEmpty ? "none here" : "these here: \(allowed.joined(separator: ", "))"
                throw Self.problem(parameter.name, "is unknown; there are \(known)", [.texts("allowed", allowed)])
            }
            guard values.updateValue(parameter.value, forKey: parameter.name) == nil else {
                throw Self.problem(parameter.name, "comes twice: give it once", [])
            }
        }
    }

    /// How many rows are asked for: the parameter `limit`, from 1 to 200, 20 if it is absent.
    func limit() throws(Problem) -> Int {
        guard let text = values["limit"] else { return Self.defaultLimit }
        let bounds = Self.limitBounds
        // Digits only: "+5" is a number to Swift, but not what the bounds describe.
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let limit = Int(text),
            bounds.contains(limit)
        else {
            throw Self.problem(
                "limit", "is \"\(text)\": it must be a whole number from \(bounds.lowerBound) to \(bounds.upperBound)",
                [.number("minimum", bounds.lowerBound), .number("maximum", bounds.upperBound)])
        }
        return limit
    }

    /// One of the values of an enumeration; `standard` if the parameter is absent.
    func choice<Choice: RawRepresentable & CaseIterable>(_ name: String, standard: Choice) throws(Problem) -> Choice
    where Choice.RawValue == String {
        guard let text = values[name] else { return standard }
        guard let choice = Choice(rawValue: text) else {
            let names = Choice.allCases.map(\.rawValue)
            let list = names.joined(separator: ", ")
            throw Self.problem(name, "is \"\(text)\": it must be one of \(list)", [.texts("allowed", names)])
        }
        return choice
    }

    private static func problem(_ name: String, _ complaint: String, _ extensions: [Problem.Extension]) -> Problem {
        Problem(
            status: .badRequest, kind: .badParameter, title: "Bad parameter",
            detail: "the parameter \"\(name)\" \(complaint)", extensions: [.text("parameter", name)] + extensions)
    }
}
