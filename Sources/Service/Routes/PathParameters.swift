/// The segments of a path that stand for the names in a pattern's braces.
struct PathParameters: Sendable {
    private let names: [String]
    private let values: [String]

    /// - Parameters:
    ///   - names: the names, in the order of the pattern.
    ///   - values: the segments, in the same order.
    init(names: [String], values: [String]) {
        precondition(names.count == values.count, "\(names) need as many values as there are names")
        self.names = names
        self.values = values
    }

    /// The segment that stands for a name, which the pattern must have.
    subscript(name: String) -> String {
        guard let place = names.firstIndex(of: name) else { preconditionFailure("the pattern has no {\(name)}") }
        return values[place]
    }

    /// Refuses ids that are longer than any.
    func checkLengths() throws(Problem) {
        for (name, value) in zip(names, values) where value.unicodeScalars.count > Parameter.identifierLimit {
            throw .badParameter(name, "is longer than \(Parameter.identifierLimit) characters")
        }
    }
}
