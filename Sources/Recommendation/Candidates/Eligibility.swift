package import Model

/// Decides whether a group that a model shows may be shown to a member.
struct Eligibility {
    /// A reason why a group is not shown.
    enum Obstacle: Sendable, Equatable {
        case joined
        case dismissed(atMilliseconds: Int64)
        case inactive(sinceSeconds: Int64)
        /// The request leaves the group out.
        case filtered
        /// The group is too similar to this group, which the member has joined.
        case tooSimilar(to: UInt32)
    }

    private let model: VisibleModel
    private let profile: MemberProfile
    private let ceiling: SimilarityCeiling
    private let activity: ActivityColumn
    private let cutoff: ActivityColumn.Cutoff
    /// All joined groups, including the ones that the list is not made from.
    private let joined: [UInt32]
    /// Groups that may not be shown, active or not; a group may occur more than once.
    let blockedGroups: [UInt32]
    private let blocked: GroupPositions
    /// The request's filter, or `nil` if every group passes.
    let filter: AppliedFilter?

    /// Prepares the checks for a request.
    ///
    /// - Parameters:
    ///   - relations: the relations; one of them says which members a group has.
    ///   - ceiling: the groups that are too similar to one another.
    ///   - activity: the last activity of the groups.
    ///   - inactiveAfterDays: the days after which a group counts as inactive, or `nil` to allow inactive groups.
    init(
        _ request: PlanRequest, in model: VisibleModel, _ relations: RelationTable, _ ceiling: SimilarityCeiling,
        _ activity: ActivityColumn, inactiveAfterDays: Double?
    ) {
        self.model = model
        self.ceiling = ceiling
        self.activity = activity
        profile = request.profile
        filter = AppliedFilter(request.filter, in: model, relations)
        let seconds = request.atMilliseconds / 1000
        cutoff = ActivityColumn.Cutoff(seconds: inactiveAfterDays.map { seconds - Int64($0 * 86_400) } ?? .min)
        joined = profile.joined.map(\.group).filter { model.shows($0) }
        blockedGroups = joined + profile.dismissals.map(\.group) + joined.flatMap { ceiling.partners(of: $0) }
        blocked = GroupPositions(blockedGroups)
    }

    /// Returns whether a group that the model shows may be shown to the member.
    func allows(_ group: UInt32) -> Bool {
        blocked[group] == nil && isActive(group) && filter?.passes(group) != false
    }

    /// Returns whether the last activity in a group is recent enough.
    func isActive(_ group: UInt32) -> Bool { activity.isActive(group, since: cutoff) }

    /// Returns the reason why a group may not be shown, or `nil` if it may.
    func obstacle(to group: UInt32) -> Obstacle? {
        if profile.joined.contains(where: { $0.group == group }) { return .joined }
        if let dismissal = profile.dismissals.first(where: { $0.group == group }) {
            return .dismissed(atMilliseconds: dismissal.atMilliseconds)
        }
        if let active = model.lastActiveAt(of: Int(group)), active < cutoff.seconds {
            return .inactive(sinceSeconds: active)
        }
        if filter?.passes(group) == false { return .filtered }
        return joined.first { ceiling.partners(of: $0).contains(group) }.map { .tooSimilar(to: $0) }
    }
}

/// The day of the last activity of each group: a compact column that stays in the cache, made once a version.
struct ActivityColumn: Sendable {
    private let model: VisibleModel
    /// Days since 1970; `unknown` if the last activity is not known.
    private let days: [UInt16]

    private static let unknown = UInt16.max
    private static let secondsInDay: Int64 = 86_400

    /// Reads the last activity of all groups.
    ///
    /// - Complexity: O(groups).
    init(_ model: VisibleModel) {
        self.model = model
        days = (0..<model.groupCount).map { group in model.lastActiveAt(of: group).map(Self.day) ?? Self.unknown }
    }

    /// Returns the day of an instant, clamped to the days that the column can hold.
    private static func day(_ seconds: Int64) -> UInt16 {
        UInt16(clamping: min(max(0, seconds) / secondsInDay, Int64(unknown) - 1))
    }

    /// The earliest instant of last activity that counts as active.
    struct Cutoff {
        /// The instant in Unix seconds.
        let seconds: Int64
        fileprivate let day: UInt16

        init(seconds: Int64) {
            self.seconds = seconds
            day = ActivityColumn.day(seconds)
        }
    }

    /// Returns whether a group was active at the cutoff or later; unknown counts as active.
    @inline(__always)
    func isActive(_ group: UInt32, since cutoff: Cutoff) -> Bool {
        let day = days[Int(group)]
        guard day == cutoff.day else { return day > cutoff.day }
        return (model.lastActiveAt(of: Int(group)) ?? .max) >= cutoff.seconds
    }
}

/// The conditions of a request for the groups in its list; none by default.
package struct GroupFilter: Sendable, Equatable {
    /// The topics, of which a group must have at least one, ignoring case; empty for any.
    package var topics: [String]
    /// The ways of joining, of which a group must have one; empty for any.
    package var joinPolicies: Set<JoinPolicy>
    /// The least number of members of a group (inclusive).
    package var minimumMembers: Int
    /// The least number of posts a week in a group (inclusive).
    package var minimumPostsPerWeek: Int
    /// Groups that are left out.
    package var excluded: Set<UInt32>

    package init(
        topics: [String] = [], joinPolicies: Set<JoinPolicy> = [], minimumMembers: Int = 0,
        minimumPostsPerWeek: Int = 0, excluded: Set<UInt32> = []
    ) {
        self.topics = topics
        self.joinPolicies = joinPolicies
        self.minimumMembers = minimumMembers
        self.minimumPostsPerWeek = minimumPostsPerWeek
        self.excluded = excluded
    }

    /// The filter that every group passes.
    package static let none = GroupFilter()
}

/// A filter for one model, whose topics are looked up once.
struct AppliedFilter {
    private let filter: GroupFilter
    private let model: VisibleModel
    private let membership: Relation?
    /// Groups with one of the topics, or `nil` if any topic will do.
    let groupsOfTopics: Set<UInt32>?

    /// Creates a filter, or `nil` if every group passes.
    init?(_ filter: GroupFilter, in model: VisibleModel, _ relations: RelationTable) {
        guard filter != .none else { return nil }
        self.filter = filter
        self.model = model
        membership = relations[.membership]?.relation
        groupsOfTopics =
            filter.topics.isEmpty ? nil : filter.topics.reduce(into: []) { $0.formUnion(model.groups(withTopic: $1)) }
    }

    func passes(_ group: UInt32) -> Bool {
        guard !filter.excluded.contains(group), groupsOfTopics?.contains(group) != false,
            filter.joinPolicies.isEmpty || filter.joinPolicies.contains(model.joinPolicy(of: Int(group))),
            filter.minimumPostsPerWeek == 0
                || model.talk(of: Int(group)).postsPerWeek >= Double(filter.minimumPostsPerWeek)
        else { return false }
        guard filter.minimumMembers > 0, let membership else { return true }
        return model.size(of: Int(group), in: membership) >= filter.minimumMembers
    }
}
