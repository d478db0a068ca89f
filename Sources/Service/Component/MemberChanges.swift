import Answers

/// The state of a group for a member.
enum GroupState: String, Sendable, CaseIterable {
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
struct MemberChanges: Answer, Equatable {
    var userId: String
    var oldState: String?
    var newState: String
    var hasMoreChanges: Bool
    var created: [String]
    var updated: [String]
    var destroyed: [String]
    var groups: [Row]
    var order: [String]
    var atMilliseconds: Int64
    var pause: ListPause

    static let schemaName: String? = "MemberChanges"
    static func declare(_ fields: inout some FieldList<Self>) {
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
    struct Row: Answer, Equatable {
        var groupId: String
        var state: GroupState

        static let schemaName: String? = "GroupState"
        static func declare(_ fields: inout some FieldList<Self>) {
            fields.always("groupId", \.groupId, "The group")
            fields.always("state", \.state.rawValue, as: .words(of: GroupState.self), "What it is to the member")
        }
    }
}
