public import Model
public import Similarity

/// What the weekly job is told.
public struct RecomputeParameters: Sendable, Equatable {
    /// What counts as a neighbour by photos.
    public var photos: SimilarityParameters
    /// What counts as a neighbour by members.
    public var members: SimilarityParameters
    /// How many threads read and compute, 1 or more; the result does not depend on it.
    public var threads: Int
    /// The processor's instructions that compare; the result does not depend on it.
    public var path: ProcessorPath
    /// How many versions the store keeps, the new one among them, 1 or more.
    public var versionsKept: Int
    /// Whether everything is done but publishing.
    public var isDryRun: Bool

    /// The defaults.
    ///
    /// X = 5 and Y = 3 in both relations: on public membership data, asking for 3 common members instead of 1 raises
    /// recall@20 of held-out memberships by a tenth and more (one or two common members are mostly chance), while 5
    /// begins to cost small groups their neighbours. k = 100: longer lists bring next to nothing for a list of 20.
    public init(threads: Int) {
        photos = SimilarityParameters(minimumEntries: 5, minimumCommon: 3, limit: 100)
        members = SimilarityParameters(minimumEntries: 5, minimumCommon: 3, limit: 100)
        self.threads = threads
        path = .fastest
        versionsKept = 3
        isDryRun = false
    }

    /// The parameters of a relation.
    public subscript(relation: Relation) -> SimilarityParameters {
        get { relation == .photos ? photos : members }
        set { if relation == .photos { photos = newValue } else { members = newValue } }
    }
}
