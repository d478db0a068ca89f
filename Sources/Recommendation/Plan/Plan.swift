import Model

/// A member's list: made once per session and rotation bucket, then frozen.
package struct Plan: Sendable, Equatable {
    /// The groups in the order in which they are shown; a shorter list is a prefix of it.
    package var items: [PlanItem]
    /// The member's interests, the ones with the most groups first.
    package var interests: [Interest]
    /// The number of the plan's rotation bucket.
    package var bucket: Int64
    /// The number of candidates that passed all filters.
    package var candidateCount: Int

    /// The list of a member who is to be shown no groups.
    package static let paused = Plan(items: [], interests: [], bucket: 0, candidateCount: 0)

    package init(items: [PlanItem], interests: [Interest], bucket: Int64, candidateCount: Int) {
        self.items = items
        self.interests = interests
        self.bucket = bucket
        self.candidateCount = candidateCount
    }
}

/// A group in a member's list.
package struct PlanItem: Sendable, Equatable {
    /// The reason why a group is in the list at all.
    package enum Origin: String, Sendable, CaseIterable {
        /// A neighbour of groups that the member has joined.
        case personal
        /// A group about a stated interest.
        case topic
        /// A pick of the site's staff.
        case curated
        /// A group that grows faster than usual.
        case trending
        /// One of the groups with the most members: it fills up the list, or its size made it a candidate.
        case popular
    }

    /// One of the two lists from which a list is interleaved.
    package enum Team: UInt8, Sendable { case first, second }

    /// The group's index in the model.
    package var group: UInt32
    /// The raw score; 0 if neither joined groups nor its size add to it.
    package var score: Double
    /// The index of the interest that contributes most, or `nil` if no joined group contributes.
    package var interest: Int?
    /// The reason why the group is in the list.
    package var origin: Origin
    /// The reason for the group's position.
    package var placement: Placement
    /// The list that picked the group, or `nil` unless the list is interleaved from two.
    package var team: Team?

    /// Creates an item.
    ///
    /// - Parameters:
    ///   - group: the group's index in the model.
    ///   - interest: the index of its interest, if any.
    ///   - placement: the reason for its position, or `nil` for the one that follows from the origin.
    package init(group: UInt32, score: Double, interest: Int?, origin: Origin, placement: Placement? = nil) {
        self.group = group
        self.score = score
        self.interest = interest
        self.origin = origin
        self.placement = placement ?? Placement(origin)
    }
}

extension Plan {
    /// Returns a hash of the member, the bucket and the order of the groups.
    ///
    /// Together with the model version, the hash identifies the list.
    package func fingerprint(ofUser userID: String) -> UInt64 {
        var bytes = Array(userID.utf8) + [0]
        bytes.reserveCapacity(bytes.count + 8 + 4 * items.count)
        for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: bucket >> shift)) }
        for item in items {
            for shift in stride(from: 0, to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: item.group >> shift)) }
        }
        return KeyedHash.hash(bytes, key: (0, 0))
    }
}

/// The input of a plan, besides the model and the planner's configuration and key.
package struct PlanRequest: Sendable, Equatable {
    /// The member's profile.
    package var profile: MemberProfile
    /// The instant of the plan, in Unix milliseconds.
    package var atMilliseconds: Int64
    /// A seed for the order; usually 0, and each other value gives another order.
    package var seed: UInt64
    /// The conditions for the groups in the list.
    package var filter: GroupFilter
    /// The factors for the scores of candidates; none usually.
    package var boosts: [Boost]
    /// The greatest number of groups, or `nil` for the full length of a plan.
    ///
    /// A shorter list is a prefix of a longer one.
    package var length: Int?

    /// Whether the member is to be shown no groups; a planner makes the list all the same.
    package var isPaused: Bool { profile.pause?.isOn(atMilliseconds: atMilliseconds) == true }

    package init(
        profile: MemberProfile, atMilliseconds: Int64, seed: UInt64 = 0, filter: GroupFilter = .none,
        boosts: [Boost] = [], length: Int? = nil
    ) {
        self.profile = profile
        self.atMilliseconds = atMilliseconds
        self.seed = seed
        self.filter = filter
        self.boosts = boosts
        self.length = length
    }
}

