public import Model

/// How a member's list is made; the defaults were found on real memberships with `coterie evaluate`.
public struct PlanConfiguration: Sendable, Equatable {
    /// How a member's groups are clustered into interests.
    public struct Interests: Sendable, Equatable {
        /// The least mean plain cosine for merging two clusters; above 0.
        public var leastMeanSimilarity = 0.10
        /// From this many groups on, the groups that are similar to no other become one mixed interest.
        public var leastGroupsForMixed = 10
        /// A group that is similar to no other belongs to an interest with whose groups it has at least this mean
        /// overlap: the common entries as a part of the smaller group's; above 0.
        public var leastMeanOverlap = 0.25
        /// With c common entries an overlap is shrunk by c / (c + this); 0 or more.
        public var overlapShrinkage = 2.0
        /// And at least this many times the mean overlap that it has with any other interest; 1 or more.
        public var clearness = 2.0
        /// If a member has joined more groups, only the most recent ones count; 0 to 32,767, as each may be an
        /// interest.
        public var groupLimit = 500
    }

    /// Which neighbours of a member's groups are looked at.
    public struct Candidates: Sendable, Equatable {
        /// How many of the best neighbours a joined group brings in each relation at most, 1 or more; they tell how
        /// similar joined groups are, too.
        ///
        /// Lists go from the most similar group to the least: what stands far down in the list of a frequent group adds
        /// next to nothing to a score, and takes as long as what stands first.
        public var neighbourLimit = 200
        /// How many neighbours all joined groups bring together in each relation; with many groups each brings fewer.
        ///
        /// The more groups there are, the less counts what stands far down in the list of one.
        public var totalLimit = 5000
        /// The fewest to which the limit of a joined group is lowered for that; 1 or more.
        public var leastLimit = 100

        /// How many of its best neighbours each of some joined groups brings in each relation.
        func limit(ofEachOf groupCount: Int) -> Int {
            min(neighbourLimit, max(leastLimit, totalLimit / max(1, groupCount)))
        }
    }

    /// Which groups may be in a list.
    public struct Filters: Sendable, Equatable {
        /// A group with at least this plain cosine to a joined one, shrunk, is too similar to it; above 0, infinite for
        /// no limit.
        public var ceiling = 0.8
        /// With c common entries a cosine is shrunk by c / (c + this): with fewer than eight it cannot reach 0.8.
        public var ceilingShrinkage = 2.0
        /// A group without activity for so many days is left out; unknown counts as active.
        public var inactiveAfterDays = Double(PhotoRecommender.idleDays)
        /// The number of candidates with the best scores that are considered.
        public var candidateLimit = 400
    }

    /// How the order changes with time.
    public struct Rotation: Sendable, Equatable {
        /// The length of a rotation bucket, in hours; above 0.
        public var hours = 6.0
        /// ν: a greater one changes more, and costs more; 0 or more.
        public var noise = 0.213
        /// The same for popular groups behind others: with 1 they are drawn in proportion to their members; 0 or more.
        public var tailNoise = 1.0
        /// The lower bound of ln(s₁₀ / s₄₀).
        public var leastSlope = 0.05
        /// How stable the best group's rank is: 1 keeps it first.
        public var stickiness = 0.999
    }

    /// How impressions without a click, and dismissals, lower scores.
    public struct Feedback: Sendable, Equatable {
        /// After so many impressions without a click a score is halved.
        public var impressionsToHalf = 24.0
        /// The half-life of an impression, in days.
        public var impressionHalfLifeDays = 7.0
        /// After so many half-lives, an impression's weight is below a thousandth.
        private static let halfLivesKept = 10.0

        /// The time before which impressions can be ignored at an instant; both in Unix milliseconds.
        public func earliestImpression(atMilliseconds instant: Int64) -> Int64 {
            instant - Int64(Self.halfLivesKept * impressionHalfLifeDays * 86_400_000)
        }

        /// By how much the closest neighbour of a group that was just dismissed is lowered, 0 to 1.
        public var dismissalDepth = 0.5
        /// The half-life of that effect, in days.
        public var dismissalHalfLifeDays = 14.0
        /// A change during a session multiplies or divides the rank of its closest neighbour by 2 to the power of this;
        /// 0 or more.
        public var patchDepth = 0.25
    }

    /// How the list is selected from the candidates.
    public struct Selection: Sendable, Equatable {
        /// How many of the best neighbours of a candidate in each relation tell how similar two are; 1 or more.
        public var neighbourLimit = 30
        /// With c common entries a similarity is shrunk by c / (c + this); 0 or more.
        public var shrinkage = 2.0
        /// The number of candidates in the pool.
        public var poolSize = 120
        /// The part of the pool that is reserved for interests in proportion to their shares, 0 to 1.
        public var ownPart = 0.25
        /// A candidate can take a place of its interest's share only from this fraction of the best score on, 0 to 1:
        /// in a smaller interest than that of the best, of the best score as it would be with so few groups.
        public var leastWorth = 0.5
        /// λ: the penalty for similarity to groups chosen before, 0 to 1.
        public var lambda = 0.12
        /// The greatest loss of raw score through diversity, as a fraction of the best list of the same length, 0 to 1.
        public var lossLimit = 0.07
        /// The greatest loss through diversity and the quotas of interests together, 0 to 1.
        public var quotaLossLimit = 0.17
        /// The greatest length of a plan.
        public var length = 300
    }

    /// Cold-start settings.
    public struct ColdStart: Sendable, Equatable {
        /// The number of joined groups with which half of the list is personal.
        public var groupsToHalf = 3.0
        /// The weight of groups about stated interests.
        public var topicWeight = 3.0
        /// The least part of a list for groups about stated interests, however many groups are joined; 0 to 1.
        public var leastTopicShare = 0.15
        /// The weight of curated picks.
        public var curatedWeight = 1.0
        /// The weight of trending groups.
        public var trendingWeight = 1.0

        var weightSum: Double { topicWeight + curatedWeight + trendingWeight }
    }

    /// Interests.
    public var interests = Interests()
    /// Candidates.
    public var candidates = Candidates()
    /// The relations, and how they are blended.
    public var relations = RelationTable.standard
    /// What the square root of a group's size, relative to the largest, adds to its score.
    ///
    /// In units of the mean best score, 0 or more. A version says what it is by evidence.
    public var popularity = 0.0
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
    /// Stages that are left out, to measure the effect of each.
    public var omitted: Set<PlanStage> = []

    /// The defaults.
    public init() {}

    /// The same, but for what a version found by evidence.
    public func weighted(by manifest: Manifest) -> PlanConfiguration {
        var configuration = self
        configuration.popularity = manifest.popularityWeight ?? popularity
        return configuration
    }

    /// The greatest strength with which lists can be varied.
    public static let greatestVariety = 4.0

    /// The same, but for how strongly lists are varied and rotated.
    ///
    /// - Parameter strength: what λ and the noise of rotation are multiplied by: 0 for neither, 1 for the same;
    ///   0 to `greatestVariety`.
    public func varied(by strength: Double) -> PlanConfiguration {
        var configuration = self
        configuration.selection.lambda = min(1, selection.lambda * strength)
        configuration.rotation.noise *= strength
        configuration.rotation.tailNoise *= strength
        return configuration
    }
}
