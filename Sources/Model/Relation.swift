/// What two groups may have in common.
///
/// Raw values are the names that options, manifests, keys and answers use.
public enum Relation: String, Sendable, CaseIterable, Codable {
    /// Photos that are in both pools: groups that are similar by content.
    case photos
    /// Members of both groups: people who joined this also joined.
    case members
}
