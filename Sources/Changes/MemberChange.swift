public import Model

/// A change of the data about a member: new or forgotten interactions, stated interests, or exposures.
public struct MemberChange: Sendable, Equatable {
    /// The action of a change.
    public enum Action: Sendable, Equatable {
        /// Records interactions, all or none of them; those with a known id are ignored.
        case record([InteractionRecord])
        /// Forgets the interaction with an id, or all if it is nil; memberships stay as they are.
        case forget(id: String?)
        /// Replaces the stated interests.
        case state(interests: [String])
        /// Adds exposures of experiments; no answer depends on them.
        case expose([ExposureRecord])
    }

    /// The outcome of a change.
    public enum Outcome: Sendable, Equatable {
        /// The numbers of new interactions and of those that were recorded before.
        case recorded(new: Int, repeated: Int)
        /// The number of interactions that were deleted.
        case forgotten(Int)
        /// The interests were replaced.
        case stated
        /// The exposures were added.
        case exposed
        /// Nothing was done: the interaction at this index of the batch names an unknown group, or one that is not
        /// shown.
        case unknownGroup(at: Int)
        /// Nothing was done: the interaction at this index of the batch repeats an id with another content.
        case otherContent(at: Int)
        /// Nothing was done: the member is unknown or was forgotten.
        case unknownMember
    }

    /// The member's external id.
    public var userID: String
    /// The action of the change.
    public var action: Action

    /// Creates a change.
    public init(ofUser userID: String, _ action: Action) {
        self.userID = userID
        self.action = action
    }

    /// Returns the outcome of a change that must be refused, because interactions are accepted only with shown groups.
    ///
    /// - Parameter isShown: returns whether a group with this external id exists, is public and is not hidden.
    /// - Returns: nil if the change is allowed.
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
    /// The client's id, unique per member; a second interaction with the same id changes nothing.
    public var id: String
    /// The kind of the interaction.
    public var kind: Interaction.Kind
    /// The group's external id.
    public var groupID: String
    /// The time, in Unix milliseconds.
    public var atMilliseconds: Int64
    /// The list that showed the group, if any.
    public var recommendationID: String?
    /// The position of the group in that list, from 1.
    public var position: Int?
    /// The member's variant of an experiment.
    public var variant: String?

    /// Creates an interaction.
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
    /// Whether another interaction has the same content, apart from the time.
    ///
    /// A client may send an interaction without a time, and it then gets the time of its arrival.
    public func says(theSameAs other: InteractionRecord) -> Bool {
        func isSame(_ left: String?, _ right: String?) -> Bool {
            left.map(BytewiseString.init) == right.map(BytewiseString.init)
        }
        return kind == other.kind && groupID.hasSameBytes(as: other.groupID) && position == other.position
            && isSame(recommendationID, other.recommendationID) && isSame(variant, other.variant)
    }
}

extension [InteractionRecord] {
    /// Moves all interactions after an instant, in Unix milliseconds, if any is not later; the time between them stays.
    public mutating func move(after instant: Int64) {
        guard let earliest = map(\.atMilliseconds).min(), earliest <= instant else { return }
        for index in indices { self[index].atMilliseconds += instant + 1 - earliest }
    }
}

extension Interaction {
    /// Creates an interaction in terms of a model version, or nil if the version does not have the group.
    public init?(_ record: InteractionRecord, in model: VisibleModel) {
        guard let group = model.index(ofID: record.groupID) else { return nil }
        self.init(record.kind, group: UInt32(group), atMilliseconds: record.atMilliseconds)
    }
}

/// The amount of data that is recorded about a member's actions.
public struct RecordedAmount: Sendable, Equatable {
    /// The approximate size of an interaction without its texts, in bytes.
    public static let bytesOfInteraction = 64

    /// The number of interactions since a moment.
    public var recent: Int
    /// The approximate size of all interactions, in bytes.
    public var keptBytes: Int

    /// Creates an amount.
    public init(recent: Int = 0, keptBytes: Int = 0) {
        self.recent = recent
        self.keptBytes = keptBytes
    }
}

extension InteractionRecord {
    /// The approximate size of the interaction where it is stored, in bytes.
    public var keptByteCount: Int {
        RecordedAmount.bytesOfInteraction + id.utf8.count + (recommendationID?.utf8.count ?? 0)
            + (variant?.utf8.count ?? 0)
    }
}
