/// A change that a member makes: new interactions, forgotten ones, or stated interests.
public struct MemberChange: Sendable, Equatable, Codable {
    /// What is to change.
    public enum Action: Sendable, Equatable, Codable {
        /// Keeps interactions, all or none of them; those whose id is known already are left as they are.
        case record([InteractionRecord])
        /// Forgets an interaction by its id, or all; memberships stay as they are.
        case forget(id: String?)
        /// Replaces the stated interests.
        case state(interests: [String])
    }

    /// What came of it.
    public enum Outcome: Sendable, Equatable {
        /// So many interactions were new, so many known already.
        case recorded(new: Int, repeated: Int)
        /// So many interactions are forgotten.
        case forgotten(Int)
        /// The interests are replaced.
        case stated
        /// Nothing was done: the interaction at this index of the batch names a group that does not exist, or is not
        /// shown.
        case unknownGroup(at: Int)
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

    /// Why nothing of the change may be done: interactions are taken only with groups that are shown.
    ///
    /// - Parameter isShown: whether there is a group of this external id that is public and not hidden.
    /// - Returns: nil if all of it may be done.
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
