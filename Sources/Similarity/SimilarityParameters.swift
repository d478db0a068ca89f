/// What counts as a neighbour, and how alike two rows are.
public struct SimilarityParameters: Sendable, Equatable {
    /// X: a row counts, as source and as neighbour, only with at least this many entries (inclusive).
    public var minimumEntries: Int
    /// Y: a pair counts only with at least this many common entries (inclusive, 1 or more).
    public var minimumCommon: Int
    /// k: how many neighbours a row keeps, at most.
    public var limit: Int
    /// The formula.
    public var measure: Measure

    /// Plain cosine unless said otherwise.
    public init(minimumEntries: Int, minimumCommon: Int, limit: Int, measure: Measure = .cosine) {
        self.minimumEntries = minimumEntries
        self.minimumCommon = minimumCommon
        self.limit = limit
        self.measure = measure
    }

    /// A similarity formula; c is a pair's common entries, n a row's entries.
    public enum Measure: Sendable, Equatable {
        /// Plain cosine, c / √(nᵢ nⱼ) (Salton and McGill 1983), ordered exactly by the integers c² / nⱼ.
        case cosine
        /// The tunable family of `ModifiedCosine`.
        case modified(ModifiedCosine)
    }
}
