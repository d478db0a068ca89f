package import Model

/// The settings of members' lists; the defaults were found on real memberships with `coterie evaluate`.
package struct PlanConfiguration: Sendable, Equatable {
    /// The settings for clustering a member's groups into interests.
    package struct Interests: Sendable, Equatable {
        /// The least mean plain cosine for merging two clusters (inclusive); above 0.
        package var leastMeanSimilarity = 0.10
        /// The least number of groups with which groups similar to no other become one mixed interest (inclusive).
        package var leastGroupsForMixed = 10
        /// The least mean overlap with which a group that is similar to no other joins an interest (inclusive).
        ///
        /// The overlap is the number of common entries as a part of the smaller group's entries. The bound is above 0.
        package var leastMeanOverlap = 0.25
        /// The shrinkage h of overlaps: with c common entries, an overlap is multiplied by c / (c + h); 0 or more.
        package var overlapShrinkage = 2.0
        /// The least ratio between the best mean overlap and that with any other interest, for such a group; 1 or more.
        package var clearness = 2.0
        /// The greatest number of joined groups that count, the most recent ones; 0 to 32,767.
        package var groupLimit = 500
    }

    /// The bounds of ubiquitous groups, which say nothing about the taste of a member.
    ///
    /// Such a group, as one of all registered users, has the neighbours of everybody. It joins no interest, brings no
    /// candidate and is no reason. It may be recommended like any other.
    package struct Ubiquity: Sendable, Equatable {
        /// The least part of all members that makes a group ubiquitous (inclusive), above 0 and at most 1.
        package var leastShare = 0.5
        /// The fewest members of a community that has ubiquitous groups (inclusive).
        ///
        /// A small club may well have a subject that most of its members like.
        package var leastMembers = 200

        package init() {}

        /// Returns the fewest members of a ubiquitous group, or `nil` if a community of this size has none.
        package func leastSize(inCommunityOf memberCount: Int) -> Int? {
            memberCount >= leastMembers ? Int((leastShare * Double(memberCount)).rounded(.up)) : nil
        }
    }

    /// The settings for reading the neighbours of a member's groups.
    package struct Candidates: Sendable, Equatable {
        /// The greatest number of best neighbours that a joined group brings in each relation; 1 or more.
        ///
        /// The same neighbours tell the similarity of joined groups. Lists go from the most similar group to the least.
        /// The end of a frequent group's list adds next to nothing to a score, and takes as long to read as the start.
        package var neighbourLimit = 200
        /// The number of neighbours that all joined groups bring together in each relation.
        ///
        /// With many groups, each brings fewer, but at least `leastLimit`. The end of one group's list then counts even
        /// less.
        package var totalLimit = 5000
        /// The least number to which `totalLimit` lowers the limit of a joined group; 1 or more.
        package var leastLimit = 100

        /// Returns the number of best neighbours that each of some joined groups brings in each relation.
        func limit(ofEachOf groupCount: Int) -> Int {
            min(neighbourLimit, max(leastLimit, totalLimit / max(1, groupCount)))
        }
    }

    /// The settings for the groups that may be in a list.
    package struct Filters: Sendable, Equatable {
        /// The shrunk plain cosine from which a group is too similar to a joined one (inclusive).
        ///
        /// The ceiling is above 0, and infinite for no limit.
        package var ceiling = 0.8
        /// The shrinkage h of these cosines: with c common entries, a cosine is multiplied by c / (c + h).
        ///
        /// With fewer than eight common entries, a cosine cannot reach 0.8.
        package var ceilingShrinkage = 2.0
        /// The days without activity after which a group is left out; unknown counts as active.
        package var inactiveAfterDays = Double(PhotoRecommender.idleDays)
        /// The number of candidates that are considered, the best scores first.
        package var candidateLimit = 400
    }

    /// The settings for the change of the order with time.
    package struct Rotation: Sendable, Equatable {
        /// The length of a rotation bucket, in hours; above 0.
        package var hours = 6.0
        /// The strength ν of the noise: more noise changes more and costs more; 0 or more.
        package var noise = 0.213
        /// The noise of popular groups behind others, 0 or more; 1 draws them in proportion to their members.
        package var tailNoise = 1.0
        /// The lower bound of ln(s₁₀ / s₄₀).
        package var leastSlope = 0.05
        /// The stability of the best group's rank: 1 gives that group no noise, 0 as much as all others get.
        package var stickiness = 0.999
    }

    /// The settings for lowering scores by impressions without a click, and by dismissals.
    package struct Feedback: Sendable, Equatable {
        /// The number of impressions without a click that halves a score.
        package var impressionsToHalf = 24.0
        package var impressionHalfLifeDays = 7.0
        /// The number of half-lives after which the weight of an impression is below a thousandth.
        private static let halfLivesKept = 10.0

        /// Returns the time before which impressions can be ignored at an instant; both in Unix milliseconds.
        package func earliestImpression(atMilliseconds instant: Int64) -> Int64 {
            instant - Int64(Self.halfLivesKept * impressionHalfLifeDays * 86_400_000)
        }

        /// The part of its score that the closest neighbour of a newly dismissed group loses, 0 to 1.
        package var dismissalDepth = 0.5
        /// The half-life of that effect, in days.
        package var dismissalHalfLifeDays = 14.0
        /// The binary logarithm of the factor by which a session's change moves the closest rank; 0 or more.
        package var patchDepth = 0.25
    }

    /// The settings for selecting the list from the candidates.
    package struct Selection: Sendable, Equatable {
        /// The number of a candidate's best neighbours in each relation that tell the similarity of two; 1 or more.
        package var neighbourLimit = 30
        /// The shrinkage h of similarities: with c common entries, one is multiplied by c / (c + h); 0 or more.
        package var shrinkage = 2.0
        /// The number of candidates in the pool.
        package var poolSize = 120
        /// The part of the pool that is reserved for interests in proportion to their shares, 0 to 1.
        package var ownPart = 0.25
        /// The least score for using an interest's share, as a fraction of the best score, 0 to 1.
        ///
        /// For an interest with fewer groups than that of the best candidate, the best score is scaled down in
        /// proportion.
        package var leastWorth = 0.5
        /// λ: the penalty for similarity to groups chosen before, 0 to 1.
        package var lambda = 0.12
        /// The greatest loss of raw score through diversity, as a fraction of the best list of the same length, 0 to 1.
        package var lossLimit = 0.07
        /// The greatest loss through diversity and the quotas of interests together, 0 to 1.
        package var quotaLossLimit = 0.17
        /// The greatest length of a plan.
        package var length = 300

        /// Returns the settings for lists whose scores are personal in part.
        ///
        /// Popular groups have no interest, and are alike for other reasons than their subjects. Neither the shares of
        /// interests nor similarity should push them out.
        ///
        /// - Parameter part: the personal part of the scores, 0 to 1.
        func limited(to part: Double) -> Selection {
            var selection = self
            selection.ownPart *= part
            selection.lambda *= part
            selection.lossLimit *= part
            selection.quotaLossLimit *= part
            return selection
        }
    }

    /// The settings for members about whom little is known.
    package struct ColdStart: Sendable, Equatable {
        /// The number of joined groups with which half of the list is personal.
        package var groupsToHalf = 3.0
        /// The weight of groups about stated interests.
        package var topicWeight = 3.0
        /// The least part of a list for groups about stated interests, however many groups are joined; 0 to 1.
        package var leastTopicShare = 0.15
        package var curatedWeight = 1.0
        package var trendingWeight = 1.0

        var weightSum: Double { topicWeight + curatedWeight + trendingWeight }
    }

    package var interests = Interests()
    /// The bound of ubiquitous groups.
    package var ubiquity = Ubiquity()
    /// The number of members with a public group, or `nil` if it is not known: no group is ubiquitous then.
    package var memberCount: Int?
    package var candidates = Candidates()
    package var relations = RelationTable.standard
    /// The score that the largest group gets for its size, in units of the mean best score; 0 or more.
    ///
    /// Another group gets it times the square root of its size relative to the largest. A version states the value that
    /// evidence chose.
    package var popularity = 0.0
    /// The weights of favourites, follows and own photos; a version has those that evidence chose.
    package var evidence: [Manifest.EvidenceWeight] = []
    package var filters = Filters()
    package var rotation = Rotation()
    /// The settings for fatigue and dismissals.
    package var feedback = Feedback()
    package var selection = Selection()
    package var coldStart = ColdStart()
    /// The stages that are left out, to measure the effect of each.
    package var omitted: Set<PlanStage> = []

    package init() {}

    /// Returns the same settings with what a version states: its number of members, and the weights that evidence
    /// chose.
    package func weighted(by manifest: Manifest) -> PlanConfiguration {
        var configuration = self
        configuration.popularity = manifest.popularityWeight ?? popularity
        configuration.evidence = manifest.memberEvidence ?? evidence
        // Any other order would find less than the order by popularity.
        if manifest.popularityWins == true { configuration.omitted.formUnion([.diversity, .rotation]) }
        configuration.memberCount =
            relations[.membership].flatMap { manifest[$0.relation]?.columns } ?? memberCount
        return configuration
    }

    /// The greatest strength with which lists can be varied.
    package static let greatestVariety = 4.0

    /// Returns the same settings with another strength of variety and rotation.
    ///
    /// - Parameter strength: the factor of λ and of the noise of rotation, 0 to `greatestVariety`; 0 for neither, 1 for
    ///   no change.
    package func varied(by strength: Double) -> PlanConfiguration {
        var configuration = self
        configuration.selection.lambda = min(1, selection.lambda * strength)
        configuration.rotation.noise *= strength
        configuration.rotation.tailNoise *= strength
        return configuration
    }
}
