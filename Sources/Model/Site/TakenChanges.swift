/// Which changes, that daemons made between recomputes, are in a model version: of each journal those up to a number.
public struct TakenChanges: Sendable, Equatable, Codable {
    /// None at all.
    public static let none = TakenChanges()

    /// The number of the last change that is in the version, by the journal's name; a journal without one has none
    /// there.
    public let sequences: [String: Int64]

    /// The numbers by the journals' names, which are ASCII letters and digits.
    public init(_ sequences: [String: Int64] = [:]) { self.sequences = sequences }

    /// Reads the numbers.
    public init(from decoder: any Decoder) throws {
        let sequences = try decoder.singleValueContainer().decode([String: Int64].self)
        guard sequences.keys.allSatisfy(Self.isJournalName) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "a journal has another name than they have"))
        }
        self.init(sequences)
    }

    /// Writes the numbers.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(sequences)
    }

    /// Whether a text can be the name of a journal.
    public static func isJournalName(_ text: String) -> Bool {
        !text.isEmpty && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }

    /// The number of the last change of a journal that is in the version; 0 for none.
    public func last(of origin: String) -> Int64 { sequences[origin] ?? 0 }

    /// Whether a change is in the version.
    public func contains(_ sequence: Int64, of origin: String) -> Bool { sequence <= last(of: origin) }

    /// What is in all of some versions; nothing if there are none.
    public static func inAll(_ versions: [TakenChanges]) -> TakenChanges {
        guard let first = versions.first else { return none }
        return TakenChanges(
            first.sequences.reduce(into: [:]) { common, entry in
                common[entry.key] = versions.map { $0.last(of: entry.key) }.min()
            })
    }
}
