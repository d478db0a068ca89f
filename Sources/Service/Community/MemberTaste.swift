public import Answers
public import Changes
public import Model
public import Recommendation

/// The inputs of the photos and contacts of a member, which a route and a command share.
public struct MemberTaste {
    private let context: MemberContext
    /// The member's list of groups, which names interests and says why groups fit.
    private let plan: Plan
    /// The request for photos or members.
    public let request: TasteRequest

    /// Creates the inputs; the member's list is made for it.
    public init(_ context: MemberContext) {
        self.context = context
        plan = context.planner.plan(context.request)
        request = context.planner.tasteRequest(context.request.profile, plan)
    }

    /// The planner of the member's lists.
    public var planner: Planner { context.planner }

    /// Returns the answer with photos, varied over interests and owners.
    ///
    /// - Parameters:
    ///   - found: photos that were found for the request, best first.
    ///   - limit: the most photos.
    public func photos(_ found: [TastePhoto], limit: Int) -> PhotosForMember {
        PhotosForMember(
            context.snapshot.served, planner.varied(found, request, plan, limit: limit), plan,
            for: context.request.profile, isKnown: context.isKnown, planner)
    }

    /// Returns the answer with members whom the member may want to know.
    ///
    /// - Parameters:
    ///   - found: members that were found for the request, best first.
    ///   - limit: the most members.
    public func contacts(_ found: [TasteContact], limit: Int) -> ContactsForMember {
        ContactsForMember(
            context.snapshot.served, found, userId: request.userID, isKnown: context.isKnown, limit: limit,
            in: context.snapshot.model)
    }
}

extension TasteRequest {
    /// Takes changes that the catalog may lack.
    ///
    /// - Parameters:
    ///   - recent: the member's changes.
    ///   - recorded: the site's decisions and removals.
    ///   - taken: the changes that the catalog has.
    public mutating func take(
        _ recent: RecentMemberChanges?, _ recorded: RecordedDecisions, beyond taken: AppliedChanges
    ) {
        told = recent?.told ?? []
        removed = RemovedThings(recorded, beyond: taken)
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
    /// - Returns: `nil` if the member is forgotten, or in no group any more that both are in.
    public func after(_ changes: RecentMemberChanges?, for planner: Planner) -> TasteContact? {
        guard let changes else { return self }
        guard !changes.isForgotten else { return nil }
        let known = MemberProfile(userID: id, joined: sharedGroups.map { .init(group: $0) })
        let joined = Set(known.replaying(changes, for: planner, atMilliseconds: 0).joined.map(\.group))
        let shared = sharedGroups.filter(joined.contains)
        return shared.isEmpty ? nil : TasteContact(id: id, sharedGroups: shared, score: score)
    }
}
