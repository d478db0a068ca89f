/// A change of what is recorded of a member: new interactions, forgotten ones, stated interests, or exposures.
public struct MemberChange: Sendable, Equatable, Codable {
    /// What is to change.
    public enum Action: Sendable, Equatable, Codable {
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
