import Answers
import Basics
import Experiments
import Model
import Recommendation

/// A store of the lists of sessions.
///
/// A list stays the same after a restart, a new version or a change of the time bucket. The methods are called from
/// several threads at a time.
protocol SessionStore: Sendable {
    /// Returns the list of a session that has not ended, and counts a use of the session.
    ///
    /// - Parameters:
    ///   - user: the member's id.
    ///   - session: the client's own id with the filters of the list, in the form of `RequestParameters.sessionName`;
    ///     or `nil` if there is neither.
    ///   - now: the time, in Unix milliseconds.
    /// - Returns: `nil` if there is no such session.
    func plan(ofUser user: String, session: String?, at now: Int64) throws(Failure) -> FrozenPlan?

    /// Stores the list of a session that has none.
    ///
    /// - Returns: the list that the session has now; it is another one if another request was faster.
    func keep(_ plan: FrozenPlan, ofUser user: String, session: String?, at now: Int64) throws(Failure)
        -> FrozenPlan

    /// Records a use of a session, if it has a list, at a time in Unix milliseconds.
    func noteUse(ofUser user: String, session: String?, at instant: Int64) throws(Failure)

    /// Removes the lists of all sessions of a member, which reveal the groups that the member was in.
    func forgetAll(ofUser user: String) throws(Failure)

    /// Tests whether writing is possible, without changing anything.
    func probeWriting() throws(Failure)
}

/// The lifetimes of sessions.
enum SessionLife {
    /// The longest time without a request in a session without a client's id, in milliseconds.
    static let inactivityMilliseconds: Int64 = 30 * 60_000
    /// The longest time without a request in a session with a client's id, in milliseconds.
    static let ownMilliseconds: Int64 = 24 * 3_600_000
    /// The precision of the stored last use of a session; a write for every request would be slow.
    static let touchMilliseconds: Int64 = 60_000

    /// Returns the longest time without a request in a session, in milliseconds.
    ///
    /// - Parameter session: the name, as in `RequestParameters.sessionName`: the filters follow a NUL.
    static func milliseconds(ofSession session: String?) -> Int64 {
        session == nil || session?.utf8.first == 0 ? inactivityMilliseconds : ownMilliseconds
    }

    /// Returns the possible last uses of a session that has not ended, in Unix milliseconds.
    ///
    /// The clocks of daemons may differ a little. A last use further in the future comes from a wrong clock. Such a
    /// session counts as ended; otherwise it would live too long.
    static func lastUse(ofSession session: String?, at now: Int64) -> ClosedRange<Int64> {
        now - milliseconds(ofSession: session) + 1...now + touchMilliseconds
    }
}

/// The list of a session in terms of the serving version; groups that it does not show are left out.
struct SessionList {
    /// An interest of the member, as it was when the list was made.
    struct Interest {
        var name: String
        var share: Double
        /// The number of its groups when the list was made.
        var groupCount: Int
        /// The groups that are still shown.
        var groups: [UInt32]
    }

    /// The name of the list in interactions.
    let recommendationID: String
    let bucket: Int64
    let interests: [Interest]
    /// The groups of the list as it was made, except those that are not shown.
    let items: [PlanItem]
    /// The rank of each item when the list was made, from 1.
    let ranks: [Int]
    /// The number of groups in the list when it was made.
    let madeCount: Int
    /// The external ids of all groups of the list as it was made, followed by ids of other groups.
    let ids: PackedTexts
    /// The member's shown groups and stated interests when the list was made.
    let profile: PlannedProfile
    /// The arms of experiments that the list was made for.
    let arms: [AssignedArm]
    /// The teams of the groups if the list is interleaved from two, otherwise empty.
    let teams: [UInt32: InterleavedPlan.Team]

    /// Returns the current items of the list, after the changes of the member's profile.
    ///
    /// Groups that the member has joined or dismissed since are left out.
    func items(for request: PlanRequest, _ planner: Planner) -> [PlanItem] {
        planner.patched(
            items, madeAt: ranks, by: ProfileChanges(from: profile, to: request.profile), for: request)
    }

    /// Returns the teams of some items; empty unless the list is interleaved from two.
    func teams(of items: some Sequence<PlanItem>) -> [InterleavedPlan.Team?] {
        teams.isEmpty ? [] : items.map { teams[$0.group] }
    }

    /// Returns the interests to show, without groups and names that are not shown any more.
    func interests(in model: VisibleModel) -> [MemberInterest] {
        interests.map { interest in
            let shown = interest.groups.map { Int($0) }
            var told = MemberInterest(
                name: interest.name, share: interest.share, groupIds: shown.map { model.id(of: $0) })
            guard shown.count < interest.groupCount else { return told }
            // The name may come from a group that has gone, and whose title is not known any more.
            let isNamedByShown = shown.contains { group in
                [model.id(of: group), model.title(of: group)].contains(told.name)
                    || model.topics(of: group).contains(told.name)
            }
            if !isNamedByShown { told.name = "mixed" }
            return told
        }
    }

    /// Returns the number of items up to and including a group.
    ///
    /// If the group has left the list, the last group before it that is still in the list counts instead.
    ///
    /// - Parameters:
    ///   - groupID: the external id of the group.
    ///   - items: the result of `items(for:_:)` for the request.
    ///   - request: the request.
    ///   - planner: the planner for the request.
    /// - Returns: `nil` if the list never had the group.
    func offset(after groupID: String, in items: [PlanItem], for request: PlanRequest, _ planner: Planner) -> Int? {
        let group = planner.model.index(ofID: groupID).map { UInt32($0) }
        if let group, let offset = items.firstIndex(where: { $0.group == group }) { return offset + 1 }
        guard let before = groups(upTo: groupID) ?? group.flatMap({ groups(upTo: $0, request, planner) }) else {
            return nil
        }
        for group in before.reversed() {
            if let offset = items.firstIndex(where: { $0.group == group }) { return offset + 1 }
        }
        return 0
    }

    /// Returns the shown groups of the original list up to a group, or `nil` if the list did not have the group.
    private func groups(upTo groupID: String) -> [UInt32]? {
        // Compared by bytes: Swift's texts are equal if they look the same.
        guard let index = (0..<madeCount).first(where: { ids.bytes(at: $0).elementsEqual(groupID.utf8) }) else {
            return nil
        }
        return zip(items, ranks).prefix { $1 <= index + 1 }.map(\.0.group)
    }

    /// Returns the groups up to one that came in by a newly stated interest and has left again.
    ///
    /// - Returns: `nil` if the group never came in.
    private func groups(upTo group: UInt32, _ request: PlanRequest, _ planner: Planner) -> [UInt32]? {
        var request = request
        request.profile.joined.removeAll { $0.group == group }
        request.profile.dismissals.removeAll { $0.group == group }
        let items = self.items(for: request, planner)
        return items.firstIndex { $0.group == group }.map { items[...$0].map(\.group) }
    }
}
