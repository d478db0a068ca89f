import Answers
import Model
import Recommendation

/// The list of a session as its member sees it now, in terms of the serving version.
struct SessionList {
    /// An interest of the member, as it was when the list was made.
    private struct Interest {
        let kept: FrozenPlan.Interest
        /// Its groups that are still shown.
        let groups: [UInt32]
    }

    let frozen: FrozenPlan
    let context: MemberContext
    private let ownInterests: [Interest]
    /// The groups of the list as it was made, except those that are not shown, each with its rank then, from 1.
    private let made: [(rank: Int, item: PlanItem)]
    /// The member's shown groups and stated interests when the list was made.
    let profile: PlannedProfile
    /// The groups of the list, after what the member did since it was made.
    ///
    /// Groups that the member has joined or dismissed since are left out, and so are groups that are not shown.
    let items: [PlanItem]

    /// Shows a list to its member; groups that the serving version does not show are left out.
    init(_ frozen: FrozenPlan, _ context: MemberContext) {
        (self.frozen, self.context) = (frozen, context)
        let model = context.snapshot.model
        let isSame = frozen.version == context.snapshot.version.description
        func group(_ group: UInt32, _ index: Int) -> UInt32? {
            guard isSame else { return model.index(ofID: frozen.ids[index]).map(UInt32.init) }
            // A damaged plan may name a group that the version never had.
            return model.shows(group) ? group : nil
        }
        var start = frozen.items.count
        func shown(_ groups: [UInt32]) -> [UInt32] {
            defer { start += groups.count }
            return groups.enumerated().compactMap { group($1, start + $0) }
        }
        made = frozen.items.enumerated().compactMap { index, item in
            group(item.group, index).map { group in
                var item = item
                item.group = group
                return (index + 1, item)
            }
        }
        ownInterests = frozen.interests.map { interest in
            Interest(
                kept: interest,
                groups: interest.members.compactMap { group(frozen.joined[$0], frozen.items.count + $0) })
        }
        let (joined, dismissed, hinted) = (shown(frozen.joined), shown(frozen.dismissed), shown(frozen.hinted).sorted())
        profile = PlannedProfile(joined: joined, dismissed: dismissed, topics: frozen.topics, hinted: hinted)
        items = Self.items(made, profile, for: context.request, context.planner)
    }

    private static func items(
        _ made: [(rank: Int, item: PlanItem)], _ profile: PlannedProfile, for request: PlanRequest, _ planner: Planner
    ) -> [PlanItem] {
        planner.patched(
            made.map(\.item), madeAt: made.map(\.rank), by: ProfileChanges(from: profile, to: request.profile),
            for: request)
    }

    /// Returns the external id of a group.
    func id(of group: UInt32) -> String { context.snapshot.model.id(of: Int(group)) }

    /// The interests to show, without groups and names that are not shown any more.
    var interests: [MemberInterest] {
        let model = context.snapshot.model
        return ownInterests.map { interest in
            let shown = interest.groups.map { Int($0) }
            var told = MemberInterest(
                name: interest.kept.name, share: interest.kept.share, groupIds: shown.map { model.id(of: $0) })
            guard shown.count < interest.kept.members.count else { return told }
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
    /// - Parameter groupID: the external id of the group.
    /// - Returns: `nil` if the list never had the group.
    func offset(after groupID: String) -> Int? {
        let group = context.snapshot.model.index(ofID: groupID).map { UInt32($0) }
        if let group, let offset = items.firstIndex(where: { $0.group == group }) { return offset + 1 }
        guard let before = groups(upTo: groupID) ?? group.flatMap(groups(upTo:)) else { return nil }
        for group in before.reversed() {
            if let offset = items.firstIndex(where: { $0.group == group }) { return offset + 1 }
        }
        return 0
    }

    /// Returns the shown groups of the original list up to a group, or `nil` if the list did not have the group.
    private func groups(upTo groupID: String) -> [UInt32]? {
        // Compared by bytes: Swift's texts are equal if they look the same.
        let index = frozen.items.indices.first { frozen.ids.bytes(at: $0).elementsEqual(groupID.utf8) }
        return index.map { index in made.prefix { $0.rank <= index + 1 }.map(\.item.group) }
    }

    /// Returns the groups up to one that came in by a newly stated interest and has left again.
    ///
    /// - Returns: `nil` if the group never came in.
    private func groups(upTo group: UInt32) -> [UInt32]? {
        var request = context.request
        request.profile.joined.removeAll { $0.group == group }
        request.profile.dismissals.removeAll { $0.group == group }
        let items = Self.items(made, profile, for: request, context.planner)
        return items.firstIndex { $0.group == group }.map { items[...$0].map(\.group) }
    }
}
