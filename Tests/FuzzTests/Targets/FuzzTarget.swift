/// Something that takes bytes from outside, and what must hold whatever they are.
///
/// `Jobs/fuzz` looks for bytes for which it does not hold; the tests repeat those of the corpus.
protocol FuzzTarget: SendableMetatype {
    /// Makes one with a state of its own.
    init() throws

    /// Bytes to begin with: good ones, of which each leads to other code.
    func seeds() throws -> [[UInt8]]

    /// Takes bytes.
    ///
    /// - Throws: `Violation` if something does not hold; any other error means that the machine failed.
    mutating func take(_ bytes: [UInt8]) throws
}

/// Something does not hold.
struct Violation: Error, CustomStringConvertible {
    let description: String
}

/// - Throws: `Violation` unless the condition is true.
func require(_ condition: Bool, _ message: @autoclosure () -> String) throws(Violation) {
    guard condition else { throw Violation(description: message()) }
}

/// The targets by their names, as on the command line and in the corpus.
enum FuzzTargets {
    static let all: [String: any FuzzTarget.Type] = [
        "records": RecordsTarget.self, "import": ImportTarget.self, "model": ModelTarget.self,
        "token": TokenTarget.self, "body": BodyTarget.self, "plan": PlanTarget.self, "stream": StreamTarget.self,
        "request": RequestTarget.self, "yaml": YAMLTarget.self, "tape": TapeTarget.self,
    ]
}
