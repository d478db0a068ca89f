import Model
import Recommendation

/// A member's list as it was made and as a session keeps it: it outlives the version that it was made with.
///
/// Groups are indexes of that version; beside them stand their outside ids, which are looked at only where another serves.
struct FrozenPlan: Equatable {
    /// Something that the member cares about.
    struct Interest: Equatable {
        var name: String
        var share: Double
        /// Its groups, as places in `joined`.
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
    /// The outside ids of the groups of `items`, `joined` and `dismissed`, one after another.
    var ids: [String]
}

extension FrozenPlan {
    /// Freezes a plan.
    ///
    /// - Parameter request: what it was made for.
    init(_ plan: Plan, _ request: PlanRequest, _ snapshot: ModelSnapshot) {
        // Of what the list is, so that every daemon calls it the same.
        let fingerprint = plan.fingerprint(ofUser: request.profile.userID)
        version = snapshot.version.description
        recommendationID = "\(version)-\(String(fingerprint, radix: 36))"
        bucket = plan.bucket
        items = plan.items
        let joined = request.profile.joined.map(\.group)
        self.joined = joined
        dismissed = request.profile.dismissals.map(\.group)
        interests = plan.interests.map { interest in
            let groups = Set(interest.groups)
            return Interest(
                name: interest.name(in: snapshot.model), share: interest.share,
                members: joined.indices.filter { groups.contains(joined[$0]) })
        }
        ids = (items.map(\.group) + joined + dismissed).map { snapshot.model.id(of: Int($0)) }
    }

    /// The list in terms of the version that serves; groups that it does not have any more are left out.
    func list(in snapshot: ModelSnapshot) -> SessionList {
        let model = snapshot.model
        let isSame = version == snapshot.version.description
        func group(_ group: UInt32, _ place: Int) -> UInt32? {
            isSame ? group : model.index(ofID: ids[place]).map(UInt32.init)
        }
        func groups(_ groups: [UInt32], after start: Int) -> [UInt32] {
            groups.enumerated().compactMap { group($1, start + $0) }
        }
        return SessionList(
            recommendationID: recommendationID, bucket: bucket,
            interests: interests.map { interest in
                .init(
                    name: interest.name, share: interest.share,
                    groupIDs: interest.members.map { ids[items.count + $0] })
            },
            items: items.enumerated().compactMap { place, item in
                group(item.group, place).map {
                    PlanItem(group: $0, score: item.score, interest: item.interest, origin: item.origin)
                }
            },
            ids: Array(ids.prefix(items.count)), joined: groups(joined, after: items.count),
            dismissed: groups(dismissed, after: items.count + joined.count))
    }
}
