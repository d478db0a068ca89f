import Model

extension Planner {
    /// The fit of the best group that the member has not joined, relative to a joined one.
    private static let suggestedFit = 0.5
    /// The most such groups whose photos are in lists.
    private static let suggestedLimit = 20

    /// Returns the inputs of a search for photos or members.
    ///
    /// The groups that fit are the joined ones, the last joined first, and then the best ones of the member's list.
    package func tasteRequest(_ profile: MemberProfile, _ plan: Plan) -> TasteRequest {
        let joined = recentGroups(profile)
        let times = Dictionary(uniqueKeysWithValues: profile.joined.map { ($0.group, $0.atMilliseconds ?? .min) })
        let recent = joined.sorted { (times[$0] ?? .min, $1) > (times[$1] ?? .min, $0) }
        let dismissed = Set(profile.dismissals.map(\.group))
        let suggested = plan.items.filter { $0.score > 0 && !dismissed.contains($0.group) }.prefix(Self.suggestedLimit)
        let greatest = suggested.map(\.score).max() ?? 1
        return TasteRequest(
            userID: profile.userID, joined: joined,
            fitting: recent.map { .init(group: $0, fit: 1) }
                + suggested.map { .init(group: $0.group, fit: Self.suggestedFit * $0.score / greatest) })
    }

    /// Returns the inputs of a search, and photos in the order of a list, with the interest of each.
    ///
    /// - Parameters:
    ///   - photos: photos, best first.
    ///   - request: the request for which they were found.
    ///   - limit: the most photos.
    package func varied(_ photos: [TastePhoto], _ request: TasteRequest, _ plan: Plan, limit: Int) -> [FittingPhoto] {
        var interests: [UInt32: Int] = [:]
        for item in plan.items { interests[item.group] = item.interest }
        for (number, interest) in plan.interests.enumerated() {
            for group in interest.groups { interests[group] = number }
        }
        var weights: [UInt32: Double] = [:]
        for fitting in request.fitting {
            let size = configuration.relations.size(of: fitting.group, .favourites, model)
            weights[fitting.group] = TasteFormula.weight(ofGroupWithFit: fitting.fit, size: size)
        }
        let fitting = photos.map { photo in
            let groups = photo.groups.filter { weights[$0] != nil }
                .sorted { (weights[$0] ?? 0, $1) > (weights[$1] ?? 0, $0) }
            return FittingPhoto(photo: photo, groups: groups, interest: groups.lazy.compactMap { interests[$0] }.first)
        }
        let candidates = fitting.map { photo in
            VariedPhotos.Candidate(score: photo.photo.score, owner: photo.photo.ownerID, interest: photo.interest)
        }
        return VariedPhotos.order(of: candidates, limit: limit).map { fitting[$0] }
    }
}

/// A photo in a member's list, with the groups that it is in and that fit the member.
package struct FittingPhoto: Sendable, Equatable {
    package var photo: TastePhoto
    /// The groups that fit, the strongest first; none if only members of like taste brought the photo.
    package var groups: [UInt32]
    /// The index of the interest of its strongest group, or `nil` if it has none.
    package var interest: Int?
}
