import Model

/// Which groups a member may be shown at all.
struct Eligibility {
    /// Why a group is not shown.
    enum Obstacle: Sendable, Equatable {
        case joined
        case dismissed(atMilliseconds: Int64)
        case hidden
        case inactive(sinceSeconds: Int64)
    }

    private let model: ModelVersion
    private let profile: MemberProfile
    private let hidden: Set<UInt32>
    private let oldestActivitySeconds: Int64
    /// Groups that may not be shown, however active they are; some may stand more than once.
    let blockedGroups: [UInt32]
    private let blocked: GroupPlaces

    /// - Parameter inactiveAfterDays: nil if activity does not matter.
    init(_ request: PlanRequest, in model: ModelVersion, inactiveAfterDays: Double?) {
        self.model = model
        profile = request.profile
        hidden = request.hidden
        let seconds = request.atMilliseconds / 1000
        oldestActivitySeconds = inactiveAfterDays.map { seconds - Int64($0 * 86_400) } ?? .min
        blockedGroups = profile.joined.map(\.group) + profile.dismissals.map(\.group) + hidden
        blocked = GroupPlaces(blockedGroups)
    }

    /// Whether a group may be shown; all groups of a model are public.
    func allows(_ group: UInt32) -> Bool {
        blocked[group] == nil && (model.lastActiveAt(of: Int(group)) ?? .max) >= oldestActivitySeconds
    }

    /// Whether something happened in each of some groups that is not too long ago.
    func areActive(_ groups: [UInt32]) -> [Bool] {
        model.areActive(groups, sinceSeconds: oldestActivitySeconds)
    }

    /// Why a group may not be shown; nil if it may.
    func obstacle(to group: UInt32) -> Obstacle? {
        if profile.joined.contains(where: { $0.group == group }) { return .joined }
        if let dismissal = profile.dismissals.first(where: { $0.group == group }) {
            return .dismissed(atMilliseconds: dismissal.atMilliseconds)
        }
        if hidden.contains(group) { return .hidden }
        if let active = model.lastActiveAt(of: Int(group)), active < oldestActivitySeconds {
            return .inactive(sinceSeconds: active)
        }
        return nil
    }
}
