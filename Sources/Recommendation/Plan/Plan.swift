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
