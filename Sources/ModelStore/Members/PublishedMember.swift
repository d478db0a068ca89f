public import Model

/// What is published of a user with a model version, in terms of its groups: all that daemons without the catalog know
/// of a member, but for what came since.
public struct PublishedMember: Sendable, Equatable {
    /// What a user said of groups and was shown of them, as far as it changes lists.
    public struct Feedback: Sendable, Equatable {
        /// Fewer impressions than these are rounded to none: such an exposure is not to be published.
        public static let leastImpressions = 0.0005

        /// In ascending order of the group.
        public var dismissals: [Dismissal]
        /// In ascending order of the group; faded until the moment of the version's recompute.
        public var exposures: [Exposure]
        /// Stated interests, none of which has a semicolon in it.
        public var interests: [String]

        /// Feedback.
        public init(dismissals: [Dismissal] = [], exposures: [Exposure] = [], interests: [String] = []) {
            self.dismissals = dismissals
            self.exposures = exposures
            self.interests = interests
        }

        /// Whether there is none at all.
        public var isEmpty: Bool { dismissals.isEmpty && exposures.isEmpty && interests.isEmpty }
    }

    /// The groups the user is in, ascending.
    public var joined: [UInt32]
    /// What the user said and was shown.
    public var feedback: Feedback

    /// The member made of what was found of a user; nil if nothing was.
    init?(foundJoined joined: [UInt32]?, feedback: Feedback?) {
        guard joined != nil || feedback != nil else { return nil }
        self.init(joined: joined ?? [], feedback: feedback ?? Feedback())
    }

    /// A member.
    public init(joined: [UInt32] = [], feedback: Feedback = Feedback()) {
        self.joined = joined
        self.feedback = feedback
    }
}

/// The members to be published with a version; users are numbered from 0 on, in any order.
public protocol MemberSource: Sendable {
    /// How many users there are.
    var userCount: Int { get }

    /// The bytes of a user's external id.
    ///
    /// - Parameter number: 0 ..< `userCount`.
    func id(ofUser number: Int) -> ArraySlice<UInt8>

    /// The indexes of the groups that a user joined, ascending.
    ///
    /// - Parameter number: 0 ..< `userCount`.
    func groups(ofUser number: Int) -> ArraySlice<UInt32>

    /// What a user said and was shown.
    ///
    /// - Parameter number: 0 ..< `userCount`.
    func feedback(ofUser number: Int) -> PublishedMember.Feedback
}
