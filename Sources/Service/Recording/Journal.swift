public import CatalogStore

/// What members do and say, and what the site decides: takes it down, and can tell it again.
///
/// Called from several threads at a time. It throws `ServiceError.Code.directoryFailed` where trying later may help.
public protocol Journal: ChangeSource {
    /// Where it notes every change that has come to be in answers: those made through it before it says that they are.
    var changes: ChangeClock { get }

    /// Makes a change; it is durable when this returns, and in every answer of this daemon from then on.
    func apply(_ change: CatalogChange) throws(ServiceError) -> CatalogChange.Outcome

    /// Interactions of a member in the order in which they were recorded; nil if there is none with the id `after`.
    func interactions(ofUser id: String, after: String?, limit: Int) throws(ServiceError) -> [InteractionRecord]?

    /// The stated interests of a member; none of one who is not known.
    func interests(ofUser id: String) throws(ServiceError) -> [String]

    /// Hidden groups in ascending order of the bytes of their ids, those behind the id `after`.
    func hiddenGroups(after: String?, limit: Int) throws(ServiceError) -> [HiddenGroup]

    /// Everything that is put forward, whether it is valid now, later or no more; by position.
    func curations() throws(ServiceError) -> [Curation]
}

extension Journal {
    /// Makes a change of a member's.
    func apply(_ change: MemberChange) throws(ServiceError) -> MemberChange.Outcome {
        guard case .member(let outcome) = try apply(.member(change)) else {
            preconditionFailure("a member's change has a member's outcome")
        }
        return outcome
    }

    /// Makes a change of the site's.
    func apply(_ change: SiteChange) throws(ServiceError) -> SiteChange.Outcome {
        guard case .site(let outcome) = try apply(.site(change)) else {
            preconditionFailure("a change of the site's has such an outcome")
        }
        return outcome
    }
}
