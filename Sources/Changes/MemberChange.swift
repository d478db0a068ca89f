package import Model

/// A change of the data about a member: new or forgotten interactions, stated interests, or exposures.
package struct MemberChange: Sendable, Equatable {
    /// The action of a change.
    package enum Action: Sendable, Equatable {
        /// Records interactions, all or none of them; those with a known id are ignored.
        case record([InteractionRecord])
        /// Forgets the interaction with an id, or all if it is nil; memberships stay as they are.
        case forget(id: String?)
        case state(interests: [String])
        /// Adds exposures of experiments; no answer depends on them.
        case expose([ExposureRecord])
    }

    /// The outcome of a change.
    package enum Outcome: Sendable, Equatable {
        /// The numbers of new interactions and of those that were recorded before.
        case recorded(new: Int, repeated: Int)
        /// The number of interactions that were deleted.
        case forgotten(Int)
        /// The interests were replaced.
        case stated
        case exposed
        /// Nothing was done: the interaction at this index of the batch names something unknown.
        ///
        /// Groups and photos that are not public count as unknown.
        case unknownSubject(at: Int)
        /// Nothing was done: the interaction at this index of the batch repeats an id with another content.
        case otherContent(at: Int)
        /// Nothing was done: the member is unknown or was forgotten.
        case unknownMember
    }

    /// The member's external id.
    package var userID: String
    package var action: Action

    package init(ofUser userID: String, _ action: Action) {
        self.userID = userID
        self.action = action
    }
}

/// Something a member did with a group, a photo, another member or the own list, by external ids.
///
/// Clients send it like this, and catalogs and journals store it.
package struct InteractionRecord: Sendable, Equatable {
    /// The client's id, unique per member; a second interaction with the same id changes nothing.
    package var id: String
    package var kind: Interaction.Kind
    /// The external id of the group, the photo or the member that it is about; see `Interaction.Kind.subject`.
    ///
    /// It is empty if the interaction is about the member's own list.
    package var subjectID: String
    /// The time, in Unix milliseconds.
    package var atMilliseconds: Int64
    /// The list that showed the group, if any.
    package var recommendationID: String?
    /// The position of the group in that list, from 1.
    package var position: Int?
    /// The member's variant of an experiment.
    package var variant: String?
    /// The time that the member looked at the group, or the length of a pause that ends by itself, in seconds.
    package var seconds: Int?

    /// The effect on the member's profile; nil if it has none.
    var effect: Interaction.Effect? { kind.effect(seconds: seconds) }

    /// The pause that it begins or ends, or nil if it is about something else.
    package var pause: Pause? { Pause(kind, atMilliseconds: atMilliseconds, seconds: seconds) }

    /// The group's external id, or nil if it is about something else.
    package var groupID: String? { kind.subject == .group ? subjectID : nil }

    package init(
        id: String, _ kind: Interaction.Kind, subjectID: String, atMilliseconds: Int64,
        recommendationID: String? = nil, position: Int? = nil, variant: String? = nil, seconds: Int? = nil
    ) {
        self.id = id
        self.kind = kind
        self.subjectID = subjectID
        self.atMilliseconds = atMilliseconds
        self.recommendationID = recommendationID
        self.position = position
        self.variant = variant
        self.seconds = seconds
    }

    /// Whether the interaction names another member.
    func isAbout(user id: String) -> Bool { kind.subject == .user && subjectID.hasSameBytes(as: id) }

    /// Whether another interaction has the same content, apart from the time.
    ///
    /// A client may send an interaction without a time, and it then gets the time of its arrival.
    package func says(theSameAs other: InteractionRecord) -> Bool {
        func isSame(_ left: String?, _ right: String?) -> Bool {
            left.map(BytewiseString.init) == right.map(BytewiseString.init)
        }
        return kind == other.kind && subjectID.hasSameBytes(as: other.subjectID) && position == other.position
            && seconds == other.seconds
            && isSame(recommendationID, other.recommendationID) && isSame(variant, other.variant)
    }
}

extension [InteractionRecord] {
    /// Moves all interactions after an instant, in Unix milliseconds, if any is not later; the time between them stays.
    package mutating func move(after instant: Int64) {
        guard let earliest = map(\.atMilliseconds).min(), earliest <= instant else { return }
        for index in indices { self[index].atMilliseconds += instant + 1 - earliest }
    }
}

extension Interaction {
    /// Creates an interaction in terms of a model version.
    ///
    /// - Returns: nil if the interaction is not about a group, if the version does not have the group, or if the
    ///   interaction does not count.
    package init?(_ record: InteractionRecord, in model: VisibleModel) {
        guard let id = record.groupID, let group = model.index(ofID: id), let effect = record.effect else { return nil }
        self.init(effect, group: UInt32(group), atMilliseconds: record.atMilliseconds)
    }
}

/// The amount of data that is recorded about a member's actions.
package struct RecordedAmount: Sendable, Equatable {
    /// The approximate size of an interaction without its texts, in bytes.
    package static let bytesOfInteraction = 64

    /// The number of interactions since a moment.
    package var recent: Int
    /// The approximate size of all interactions, in bytes.
    package var keptBytes: Int

    package init(recent: Int = 0, keptBytes: Int = 0) {
        self.recent = recent
        self.keptBytes = keptBytes
    }
}

extension InteractionRecord {
    /// The approximate size of the interaction where it is stored, in bytes.
    package var keptByteCount: Int {
        RecordedAmount.bytesOfInteraction + id.utf8.count + (recommendationID?.utf8.count ?? 0)
            + (variant?.utf8.count ?? 0)
    }
}
