/// Which changes, that daemons made between recomputes, are in a model version: of each journal those up to a number.
///
/// Numbers and not places in the stream: a server that loses the stream does not make what was taken over undone.
public struct TakenChanges: Sendable, Equatable, Codable {
    /// None at all.
    public static let none = TakenChanges()

    /// The number of the last change that is in the version, by the journal's name; a journal without one has none
    /// there.
    public let sequences: [String: Int64]
    /// The same as a JSON object.
    public let json: String

    /// The numbers by the journals' names, which are ASCII letters and digits.
    public init(_ sequences: [String: Int64] = [:]) {
        self.sequences = sequences
        json =
            "{" + sequences.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
    }

    /// Reads the numbers.
    public init(from decoder: any Decoder) throws {
        let sequences = try decoder.singleValueContainer().decode([String: Int64].self)
        guard sequences.keys.allSatisfy({ $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } }) else {
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

    /// Whether a change is in the version.
    public func contains(_ sequence: Int64, of origin: String) -> Bool { sequence <= sequences[origin] ?? 0 }

    /// What is in all of some versions.
    public static func inAll(_ versions: [TakenChanges]) -> TakenChanges {
        guard let first = versions.first else { return none }
        return TakenChanges(
            first.sequences.reduce(into: [:]) { common, entry in
                common[entry.key] = versions.map { $0.sequences[entry.key] ?? 0 }.min()
            })
    }
}
