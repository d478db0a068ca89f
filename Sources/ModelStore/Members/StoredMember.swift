/// What is published of a user with a model version, in terms of its groups.
public struct StoredMember: Sendable, Equatable {
    /// The groups the user is in, ascending.
    public var joined: [UInt32]
    /// What the user said and was shown.
    public var feedback: MemberFeedback

    /// The member of what was found of a user; nil if nothing was.
    init?(foundJoined joined: [UInt32]?, feedback: MemberFeedback?) {
        guard joined != nil || feedback != nil else { return nil }
        self.init(joined: joined ?? [], feedback: feedback ?? MemberFeedback())
    }

    /// A member.
    public init(joined: [UInt32] = [], feedback: MemberFeedback = MemberFeedback()) {
        self.joined = joined
        self.feedback = feedback
    }
}

/// What a user said of groups and was shown of them, as far as it bears on lists.
public struct MemberFeedback: Sendable, Equatable {
    /// A group that the user is not interested in.
    public struct Dismissal: Sendable, Equatable {
        /// The group's index in the version.
        public var group: UInt32
        /// When the user said so, in Unix seconds.
        public var atSeconds: UInt32

        /// A dismissal.
        public init(group: UInt32, atSeconds: UInt32) {
            self.group = group
            self.atSeconds = atSeconds
        }
    }

    /// A group that was shown and not clicked since.
    public struct Exposure: Sendable, Equatable {
        /// The group's index in the version.
        public var group: UInt32
        /// Impressions in thousandths, faded until the moment of the version's recompute; above 0.
        public var thousandths: UInt32

        /// An exposure.
        public init(group: UInt32, thousandths: UInt32) {
            self.group = group
            self.thousandths = thousandths
        }
    }

    /// In ascending order of the group.
    public var dismissals: [Dismissal]
    /// In ascending order of the group.
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
