public import Model

/// A group that is suggested, and why.
public struct Suggestion: Sendable, Equatable {
    /// The group's index in the model.
    public var group: UInt32
    /// The sum of what its reasons contribute.
    public var score: Double
    /// Why it is suggested, the largest contribution first; equal ones by group index, then in the order of the
    /// version's relations.
    public var reasons: [Reason]

    /// Part of a suggestion's score.
    public struct Reason: Sendable, Equatable {
        /// The group whose neighbour the suggestion is.
        public var seed: UInt32
        /// The relation in which it is a neighbour.
        public var relation: Relation
        /// Its part of the score.
        public var contribution: Double
        /// How many entries the two groups have in common in that relation.
        public var common: UInt32
        /// The index of the relation in the version.
        var relationIndex: Int
    }
}

extension Suggestion.Reason {
    /// The largest contribution first; equal ones by group index, then in the order of the version's relations.
    static func precedes(_ left: Self, _ right: Self) -> Bool {
        if left.contribution != right.contribution { return left.contribution > right.contribution }
        if left.seed != right.seed { return left.seed < right.seed }
        return left.relationIndex < right.relationIndex
    }
}
