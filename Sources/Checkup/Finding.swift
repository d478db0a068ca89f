/// Something that a checkup looked at, and what is wrong with it.
public struct Finding: Sendable, Equatable {
    /// Whether all is well.
    public enum State: String, Sendable, Encodable {
        /// Nothing is wrong.
        case good
        /// It works, but somebody should know.
        case warning
        /// Something is wrong.
        case bad
    }

    /// What was looked at, such as `catalog` or a version.
    public var subject: String
    /// Whether all is well with it.
    public var state: State
    /// What there is, or what is wrong.
    public var message: String
    /// What to do about it; nil if nothing is wrong.
    public var advice: String?

    /// Nothing is wrong.
    public static func good(_ subject: String, _ message: String) -> Finding {
        Finding(subject: subject, state: .good, message: message)
    }

    /// It works, but somebody should know.
    public static func warning(_ subject: String, _ message: String, advice: String) -> Finding {
        Finding(subject: subject, state: .warning, message: message, advice: advice)
    }

    /// Something is wrong.
    public static func bad(_ subject: String, _ message: String, advice: String) -> Finding {
        Finding(subject: subject, state: .bad, message: message, advice: advice)
    }
}
