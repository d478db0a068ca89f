/// A word after a command's name that belongs to no option: a file, a user, a group.
public struct Argument: Sendable, Equatable {
    /// The name in capitals, as the usage line shows it: `FILE`.
    ///
    /// Completion offers files for `FILE` and folders for `FOLDER`.
    public let name: String
    /// What it is, in a few words.
    public let help: String
    /// Whether it may be left out.
    public let isOptional: Bool
    /// Whether any number of them may be given; only the last argument of a command may repeat.
    public let isRepeating: Bool

    /// An argument; by default it is required and given once.
    public init(_ name: String, help: String, isOptional: Bool = false, isRepeating: Bool = false) {
        self.name = name
        self.help = help
        self.isOptional = isOptional
        self.isRepeating = isRepeating
    }
}

/// One command of a program, such as `coterie import`, with its arguments and options.
public struct Command: Sendable, Equatable {
    /// The word on the command line that chooses it.
    public let name: String
    /// What it does, in one line.
    public let summary: String
    /// The details, for its own help page; empty lines separate paragraphs.
    public let discussion: String
    /// Its arguments, in their order.
    public let arguments: [Argument]
    /// Its options, in the order of the help; `--help`, which every command has, is not listed.
    public let options: [Option]
    /// Complete command lines, as examples.
    public let examples: [String]

    /// A command; everything but name and summary may be left out.
    public init(
        _ name: String, summary: String, discussion: String = "", arguments: [Argument] = [], options: [Option] = [],
        examples: [String] = []
    ) {
        self.name = name
        self.summary = summary
        self.discussion = discussion
        self.arguments = arguments
        self.options = options
        self.examples = examples
    }

    /// The option with this long name.
    func option(named name: String) -> Option? { options.first { $0.name == name } }

    /// The option with this one-letter name.
    func option(short: Character) -> Option? { options.first { $0.short == short } }
}
