import CatalogStore

extension Call {
    /// What only a journal knows: what members do.
    static let memberDeeds = "what members do"
    /// What only a journal knows: what the site decides.
    static let siteDecisions = "what the site decides"

    /// Where changes are kept.
    ///
    /// - Throws: a `Problem` of status 501 if they are not.
    func journal(for knowledge: String) throws(Problem) -> any Journal {
        guard let journal = responder.journal else { throw .noCatalog(knowledge) }
        return journal
    }

    /// Makes a change of the member that the path names.
    func apply(_ action: MemberChange.Action) throws(Problem) -> MemberChange.Outcome {
        let journal = try journal(for: Self.memberDeeds)
        return try Responder.reading { () throws(ServiceError) in
            try journal.apply(MemberChange(ofUser: id, action))
        }
    }

    /// Makes a change of the site's, right now.
    ///
    /// - Throws: a `Problem` of status 404 if there is no such group.
    func decide(_ action: SiteChange.Action, aboutGroup group: String) throws(Problem) -> SiteChange.Outcome {
        let journal = try journal(for: Self.siteDecisions)
        let outcome = try Responder.reading { () throws(ServiceError) in
            try journal.apply(SiteChange(ofGroup: group, action, atMilliseconds: responder.now()))
        }
        guard outcome != .unknownGroup else {
            throw .unknown(.unknownGroup, "group", id: group, near: state.snapshot?.groupIDs(near: group) ?? [])
        }
        return outcome
    }
}
