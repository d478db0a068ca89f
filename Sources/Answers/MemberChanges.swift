/// The state of a group for a member.
package enum GroupState: String, Sendable, CaseIterable {
    /// The group is in the member's list.
    case recommended
    case joined
    /// The member does not want the group.
    case dismissed
}

/// The changes of a member's groups since a state: `GET /v1/users/{id}/changes`.
///
/// The fields are those of JMAP's `/changes` (RFC 8620, section 5.2). `groups` and `order` save the client a second
/// request.
package struct MemberChanges: Answer, Equatable {
    package var userId: String
    package var oldState: String?
    package var newState: String
    package var hasMoreChanges: Bool
    package var created: [String]
    package var updated: [String]
    package var destroyed: [String]
    package var groups: [Row]
    package var order: [String]
    package var atMilliseconds: Int64
    package var pause: ListPause

    package init(
        userId: String, from oldState: String?, to newState: String, hasMoreChanges: Bool, created: [String],
        updated: [String], destroyed: [String], groups: [Row], order: [String], atMilliseconds: Int64,
        pause: ListPause
    ) {
        self.userId = userId
        self.oldState = oldState
        self.newState = newState
        self.hasMoreChanges = hasMoreChanges
        self.created = created
        self.updated = updated
        self.destroyed = destroyed
        self.groups = groups
        self.order = order
        self.atMilliseconds = atMilliseconds
        self.pause = pause
    }

    package static let schemaName: String? = "MemberChanges"
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("userId", \.userId, "The member")
        fields.sometimes("oldState", \.oldState, "The state of the request; if it had one")
        fields.always("newState", \.newState, "The parameter since for a later request")
        fields.always("hasMoreChanges", \.hasMoreChanges, "Whether to ask again at once, since newState")
        fields.always("created", \.created, "Groups that have a state, and had none")
        fields.always("updated", \.updated, "Groups that have another state")
        fields.always("destroyed", \.destroyed, "Groups that have no state any more")
        fields.always("groups", \.groups, "The created and updated groups")
        fields.always("order", \.order, "The groups of the list, in the order in which they are shown")
        fields.always("atMilliseconds", \.atMilliseconds, "The daemon's clock, in Unix milliseconds")
        fields.part(\.pause)
    }

    /// A group with its state.
    package struct Row: Answer, Equatable {
        package var groupId: String
        package var state: GroupState

        package init(groupId: String, state: GroupState) {
            self.groupId = groupId
            self.state = state
        }

        package static let schemaName: String? = "GroupState"
        package static func declare(_ fields: inout some FieldList<Self>) {
            fields.always("groupId", \.groupId, "The group")
            fields.always("state", \.state.rawValue, as: .words(of: GroupState.self), "What it is to the member")
        }
    }
}
