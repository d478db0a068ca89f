/// What two groups may have in common, by its name: `photos`, `members`.
///
/// Options, manifests, sections of model files, keys in Redis and answers use the name. What else there is to know of a
/// relation is in its entry of a `RelationTable`.
public struct Relation: RawRepresentable, Hashable, Sendable, Codable {
    /// The name.
    public let rawValue: String

    /// A relation by its name, which is taken as it is; `RelationTable` says which names are good.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Whether the name is 1 to 16 lower-case letters, which is what the section table of a model file has room for.
    var hasGoodName: Bool {
        (1...16).contains(rawValue.utf8.count)
            && rawValue.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
    }
}
