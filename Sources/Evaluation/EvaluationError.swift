/// Why an evaluation is not possible.
public struct EvaluationError: Error, Equatable, CustomStringConvertible {
    /// What is wrong, and where.
    public let description: String

    init(_ description: String) { self.description = description }
}
