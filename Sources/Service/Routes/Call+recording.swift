import CatalogStore
import Model

extension Call {
    /// Makes a change of the member that the path names.
    func apply(_ action: MemberChange.Action) throws(Problem) -> MemberChange.Outcome {
        let community = try community(with: Self.memberChanges)
        return try orUnavailable { () throws(ServiceError) in try community.apply(MemberChange(ofUser: id, action)) }
    }

    /// Makes a decision of the site, effective at once.
    ///
    /// - Throws: a `Problem` of status 404 if there is no such group.
    func decide(_ action: SiteChange.Action, aboutGroup group: String) throws(Problem) -> SiteChange.Outcome {
        let community = try community(with: Self.siteDecisions)
        let outcome = try orUnavailable { () throws(ServiceError) in
            try community.apply(SiteChange(ofGroup: group, action, atMilliseconds: responder.now()))
        }
        guard outcome != .unknownGroup else {
            // Administrators may be told of hidden groups.
            throw .unknownGroup(group, in: VisibleModel(try loadedSnapshot.model))
        }
        return outcome
    }
}
