import Answers
import Experiments
import Model
import Recommendation

/// Where the lists of sessions are kept: they stay the same through restarts, new versions, and changes of the time
/// bucket.
///
/// Called from several threads at a time.
protocol SessionStore: Sendable {
    /// The list of a session that has not ended; this counts as a use of the session.
    ///
    /// - Parameters:
    ///   - session: the client's own id with the filters of the list, as `RequestParameters.sessionName` writes them;
    ///     nil for neither.
    ///   - now: Unix milliseconds.
    func plan(ofUser user: String, session: String?, at now: Int64) throws(ServiceError) -> FrozenPlan?

    /// Keeps the list of a session that has none.
    ///
    /// - Returns: the list that the session has now: another one, if another request was quicker.
    func keep(_ plan: FrozenPlan, ofUser user: String, session: String?, at now: Int64) throws(ServiceError)
        -> FrozenPlan

    /// Notes that a session, if it has a list, was used at an instant, in Unix milliseconds.
    func noteUse(ofUser user: String, session: String?, at instant: Int64) throws(ServiceError)

    /// Forgets the lists of all sessions of a member, which tell what the member was in.
    func forgetAll(ofUser user: String) throws(ServiceError)

    /// Writes, but changes nothing, to find out whether it is possible.
    func probeWriting() throws(ServiceError)
}

/// When sessions end.
enum SessionLife {
    /// A session without a client's id ends after so long without a request, in milliseconds.
    static let inactivityMilliseconds: Int64 = 30 * 60_000
    /// A session with a client's id ends after so long without a request, in milliseconds.
    static let ownMilliseconds: Int64 = 24 * 3_600_000
    /// How exactly the last use of a session is stored: writing at every request would be slow.
    static let touchMilliseconds: Int64 = 60_000

    /// How long a session may go without a request, in milliseconds.
    ///
    /// - Parameter session: as in `RequestParameters.sessionName`: filters stand behind a NUL.
    static func milliseconds(ofSession session: String?) -> Int64 {
        session == nil || session?.utf8.first == 0 ? inactivityMilliseconds : ownMilliseconds
    }

    /// When a session that has not ended was used last, in Unix milliseconds.
    ///
    /// Clocks of daemons differ a little. One that was used in the future, by a clock that was wrong, has ended: it
    /// would not end for as long.
    static func lastUse(ofSession session: String?, at now: Int64) -> ClosedRange<Int64> {
        now - milliseconds(ofSession: session) + 1...now + touchMilliseconds
    }
}

/// The list of a session in terms of the version that serves; groups that it does not show are left out.
struct SessionList {
    /// Something that the member cares about, as it was when the list was made.
    struct Interest {
        var name: String
        var share: Double
        /// How many groups it had.
        var groupCount: Int
        /// Those of its groups that are shown.
        var groups: [UInt32]
    }

    /// What interactions call the list that they come from.
    let recommendationID: String
    let bucket: Int64
    let interests: [Interest]
    /// The groups of the list as it was made, those that are shown.
    let items: [PlanItem]
    /// The rank of each item when the list was made, from 1.
    let ranks: [Int]
    /// How many groups the list had when it was made.
    let madeCount: Int
    /// The external ids of all groups of the list as it was made, and of others behind them.
    let ids: PackedTexts
    /// The member's groups and stated interests when the list was made; groups that are shown.
    let profile: PlannedProfile
    /// The arms of experiments that it was made for.
    let arms: [AssignedArm]
    /// The teams of the groups, if the list is drafted from two; else empty.
    let teams: [UInt32: InterleavedPlan.Team]

    /// The list as it stands now: without what was joined or dismissed since.
    func items(for request: PlanRequest, _ planner: Planner) -> [PlanItem] {
        planner.patched(
            items, madeAt: ranks, by: ProfileChanges(from: profile, to: request.profile), for: request)
    }

    /// The teams of items that are shown; empty unless the list is drafted from two.
    func teams(of items: some Sequence<PlanItem>) -> [InterleavedPlan.Team?] {
        teams.isEmpty ? [] : items.map { teams[$0.group] }
    }

    /// The interests as they may be told now: of groups that are not shown any more, not even the name.
    func interests(in model: VisibleModel) -> [MemberInterest] {
        interests.map { interest in
            let shown = interest.groups.map { Int($0) }
            var told = MemberInterest(
                name: interest.name, share: interest.share, groupIds: shown.map { model.id(of: $0) })
            guard shown.count < interest.groupCount else { return told }
            // A group that has gone may have given the name: its title is not known any more.
            let isNamedByShown = shown.contains { group in
                [model.id(of: group), model.title(of: group)].contains(told.name)
                    || model.topics(of: group).contains(told.name)
            }
            if !isNamedByShown { told.name = "mixed" }
            return told
        }
    }

    /// How many of some items stand before those that follow a group.
    ///
    /// Where the group has left the list, those that follow the one that stood before it.
    ///
    /// - Parameter items: what `items(for:_:)` gave for the request.
    /// - Returns: nil if the list never had the group.
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

    /// The groups of the list as it was made, up to one of them, those that are shown; nil if it was not among them.
    private func groups(upTo groupID: String) -> [UInt32]? {
        // By their bytes: to Swift, texts are equal already if they look the same.
        guard let index = (0..<madeCount).first(where: { ids.bytes(at: $0).elementsEqual(groupID.utf8) }) else {
            return nil
        }
        return zip(items, ranks).prefix { $1 <= index + 1 }.map(\.0.group)
    }

    /// The groups up to one that came in because of an interest that was stated since, and has left; nil if it never
    /// came in.
    private func groups(upTo group: UInt32, _ request: PlanRequest, _ planner: Planner) -> [UInt32]? {
        var request = request
        request.profile.joined.removeAll { $0.group == group }
        request.profile.dismissals.removeAll { $0.group == group }
        let items = self.items(for: request, planner)
        return items.firstIndex { $0.group == group }.map { items[...$0].map(\.group) }
    }
}
