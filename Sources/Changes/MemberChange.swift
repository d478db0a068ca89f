public import Model

/// A change of what is recorded of a member: new interactions, forgotten ones, stated interests, or exposures.
public struct MemberChange: Sendable, Equatable {
    /// What is to change.
    public enum Action: Sendable, Equatable {
        /// Records interactions, all or none of them; those with a known id are ignored.
        case record([InteractionRecord])
        /// Forgets an interaction by its id, or all; memberships stay as they are.
        case forget(id: String?)
        /// Replaces the stated interests.
        case state(interests: [String])
        /// Adds what the member was shown in experiments; no answer depends on it.
        case expose([ExposureRecord])
    }

    /// The outcome of a change.
    public enum Outcome: Sendable, Equatable {
        /// The numbers of new interactions and of those that were recorded before.
        case recorded(new: Int, repeated: Int)
        /// The number of interactions that were deleted.
        case forgotten(Int)
        /// The interests are replaced.
        case stated
        /// The exposures are added.
        case exposed
        /// Nothing was done: the interaction at this index of the batch names a group that does not exist, or is not
        /// shown.
        case unknownGroup(at: Int)
        /// Nothing was done: the interaction at this index of the batch has the id of another that says something
        /// else.
        case otherContent(at: Int)
        /// Nothing was done: there is no such member, or the member was forgotten.
        case unknownMember
    }

    /// The member's external id.
    public var userID: String
    /// What is to change.
    public var action: Action

    /// A change.
    public init(ofUser userID: String, _ action: Action) {
        self.userID = userID
        self.action = action
    }

    /// The outcome of a change that must be refused: interactions are accepted only with shown groups.
    ///
    /// - Parameter isShown: whether there is a group with this external id that is public and not hidden.
    /// - Returns: nil if the change may be made.
    public func refusal<Failure: Error>(isShown: (_ groupID: String) throws(Failure) -> Bool) throws(Failure)
        -> Outcome?
    {
        guard case .record(let interactions) = action else { return nil }
        for (index, interaction) in interactions.enumerated() where try !isShown(interaction.groupID) {
            return .unknownGroup(at: index)
        }
        return nil
    }
}

/// Something a member did with a group, by external ids, as clients send it and as catalogs and journals store it.
public struct InteractionRecord: Sendable, Equatable {
    /// The client's id of it, unique per member; a second interaction with the same id changes nothing.
    public var id: String
    /// What was done.
    public var kind: Interaction.Kind
    /// The group's external id.
    public var groupID: String
    /// When, in Unix milliseconds.
    public var atMilliseconds: Int64
    /// The list in which the group was shown, if there was one.
    public var recommendationID: String?
    /// The position it had there, from 1.
    public var position: Int?
    /// The variant of an experiment that the member was in.
    public var variant: String?

    /// An interaction.
    public init(
        id: String, _ kind: Interaction.Kind, groupID: String, atMilliseconds: Int64, recommendationID: String? = nil,
        position: Int? = nil, variant: String? = nil
    ) {
        self.id = id
        self.kind = kind
        self.groupID = groupID
        self.atMilliseconds = atMilliseconds
        self.recommendationID = recommendationID
        self.position = position
        self.variant = variant
    }
}

extension InteractionRecord {
    /// Whether another one says the same, but for the time: of an interaction that is sent without a time, it is that
    /// of its arrival.
    public func says(theSameAs other: InteractionRecord) -> Bool {
        func isSame(_ left: String?, _ right: String?) -> Bool {
            left.map(BytewiseString.init) == right.map(BytewiseString.init)
        }
        return kind == other.kind && groupID.hasSameBytes(as: other.groupID) && position == other.position
            && isSame(recommendationID, other.recommendationID) && isSame(variant, other.variant)
    }
}

extension [InteractionRecord] {
    /// Makes all of them later than an instant, in Unix milliseconds; the time between them stays.
    public mutating func move(after instant: Int64) {
        guard let earliest = map(\.atMilliseconds).min(), earliest <= instant else { return }
        for index in indices { self[index].atMilliseconds += instant + 1 - earliest }
    }
}

extension Interaction {
    /// An interaction in terms of a model version; nil if the version does not have the group.
    public init?(_ record: InteractionRecord, in model: VisibleModel) {
        guard let group = model.index(ofID: record.groupID) else { return nil }
        self.init(record.kind, group: UInt32(group), atMilliseconds: record.atMilliseconds)
    }
}

/// A page of a list that was shown to a member of an experiment, however often that was on one day.
///
/// Equal pages of a day add up to one record, so that reloading a page costs no room.
public struct ExposureRecord: Sendable, Equatable {
    /// The experiment's name.
    public var experiment: String
    /// The arm that the list was made for.
    public var arm: String
    /// The list.
    public var recommendationID: String
    /// The rank of the first group of the page, from 1.
    public var firstPosition: Int
    /// How many groups the page had; 0 for an empty list.
    public var shownCount: Int
    /// What the client asked of the groups, as text; empty for nothing.
    public var filters: String
    /// Which list each group of the page is credited to, a character a group: 1, 2, or - for neither; nil unless the
    /// list is drafted from two.
    public var teams: String?
    /// How often it was shown, 1 or more.
    public var times: Int
    /// When it was shown first and last, in Unix milliseconds; on one day of UTC.
    public var firstAtMilliseconds, lastAtMilliseconds: Int64
    /// How long making the answers took, all together; nil if that is not known, as of older programs.
    public var microseconds: Int64?

    /// A page that was shown once.
    public init(
        experiment: String, arm: String, recommendationID: String, firstPosition: Int, shownCount: Int,
        filters: String, atMilliseconds instant: Int64, microseconds: Int64? = nil
    ) {
        self.experiment = experiment
        self.arm = arm
        self.recommendationID = recommendationID
        self.firstPosition = firstPosition
        self.shownCount = shownCount
        self.filters = filters
        times = 1
        firstAtMilliseconds = instant
        lastAtMilliseconds = instant
        self.microseconds = microseconds
    }

    /// Adds the same page of the same day, shown again.
    public mutating func add(_ other: ExposureRecord) {
        times += other.times
        firstAtMilliseconds = min(firstAtMilliseconds, other.firstAtMilliseconds)
        lastAtMilliseconds = max(lastAtMilliseconds, other.lastAtMilliseconds)
        microseconds = if let microseconds, let others = other.microseconds { microseconds + others } else { nil }
    }

    /// The day of UTC, in days since 1970.
    public var day: Int64 { firstAtMilliseconds / 86_400_000 }
}

/// How much is recorded of what a member did.
public struct RecordedAmount: Sendable, Equatable {
    /// What an interaction takes beside its texts, in bytes, about.
    public static let bytesOfInteraction = 64

    /// Interactions since a moment.
    public var recent: Int
    /// What all interactions take, in bytes, about.
    public var keptBytes: Int

    /// An amount.
    public init(recent: Int = 0, keptBytes: Int = 0) {
        self.recent = recent
        self.keptBytes = keptBytes
    }
}

extension InteractionRecord {
    /// What it takes where it is kept, in bytes, about.
    public var keptByteCount: Int {
        RecordedAmount.bytesOfInteraction + id.utf8.count + (recommendationID?.utf8.count ?? 0)
            + (variant?.utf8.count ?? 0)
    }
}
