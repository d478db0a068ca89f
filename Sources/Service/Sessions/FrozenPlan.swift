import Answers
import Experiments
import Model
import Recommendation

/// A member's list as it was made and as a session keeps it: it outlives the version that it was made with.
///
/// Groups are indexes of that version; beside them stand their external ids, which are looked at only where another
/// serves.
struct FrozenPlan: Equatable {
    /// Something that the member cares about.
    struct Interest: Equatable {
        var name: String
        var share: Double
        /// Its groups, as indexes of `joined`.
        var members: [Int]
    }

    /// What interactions call the list that they come from.
    var recommendationID: String
    /// The version that it was made with.
    var version: String
    var bucket: Int64
    var interests: [Interest]
    /// The groups of the list, in their order.
    var items: [PlanItem]
    /// Groups that the member was in, and had dismissed, when the list was made.
    var joined, dismissed: [UInt32]
    /// The interests that the member had stated when the list was made.
    var topics: [String]
    /// The external ids of the groups of `items`, `joined` and `dismissed`, one after another.
    var ids: PackedTexts
    /// The arms of experiments that it was made for.
    var arms: [AssignedArm] = []
    /// The teams of the items, if the list is drafted from two; else empty.
    var teams: [InterleavedPlan.Team] = []
}

extension FrozenPlan {
    /// Freezes a plan.
    ///
    /// - Parameter scene: what it was made from.
    init(_ assigned: AssignedPlan, _ scene: MemberScene) {
        let (plan, request, snapshot) = (assigned.plan, scene.request, scene.snapshot)
        (arms, teams) = (scene.arms, assigned.teams)
        version = snapshot.version.description
        recommendationID = Recommendations.id(of: plan, forUser: request.profile.userID, snapshot.version)
        bucket = plan.bucket
        items = plan.items
        let joined = request.profile.joined.map(\.group)
        self.joined = joined
        dismissed = request.profile.dismissals.map(\.group)
        topics = request.profile.topics
        interests = plan.interests.map { interest in
            let groups = Set(interest.groups)
            return Interest(
                name: interest.name(in: snapshot.model), share: interest.share,
                members: joined.indices.filter { groups.contains(joined[$0]) })
        }
        ids = snapshot.model.ids(of: items.map(\.group) + joined + dismissed)
    }

    /// The list in terms of the version that serves; groups that it does not show any more are left out.
    func list(in snapshot: VisibleSnapshot) -> SessionList {
        let model = snapshot.model
        let isSame = version == snapshot.version.description
        func group(_ group: UInt32, _ index: Int) -> UInt32? {
            guard isSame else { return model.index(ofID: ids[index]).map(UInt32.init) }
            // A damaged plan may name a group that there never was.
            return model.shows(group) ? group : nil
        }
        func groups(_ groups: [UInt32], after start: Int) -> [UInt32] {
            groups.enumerated().compactMap { group($1, start + $0) }
        }
        let shown = items.enumerated().compactMap { index, item in
            group(item.group, index).map { group in
                var shown = item
                shown.group = group
                return (rank: index + 1, item: shown)
            }
        }
        let teams =
            self.teams.isEmpty
            ? [:] : Dictionary(shown.map { ($0.item.group, self.teams[$0.rank - 1]) }) { first, _ in first }
        return SessionList(
            recommendationID: recommendationID, bucket: bucket,
            interests: interests.map { interest in
                .init(
                    name: interest.name, share: interest.share, groupCount: interest.members.count,
                    groups: interest.members.compactMap { group(joined[$0], items.count + $0) })
            },
            items: shown.map(\.item), ranks: shown.map(\.rank),
            madeCount: items.count, ids: ids, joined: groups(joined, after: items.count),
            dismissed: groups(dismissed, after: items.count + joined.count), topics: topics, arms: arms, teams: teams)
    }
}
