/// The changes of daemons that a model version has: of each journal, the changes up to a number, inclusive.
package struct AppliedChanges: Sendable, Equatable, Codable {
    package static let none = AppliedChanges()

    /// The number of the last change that the version has, by the journal's name; no entry means no change.
    package let sequences: [String: Int64]

    /// Creates a record from numbers by the journals' names, which are ASCII letters and digits.
    package init(_ sequences: [String: Int64] = [:]) { self.sequences = sequences }

    package init(from decoder: any Decoder) throws {
        let sequences = try decoder.singleValueContainer().decode([String: Int64].self)
        guard sequences.keys.allSatisfy(Self.isJournalName) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "a journal has another name than they have"))
        }
        self.init(sequences)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(sequences)
    }

    package static func isJournalName(_ text: String) -> Bool {
        !text.isEmpty && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }

    /// Returns the number of the last change of a journal that the version has, or 0.
    package func last(of origin: String) -> Int64 { sequences[origin] ?? 0 }

    package func contains(_ sequence: Int64, of origin: String) -> Bool { sequence <= last(of: origin) }

    /// Returns the changes that all of some versions have; none if there are no versions.
    package static func inAll(_ versions: [AppliedChanges]) -> AppliedChanges {
        guard let first = versions.first else { return none }
        return AppliedChanges(
            first.sequences.reduce(into: [:]) { common, entry in
                common[entry.key] = versions.map { $0.last(of: entry.key) }.min()
            })
    }
}
