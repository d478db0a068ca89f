import Changes
import Model
import Recommendation

/// The inputs of the photos and contacts of a member.
struct MemberTaste {
    /// The version of the member's list.
    let snapshot: VisibleSnapshot
    /// The planner of the member's list.
    let planner: Planner
    /// The member's list of groups, which names interests and says why groups fit.
    let plan: Plan
    let request: TasteRequest

    /// Creates the inputs; the member's list is made for it.
    init(_ context: MemberContext) {
        (snapshot, planner) = (context.snapshot, context.planner)
        plan = planner.plan(context.request)
        request = planner.tasteRequest(context.request.profile, plan)
    }
}

extension RemovedThings {
    /// Finds what was removed since the changes that a version or a catalog has.
    init(_ recorded: RecordedDecisions, beyond taken: AppliedChanges) {
        self.init()
        photos = recorded.removed(beyond: taken) { if case .photo(let id) = $0 { id } else { nil } }
        members = recorded.removed(beyond: taken) { if case .member(let id, _) = $0 { id } else { nil } }
        owners = recorded.removed(beyond: taken) {
            if case .member(let id, withPhotos: true) = $0 { id } else { nil }
        }
        groups = Set(recorded.goneGroups(beyond: taken).map(BytewiseString.init))
        pooled = recorded.removed(beyond: taken) { subject in
            guard case .pooled(let id, let group, _) = subject else { return nil }
            return Self.entry(group: group, photo: id).text
        }
    }

    /// The end of everybody's favourites and follows of what was removed.
    var endings: [ToldChange] {
        members.map { ToldChange(.follows, subjectID: $0.text, adds: false) }
            + photos.map { ToldChange(.favourites, subjectID: $0.text, adds: false) }
    }
}

extension TasteContact {
    /// Returns the contact after what the other member did since the catalog was written.
    ///
    /// - Returns: `nil` if the member was removed, or is in no group any more that both are in.
    func after(_ changes: RecentMemberChanges?, for planner: Planner) -> TasteContact? {
        guard let changes else { return self }
        guard !changes.isForgotten, !changes.isCleared else { return nil }
        var state = MemberState()
        for group in sharedGroups { state.memberships[group] = PairState(holds: true, seconds: nil) }
        state.replay(changes, for: planner, atMilliseconds: 0)
        let joined = Set(state.memberships.filter(\.value.holds).keys)
        let shared = sharedGroups.filter(joined.contains)
        return shared.isEmpty ? nil : TasteContact(id: id, sharedGroups: shared, score: score)
    }
}
