import Model

/// Which groups a member may be shown at all.
struct Eligibility {
    /// Why a group is not shown.
    enum Obstacle: Sendable, Equatable {
        case joined
        case dismissed(atMilliseconds: Int64)
        case hidden
        case inactive(sinceSeconds: Int64)
        /// To a group that the member has joined.
        case tooSimilar(to: UInt32)
    }

    private let model: ModelVersion
    private let profile: MemberProfile
    private let hidden: Set<UInt32>
    private let ceiling: SimilarityCeiling
    private let activity: ActivityColumn
    private let cutoff: ActivityColumn.Cutoff
    /// All groups joined, also those that the list is not made from.
    private let joined: [UInt32]
    /// Groups that may not be shown, however active they are; some may stand more than once.
    let blockedGroups: [UInt32]
    private let blocked: GroupPositions

    /// - Parameters:
    ///   - ceiling: what is too similar to the groups joined.
    ///   - inactiveAfterDays: nil if activity does not matter.
    init(
        _ request: PlanRequest, in model: ModelVersion, _ ceiling: SimilarityCeiling, _ activity: ActivityColumn,
        inactiveAfterDays: Double?
    ) {
        self.model = model
        self.ceiling = ceiling
        self.activity = activity
        profile = request.profile
        hidden = request.hidden
        let seconds = request.atMilliseconds / 1000
        cutoff = ActivityColumn.Cutoff(seconds: inactiveAfterDays.map { seconds - Int64($0 * 86_400) } ?? .min)
        joined = profile.joined.map(\.group).filter { $0 < model.groupCount }
        blockedGroups =
            joined + profile.dismissals.map(\.group) + hidden + joined.flatMap { ceiling.partners(of: $0) }
        blocked = GroupPositions(blockedGroups)
    }

    /// Whether a group may be shown; all groups of a model are public.
    func allows(_ group: UInt32) -> Bool { blocked[group] == nil && isActive(group) }

    /// Whether something happened in a group that is not too long ago.
    func isActive(_ group: UInt32) -> Bool { activity.isActive(group, since: cutoff) }

    /// Why a group may not be shown; nil if it may.
    func obstacle(to group: UInt32) -> Obstacle? {
        if profile.joined.contains(where: { $0.group == group }) { return .joined }
        if let dismissal = profile.dismissals.first(where: { $0.group == group }) {
            return .dismissed(atMilliseconds: dismissal.atMilliseconds)
        }
        if hidden.contains(group) { return .hidden }
        if let active = model.lastActiveAt(of: Int(group)), active < cutoff.seconds {
            return .inactive(sinceSeconds: active)
        }
        return joined.first { ceiling.partners(of: $0).contains(group) }.map { .tooSimilar(to: $0) }
    }
}