/// The stages from a profile to a list, in their order.
package enum PlanStage: String, Sendable, CaseIterable {
    /// Takes the groups that the member has joined.
    case profile
    /// Collects the neighbours of these groups.
    case candidates
    /// Adds a score for the size of each group, if evidence gave sizes a weight.
    case popularity
    /// Clusters the joined groups into interests.
    case interests
    /// Removes groups that may not be shown, are inactive, or are too similar to a joined one.
    case filters
    /// Raises groups in their season, and lowers groups out of it.
    case season
    /// Multiplies scores by the boosts of the request, if it has some.
    case boosts
    /// Changes the order every few hours.
    case rotation
    /// Lowers groups shown often without a click, and neighbours of dismissed ones.
    case fatigue
    /// Gives each interest its share, and avoids groups that are similar to one another.
    case diversity
    /// Adds groups about stated interests, and curated, trending and popular groups.
    case coldStart = "cold-start"

    /// Whether a list can be made without the stage.
    package var canBeOmitted: Bool {
        switch self {
        case .profile, .interests, .candidates: false
        case .popularity, .filters, .season, .boosts, .rotation, .fatigue, .diversity, .coldStart: true
        }
    }
}

/// The report of one stage.
package struct StageReport: Sendable, Equatable {
    package var stage: PlanStage
    /// The number of groups that the stage received.
    package var taken: Int
    /// The number of groups that the stage passed on.
    package var passed: Int
    /// Further facts, in a few words.
    package var note: String
}

extension PlanItem {
    /// The reason for a group's position: the cause that put it above a later group with a greater score, if any.
    package enum Placement: String, Sendable, CaseIterable {
        /// The group's score: no later candidate has a greater one, apart from season, boosts and rotation.
        case relevance
        case interestShare
        /// Variety: later groups with greater scores are more similar to groups before it.
        case variety
        /// The order of the current rotation bucket.
        case rotation
        /// The time of the year.
        case seasonal
        /// A pick of the site's staff.
        case curated
        /// A stated interest, a trend or popularity, where little is known of the member or of such groups.
        case coldStart
        case boosted
    }
}

extension PlanItem.Placement {
    init(_ origin: PlanItem.Origin) {
        switch origin {
        case .personal: self = .relevance
        case .curated: self = .curated
        case .topic, .trending, .popular: self = .coldStart
        }
    }

    /// Returns the placements of the candidates of a list.
    ///
    /// - Parameter candidates: the candidates, in the order of the list.
    static func placements(of candidates: some BidirectionalCollection<Candidate>) -> [PlanItem.Placement] {
        var placements: [PlanItem.Placement] = []
        placements.reserveCapacity(candidates.count)
        // The greatest score among the later candidates.
        var greatest: Standard?
        for candidate in candidates.reversed() {
            let standard = Standard(candidate)
            if let greatest, standard.relevance < greatest.relevance * (1 - Standard.tolerance) {
                placements.append(standard.placement(above: greatest))
            } else {
                placements.append(.relevance)
                greatest = standard
            }
        }
        return placements.reversed()
    }
}

/// The factors of a candidate's adjusted score.
private struct Standard {
    /// The relative error that is tolerated, since quotients of products are not exact.
    static let tolerance = 1e-9

    let candidate: Candidate
    /// The adjusted score without season, boosts and rotation: the raw score, lowered by impressions and dismissals.
    let relevance: Double

    init(_ candidate: Candidate) {
        self.candidate = candidate
        relevance = candidate.adjusted / (candidate.season * Double(candidate.noise) * Double(candidate.boost))
    }

    /// Returns the cause that put the candidate above one of greater relevance.
    func placement(above other: Standard) -> PlanItem.Placement {
        switch candidate.cause {
        case .share: return .interestShare
        case .variety: return .variety
        case .score: break
        }
        // The candidate was in the pool, and the better one was not: the room was reserved for the candidate's
        // interest.
        if candidate.adjusted < other.candidate.adjusted { return .interestShare }
        let rotation = Double(candidate.noise / other.candidate.noise)
        let season = candidate.season / other.candidate.season
        if Double(candidate.boost / other.candidate.boost) > max(season, rotation) { return .boosted }
        return season > rotation ? .seasonal : .rotation
    }
}
