import Answers

/// A parameter of a path or a query: its bounds, which are checked before the handler runs, and its meaning.
struct Parameter: Sendable {
    /// The kinds of values.
    enum Kind: Sendable {
        /// The external id of something, in a path.
        case identifier
        /// A whole number within bounds, both inclusive.
        case integer(ClosedRange<Int>, standard: Int)
        /// Text of so many Unicode scalars; optional.
        case text(ClosedRange<Int>)
        /// One of several words.
        case choice([String], standard: String)
        /// Texts separated by semicolons, at most `listLimit` of them; each one of several words, if there are any.
        case list(of: [String]?)
    }

    /// The longest id, in Unicode scalars, inclusive.
    static let identifierLimit = 512
    /// The most elements of a list, inclusive.
    static let listLimit = 100

    let name: String
    let kind: Kind
    /// Its meaning, in a few words.
    let help: String
    /// Such a value; nil if the kind says enough.
    let example: String?
    /// Whether it names a member.
    let isMember: Bool

    init(_ name: String, _ kind: Kind, _ help: String, example: String? = nil, isMember: Bool = false) {
        self.name = name
        self.kind = kind
        self.help = help
        self.example = example
        self.isMember = isMember
    }

    /// One of the values of an enumeration.
    init<Choice: RawRepresentable<String> & CaseIterable>(_ name: String, standard: Choice, _ help: String) {
        self.init(name, .choice(Choice.allCases.map(\.rawValue), standard: standard.rawValue), help)
    }

    /// The member whom a path is about.
    static let member = Parameter("id", .identifier, "The member's user id", example: "laura-100", isMember: true)

    /// How many rows an answer may have.
    static let limit = Parameter("limit", .integer(1...200, standard: 20), "How many rows to answer with, at most")

    private static func pattern(ofListOf words: [String]) -> String {
        let word = "(" + words.joined(separator: "|") + ")"
        return "^\(word)(;\(word))*$"
    }

    /// Its schema.
    var schema: Schema {
        switch kind {
        // NUL is refused, escaped or not.
        case .identifier: .string(lengths: 1...Self.identifierLimit, pattern: "^[^\\u0000]+$")
        case .integer(let bounds, let standard): .integer(bounds, standard: standard)
        case .text(let lengths): .string(lengths: lengths, pattern: "^[^\\u0000]+$")
        case .choice(let words, let standard): .string(words: words, standard: standard)
        case .list(let words?):
            .string(lengths: 1...Self.listLimit * Self.identifierLimit, pattern: Self.pattern(ofListOf: words))
        case .list(nil): .string(lengths: 1...Self.listLimit * Self.identifierLimit, pattern: "^[^\\u0000]+$")
        }
    }
}
