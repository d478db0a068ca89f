import Model

/// A member's list: made once per session and rotation bucket, then frozen.
public struct Plan: Sendable, Equatable {
    /// The groups in the order in which they are shown; a shorter list is a prefix of it.
    public var items: [PlanItem]
    /// The member's interests, the largest first.
    public var interests: [Interest]
    /// The number of its rotation bucket.
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

/// A group in a member's list.
public struct PlanItem: Sendable, Equatable {
    /// Why a group is in the list at all.
    public enum Origin: String, Sendable, CaseIterable {
        /// It is a neighbour of groups that the member has joined.
        case personal
        /// It is about a stated interest.
        case topic
        /// The site's staff picked it.
        case curated
        /// It grows faster than usual.
        case trending
        /// It is one of the groups with the most members, and fills the list, or counts by its size.
        case popular
    }

    /// The group's index in the model.
    public var group: UInt32
    /// The raw score s; 0 if neither joined groups nor its size add to it.
    public var score: Double
    /// The index of the interest of its strongest reason in the plan's list; nil if no joined group is one.
    public var interest: Int?
    /// Why it is in the list.
    public var origin: Origin
    /// Why it stands where it stands.
    public var placement: Placement

    /// An item.
    ///
    /// - Parameter placement: nil for the one that follows from the origin.
    public init(group: UInt32, score: Double, interest: Int?, origin: Origin, placement: Placement? = nil) {
        self.group = group
        self.score = score
        self.interest = interest
        self.origin = origin
        self.placement = placement ?? Placement(origin)
    }
}

extension Plan {
    /// A hash of the member, the bucket and the order of the groups; with the model version, it identifies the list.
    ///
    /// - Parameter userID: the member's external id.
    public func fingerprint(ofUser userID: String) -> UInt64 {
        var bytes = Array(userID.utf8) + [0]
        bytes.reserveCapacity(bytes.count + 8 + 4 * items.count)
        for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: bucket >> shift)) }
        for item in items {
            for shift in stride(from: 0, to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: item.group >> shift)) }
        }
        return KeyedHash.hash(bytes, key: (0, 0))
    }
}

/// What a plan depends on, besides the model and the planner's configuration and key.
public struct PlanRequest: Sendable, Equatable {
    /// The member's profile.
    public var profile: MemberProfile
    /// The instant for which it is made, in Unix milliseconds.
    public var atMilliseconds: Int64
    /// Another seed gives another order; usually 0.
    public var seed: UInt64
    /// What the request asks of the groups.
    public var filter: GroupFilter
    /// How many groups are wanted at most; nil for as many as a plan has.
    ///
    /// A shorter list is a prefix of a longer one.
    public var length: Int?

    /// A request.
    public init(
        profile: MemberProfile, atMilliseconds: Int64, seed: UInt64 = 0, filter: GroupFilter = .none,
        length: Int? = nil
    ) {
        self.profile = profile
        self.atMilliseconds = atMilliseconds
        self.seed = seed
        self.filter = filter
        self.length = length
    }
}

/// The stages from a profile to a list, in their order.
public enum PlanStage: String, Sendable, CaseIterable {
    /// Takes the groups that the member has joined.
    case profile
    /// Collects their neighbours.
    case candidates
    /// Adds what the size of a group counts by evidence, if it counts anything.
    case popularity
    /// Clusters the joined groups into interests.
    case interests
    /// Removes groups that may not be shown, are inactive, or are too similar to a joined one.
    case filters
    /// Raises groups in their season, and lowers those out of it.
    case season
    /// Changes the order every few hours.
    case rotation
    /// Lowers groups shown often without a click, and neighbours of dismissed ones.
    case fatigue
    /// Gives each interest its share, and avoids groups that are similar to one another.
    case diversity
    /// Adds groups about stated interests, curated, trending and popular groups.
    case coldStart = "cold-start"

    /// Whether a list can be made without it.
    public var canBeOmitted: Bool {
        switch self {
        case .profile, .interests, .candidates: false
        case .popularity, .filters, .season, .rotation, .fatigue, .diversity, .coldStart: true
        }
    }
}

/// The report of one stage.
public struct StageReport: Sendable, Equatable {
    /// The stage.
    public var stage: PlanStage
    /// The number of groups it received.
    public var taken: Int
    /// The number of groups it passed on.
    public var passed: Int
    /// Further facts, in a few words.
    public var note: String
}

extension PlanItem {
    /// Why a group stands where it stands in a list: what has put it above a group with a greater score, if one
    /// follows.
    public enum Placement: String, Sendable, CaseIterable {
        /// Its score: no group of joined groups after it has a greater one, if what the member saw often or dismissed
        /// is taken off.
        case relevance
        /// The share of its interest.
        case interestShare
        /// Those with greater scores are more similar to groups before it.
        case variety
        /// The order of these hours.
        case rotation
        /// The time of the year.
        case seasonal
        /// The site's staff picked it.
        case curated
        /// Little is known of the member, or of such groups, and stated interests, trends and popularity fill the list.
        case coldStart
    }
}

extension PlanItem.Placement {
    /// The placement of a group that something else than joined groups brought.
    init(_ origin: PlanItem.Origin) {
        switch origin {
        case .personal: self = .relevance
        case .curated: self = .curated
        case .topic, .trending, .popular: self = .coldStart
        }
    }

    /// The placements of the candidates of a list.
    ///
    /// - Parameter candidates: in the order of the list.
    static func placements(of candidates: some BidirectionalCollection<Candidate>) -> [PlanItem.Placement] {
        var placements: [PlanItem.Placement] = []
        placements.reserveCapacity(candidates.count)
        // Of those that follow, the one with the greatest score.
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

/// What a candidate's adjusted score is made of.
private struct Standard {
    /// Quotients of products are not exact.
    static let tolerance = 1e-9

    let candidate: Candidate
    /// The adjusted score without season and rotation: the raw score, lowered by what was seen and dismissed.
    let relevance: Double

    init(_ candidate: Candidate) {
        self.candidate = candidate
        relevance = candidate.adjusted / (candidate.season * Double(candidate.noise))
    }

    /// What has put it above a candidate of greater relevance.
    func placement(above other: Standard) -> PlanItem.Placement {
        switch candidate.cause {
        case .share: return .interestShare
        case .variety: return .variety
        case .score: break
        }
        // It was in the pool, and the other was not, though better: the room was reserved for its interest.
        if candidate.adjusted < other.candidate.adjusted { return .interestShare }
        let rotation = Double(candidate.noise / other.candidate.noise)
        return candidate.season / other.candidate.season > rotation ? .seasonal : .rotation
    }
}
