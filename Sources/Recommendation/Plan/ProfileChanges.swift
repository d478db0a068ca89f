import Model

/// What a member did since a plan was made, as far as it bears on the list.
public struct ProfileChanges: Sendable, Equatable {
    /// Groups joined since.
    public var joined: [UInt32]
    /// Groups left since.
    public var left: [UInt32]
    /// Groups dismissed since.
    public var dismissed: [UInt32]
    /// Groups whose dismissal was undone since.
    public var undismissed: [UInt32]

    /// The differences between two profiles of one member; what was undone is no difference.
    public init(from before: MemberProfile, to after: MemberProfile) {
        let (joinedBefore, joinedAfter) = (Set(before.joined.map(\.group)), Set(after.joined.map(\.group)))
        let (dismissedBefore, dismissedAfter) = (
            Set(before.dismissals.map(\.group)), Set(after.dismissals.map(\.group))
        )
        joined = joinedAfter.subtracting(joinedBefore).sorted()
        left = joinedBefore.subtracting(joinedAfter).sorted()
        dismissed = dismissedAfter.subtracting(dismissedBefore).sorted()
        undismissed = dismissedBefore.subtracting(dismissedAfter).sorted()
    }
}
