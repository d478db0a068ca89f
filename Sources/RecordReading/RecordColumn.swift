import TextDistance

/// A column that the reader of records asks for.
public struct RecordColumn: Sendable, Equatable {
    /// Its name; in a source it may be written in any letter case and with blanks around it.
    public let name: String
    /// Whether a source without it cannot be read; in JSON Lines, whether an object without it is rejected.
    public let isRequired: Bool
    /// What the source calls it; nil: by its own name.
    public let sourceName: String?

    /// A column, required unless told otherwise.
    ///
    /// - Parameter sourceName: what the source calls it instead of its name; a header must then have that.
    public init(_ name: String, isRequired: Bool = true, sourceName: String? = nil) {
        self.name = name
        self.isRequired = isRequired
        self.sourceName = sourceName
    }

    /// The name to look for in a source.
    var wantedName: String { sourceName ?? name }
}

/// The columns that are asked for, and which of them a source has.
struct ColumnTable {
    let columns: [RecordColumn]
    /// The column of each name: in the form that names are compared in, and as the source was seen to write it.
    private var columnOfName: [String: Int]
    /// Whether the source has the column; in JSON Lines, whether it had it up to now.
    private(set) var isPresent: [Bool]
    /// The names that were not asked for, as the source writes them, in order; at most `maximumUnknownNames`.
    private(set) var unknownNames: [String] = []

    /// JSON Lines can bring new names on every line, which must not fill the memory.
    private static let maximumUnknownNames = 100
    private static let maximumKnownNames = 1000

    init(_ columns: [RecordColumn]) {
        self.columns = columns
        let names = columns.enumerated().map { (Self.comparable($1.wantedName), $0) }
        columnOfName = Dictionary(names) { _, _ in preconditionFailure("a column is asked for twice") }
        isPresent = columns.map { _ in false }
    }

    /// The column that a name of the source means, or nil if it was not asked for.
    func column(named name: String) -> Int? {
        if let column = columnOfName[name] { return column }
        return unknownNames.contains(name) ? nil : columnOfName[Self.comparable(name)]
    }

    /// The same, and the name is noted as present or unknown.
    mutating func note(_ name: String) -> Int? {
        if let column = column(named: name) {
            isPresent[column] = true
            if columnOfName.count < Self.maximumKnownNames { columnOfName[name] = column }
            return column
        }
        if unknownNames.count < Self.maximumUnknownNames, !unknownNames.contains(name) { unknownNames.append(name) }
        return nil
    }

    /// How many wanted columns some names mean.
    func knownCount(_ names: [String]) -> Int { Set(names.compactMap { columnOfName[Self.comparable($0)] }).count }

    /// The wanted column that a name of the source is most like; nil if it is like none that is missing.
    func nearestMissing(to name: String) -> String? {
        let missing = columns.indices.filter { !isPresent[$0] }.map { columns[$0].wantedName }
        return nearest(to: Self.comparable(name), among: missing, limit: 1).first
    }

    private static func comparable(_ name: String) -> String {
        let blanks: Set<Character> = [" ", "\t"]
        var trimmed = name[...]
        while let first = trimmed.first, blanks.contains(first) { trimmed.removeFirst() }
        while let last = trimmed.last, blanks.contains(last) { trimmed.removeLast() }
        return trimmed.lowercased()
    }
}
