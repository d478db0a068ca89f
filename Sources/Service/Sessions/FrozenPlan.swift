import Model
import Recommendation

/// A member's list as it was made, in terms that outlive model versions: outside ids.
struct FrozenPlan: Codable, Equatable {
    struct Item: Codable, Equatable {
        var groupID: String
        var score: Double
        var origin: String
        var interest: Int?
    }

    struct NamedInterest: Codable, Equatable {
        var name: String
        var share: Double
        var groupIDs: [String]
    }

    /// What interactions call the list that they come from.
    let recommendationID: String
    let bucket: Int64
    let interests: [NamedInterest]
    let items: [Item]
    /// Groups that the member was in, and had dismissed, when the list was made.
    private let joined, dismissed: [String]

    /// Freezes a plan.
    ///
    /// - Parameter request: what it was made for.
    init(_ plan: Plan, _ request: PlanRequest, _ snapshot: ModelSnapshot) {
        func id(_ group: UInt32) -> String { snapshot.model.id(of: Int(group)) }
        // Of what the list is, so that every daemon calls it the same.
        let fingerprint = plan.fingerprint(ofUser: request.profile.userID)
        recommendationID = "\(snapshot.version)-\(String(fingerprint, radix: 36))"
        bucket = plan.bucket
        interests = plan.interests.map {
            NamedInterest(name: $0.name(in: snapshot.model), share: $0.share, groupIDs: $0.groups.map(id))
        }
        items = plan.items.map {
            Item(groupID: id($0.group), score: $0.score, origin: $0.origin.rawValue, interest: $0.interest)
        }
        joined = request.profile.joined.map { id($0.group) }
        dismissed = request.profile.dismissals.map { id($0.group) }
    }

    /// The list as it stands now: without what was joined, dismissed or hidden since; groups that a newer version does
    /// not have any more are left out.
    func items(for request: PlanRequest, _ planner: Planner) -> [PlanItem] {
        func indexes(_ ids: [String]) -> [UInt32] { ids.compactMap { planner.model.index(ofID: $0).map(UInt32.init) } }
        // Without what is hidden by now, as in the request: that a group was hidden moves no other.
        let before = MemberProfile(
            userID: request.profile.userID,
            joined: indexes(joined).filter { !request.hidden.contains($0) }.map { .init(group: $0) },
            dismissals: indexes(dismissed).map { .init(group: $0, atMilliseconds: 0) })
        let known = items.compactMap { item in
            planner.model.index(ofID: item.groupID).flatMap { group in
                PlanItem.Origin(rawValue: item.origin).map {
                    PlanItem(group: UInt32(group), score: item.score, interest: item.interest, origin: $0)
                }
            }
        }
        return planner.patched(
            Plan(items: known, interests: [], bucket: bucket, candidateCount: 0),
            by: ProfileChanges(from: before, to: request.profile), hidden: request.hidden)
    }

    /// The interests as they may be told now: of groups that are hidden by now not even the name.
    func interests(without hidden: Set<UInt32>, in model: ModelVersion) -> [NamedInterest] {
        guard !hidden.isEmpty else { return interests }
        return interests.map { interest in
            var told = interest
            told.groupIDs = []
            for id in interest.groupIDs {
                guard let group = model.index(ofID: id), hidden.contains(UInt32(group)) else {
                    told.groupIDs.append(id)
                    continue
                }
                if [id, model.title(of: group)].contains(told.name) { told.name = "mixed" }
            }
            return told
        }
    }

    /// How many of some items stand before those that follow a group.
    ///
    /// Where the group has left the list, those that follow the one that stood before it.
    ///
    /// - Parameter items: what `items(for:_:)` gave.
    /// - Returns: nil if the list never had the group.
    func offset(after groupID: String, in items: [PlanItem], _ model: ModelVersion) -> Int? {
        guard let place = self.items.firstIndex(where: { $0.groupID == groupID }) else { return nil }
        for item in self.items[...place].reversed() {
            guard let group = model.index(ofID: item.groupID) else { continue }
            if let offset = items.firstIndex(where: { $0.group == group }) { return offset + 1 }
        }
        return 0
    }
}
