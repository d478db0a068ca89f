public import Model

/// A user as published with a model version, in terms of its groups.
///
/// Daemons without the catalog know members from here, and from newer changes.
public struct PublishedMember: Sendable, Equatable {
    /// A user's dismissals, exposures and interests.
    public struct Feedback: Sendable, Equatable {
        /// Exposures with fewer impressions than this are rounded to none, and not published.
        public static let leastImpressions = 0.0005

        /// In ascending order of the group.
        public var dismissals: [Dismissal]
        /// In ascending order of the group; faded until the moment of the version's recompute.
        public var exposures: [Exposure]
        /// Stated interests in UTF-8, separated by semicolons: as they are stored, since millions are published.
        public var interestBytes: ArraySlice<UInt8>

        /// Feedback.
        public init(
            dismissals: [Dismissal] = [], exposures: [Exposure] = [], interestBytes: ArraySlice<UInt8> = []
        ) {
            self.dismissals = dismissals
            self.exposures = exposures
            self.interestBytes = interestBytes
        }

        /// Stated interests.
        public var interests: [String] {
            interestBytes.split(separator: UInt8(ascii: ";")).map { String(decoding: $0, as: UTF8.self) }
        }

        /// Whether there is no feedback.
        public var isEmpty: Bool { dismissals.isEmpty && exposures.isEmpty && interestBytes.isEmpty }
    }

    /// The groups the user is in, ascending.
    public var joined: [UInt32]
    /// The day of the earliest membership, in days since 1970: 0 if the time of one is not known; nil if there is none,
    /// or an earlier program published the member.
    public var firstDay: UInt16?
    /// The user's feedback.
    public var feedback: Feedback

    /// A member from the values found for a user; nil if there are none.
    init?(foundJoined joined: JoinedGroups?, feedback: Feedback?) {
        guard joined != nil || feedback != nil else { return nil }
        self.init(joined: joined?.groups ?? [], firstDay: joined?.firstDay, feedback: feedback ?? Feedback())
    }

    /// A member.
    public init(joined: [UInt32] = [], firstDay: UInt16? = nil, feedback: Feedback = Feedback()) {
        self.joined = joined
        self.firstDay = firstDay
        self.feedback = feedback
    }
}

/// The members to be published with a version; users are numbered from 0 on, in any order.
public protocol MemberSource: Sendable {
    /// The number of users.
    var userCount: Int { get }

    /// The bytes of a user's external id.
    ///
    /// - Parameter number: 0 ..< `userCount`.
    func id(ofUser number: Int) -> ArraySlice<UInt8>

    /// The indexes of the groups that a user joined, ascending.
    ///
    /// - Parameter number: 0 ..< `userCount`.
    func groups(ofUser number: Int) -> ArraySlice<UInt32>

    /// The day of a user's earliest membership, in days since 1970; as of `PublishedMember`.
    ///
    /// - Parameter number: 0 ..< `userCount`.
    func firstDay(ofUser number: Int) -> UInt16?

    /// A user's feedback.
    ///
    /// - Parameter number: 0 ..< `userCount`.
    func feedback(ofUser number: Int) -> PublishedMember.Feedback

    /// Tells that some users are asked for next, so that what is known of them can come from memory side by side.
    ///
    /// - Parameter numbers: 0 ..< `userCount`.
    func prepare(_ numbers: ArraySlice<UInt32>)
}

extension MemberSource {
    /// Does nothing.
    public func prepare(_ numbers: ArraySlice<UInt32>) {}
}
