import FoundationEssentials

extension CatalogChange {
    /// The change as JSON, as journals keep it and send it on.
    public var encoded: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else { preconditionFailure("a change has only texts and integers") }
        return Array(data)
    }

    /// Reads what `encoded` gave.
    ///
    /// - Throws: `CatalogError.Code.badData` if it is something else.
    public init(encoded bytes: [UInt8]) throws(CatalogError) {
        do {
            self = try JSONDecoder().decode(CatalogChange.self, from: Data(bytes))
        } catch { throw CatalogError(.badData, "what should be a change is none, or of a newer program") }
    }
}
