public import Model

/// How a member's list is made; the defaults were found on real memberships with `coterie-bench lists`.
public struct PlanConfiguration: Sendable, Equatable {
    /// How the groups of a member are clustered into interests.
    public struct Interests: Sendable, Equatable {
        /// Clusters are merged only down to this mean plain cosine; above 0.
        public var leastMeanSimilarity = 0.10
        /// From this many groups on, groups that are like no other make one mixed interest.
        public var leastGroupsForMixed = 10
        /// Of more groups than this, only those joined last are looked at; 0 to 32,767, as each may be an interest.
        public var groupLimit = 500
    }

    /// What may be in a list.
    public struct Filters: Sendable, Equatable {
        /// A group with at least this plain cosine to a joined one is too similar to it; above 0, infinite for none.
        public var ceiling = 0.8
        /// A group in which nothing happened for so many days is left out; unknown counts as active.
        public var inactiveAfterDays = Double(PhotoRecommender.idleDays)
        /// Candidates beyond the best so many by score are not looked at.
        public var candidateLimit = 400
    }

    /// How the order changes with time.
    public struct Rotation: Sendable, Equatable {
        /// For how long an order stays, in hours; above 0.
        public var hours = 6.0
        /// κ: the greater, the less changes.
        public var kappa = 5.45
        /// The least ln(s₁₀ / s₄₀) that is assumed.
        public var leastSlope = 0.05
        /// How firmly the best stays: 1 keeps it where it is.
        public var stickiness = 0.999
    }

    /// How what the member does and does not do lowers scores.
    public struct Feedback: Sendable, Equatable {
        /// After so many impressions without a click a score counts half.
        public var impressionsToHalf = 24.0
        /// Impressions count half after so many days.
        public var impressionHalfLifeDays = 7.0
        /// After so many half-lives an impression weighs less than a thousandth.
        private static let halfLivesKept = 10.0

        /// Impressions before it need not be known at an instant; both in Unix milliseconds.
        public func earliestImpression(atMilliseconds instant: Int64) -> Int64 {
            instant - Int64(Self.halfLivesKept * impressionHalfLifeDays * 86_400_000)
        }

        /// By how much the nearest neighbour of a group just dismissed sinks, 0 to 1.
        public var dismissalDepth = 0.5
        /// That counts half after so many days.
        public var dismissalHalfLifeDays = 14.0
    }

    /// How the list is put together.
    public struct Selection: Sendable, Equatable {
        /// Candidates that are looked at.
        public var poolSize = 120
        /// The part of them that interests have of their own, by their shares, 0 to 1: more than a page of them.
        public var ownPart = 0.25
        /// The best of an interest are sure to be looked at if they are worth this part of the best of all, 0 to 1.
        public var leastWorth = 0.2
        /// λ: how much being similar to what was chosen costs, 0 to 1.
        public var lambda = 0.38
        /// Similarity costs at most this part of what the best list of the same length is worth, 0 to 1.
        public var lossLimit = 0.07
        /// Similarity and the places that interests are sure of together cost at most this part of it, 0 to 1.
        public var quotaLossLimit = 0.17
        /// The length of a plan.
        public var length = 300
    }

    /// What those see of whom little is known.
    public struct ColdStart: Sendable, Equatable {
        /// After so many groups, half of the list is personal.
        public var groupsToHalf = 3.0
        /// How stated interests, curated picks and trending groups share the rest.
        public var topicWeight = 3.0
        /// The weight of curated picks.
        public var curatedWeight = 1.0
        /// The weight of trending groups.
        public var trendingWeight = 1.0
    }

    /// Interests.
    public var interests = Interests()
    /// The relations, and how they are blended.
    public var relations = RelationTable.standard
    /// Filters.
    public var filters = Filters()
    /// Rotation.
    public var rotation = Rotation()
    /// Fatigue and dismissals.
    public var feedback = Feedback()
    /// Selection.
    public var selection = Selection()
    /// Cold start.
    public var coldStart = ColdStart()
    /// Stages that are left out, to see what each does.
    public var omitted: Set<PlanStage> = []

    /// The defaults.
    public init() {}
}
