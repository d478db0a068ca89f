/// A member's list: computed once per session and bucket, then frozen.
public struct Plan: Sendable, Equatable {
    /// The groups, in the order in which they are shown; a shorter list is the beginning of it.
    public var items: [PlanItem]
    /// What the member cares about, the largest interest first.
    public var interests: [Interest]
    /// The number of the bucket it is of.
    public var bucket: Int64
    /// How many candidates passed all filters.
    public var candidateCount: Int

    /// A plan.
    public init(items: [PlanItem], interests: [Interest], bucket: Int64, candidateCount: Int) {
        self.items = items
        self.interests = interests
        self.bucket = bucket
        self.candidateCount = candidateCount
    }
}
