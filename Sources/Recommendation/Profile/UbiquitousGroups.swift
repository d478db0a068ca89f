import Model

/// The groups that most members are in, made once a version.
///
/// To be in one of them, or not to want it, tells nothing about a member. Lists are made without what members do there.
struct UbiquitousGroups: Sendable {
    /// The groups, or `nil` if there are none.
    private let groups: GroupSet?
    private let groupCount: Int

    /// Finds the groups of a model that are ubiquitous by the bound of a configuration.
    ///
    /// - Complexity: O(groups).
    init(in model: VisibleModel, _ configuration: PlanConfiguration) {
        groupCount = model.groupCount
        let memberCount = configuration.memberCount
        guard let least = memberCount.flatMap(configuration.ubiquity.leastSize(inCommunityOf:)) else {
            groups = nil
            return
        }
        let sizes = configuration.relations.sizes(in: .membership, model)
        let found = (0..<UInt32(groupCount)).filter { Int(sizes[Int($0)]) >= least }
        groups = found.isEmpty ? nil : GroupSet(found, groupCount: groupCount)
    }

    /// Returns whether a group is ubiquitous; the model need not have it.
    func contains(_ group: UInt32) -> Bool { group < groupCount && groups?.contains(group) == true }

    /// Returns the number of ubiquitous groups in a profile in a few words, or nothing if there are none.
    func note(of profile: MemberProfile) -> String {
        let count = groups == nil ? 0 : profile.joined.count { contains($0.group) }
        return count == 0 ? "" : "\(count) of most members"
    }
}

extension Planner {
    /// Returns whether a member's relation to a group tells something about the member.
    func isTelling(_ group: UInt32) -> Bool { model.shows(group) && !ubiquitous.contains(group) }

    /// Returns the joined groups that the list is made from: the most recent ones if there are too many.
    func recentGroups(_ profile: MemberProfile) -> [UInt32] {
        let known = profile.joined.filter { isTelling($0.group) }
        let limit = configuration.interests.groupLimit
        guard known.count > limit else { return known.map(\.group) }
        let latest = known.sorted {
            ($0.atMilliseconds ?? .min, $1.group) > ($1.atMilliseconds ?? .min, $0.group)
        }
        return latest.prefix(limit).map(\.group).sorted()
    }
}
