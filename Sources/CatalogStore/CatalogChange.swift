import FoundationEssentials
public import Model
import SQLite

/// A change of the catalog between imports: what daemons record, in the catalog or in a journal.
public enum CatalogChange: Sendable, Equatable, Codable {
    /// By a member.
    case member(MemberChange)
    /// By an administrator of the site.
    case site(SiteChange)
    /// A removal that an administrator of the site orders.
    case removal(RemovalChange)

    /// The member whom alone it concerns; nil if it concerns everybody, as a decision of the site does.
    public var userID: String? {
        switch self {
        case .member(let change): change.userID
        case .site: nil
        case .removal(let change): change.userID
        }
    }

    /// Whether an answer may depend on it; a member's exposures are recorded for reports alone.
    public var showsInAnswers: Bool {
        guard case .member(let change) = self, case .expose = change.action else { return true }
        return false
    }

    /// The member of whom it leaves nothing, or no interactions; nil if it is something else.
    public var erasedUserID: String? {
        switch self {
        case .member(let change): change.action == .forget(id: nil) ? change.userID : nil
        case .site: nil
        case .removal(let change): change.forgottenUserID
        }
    }

    /// The outcome of a change.
    public enum Outcome: Sendable, Equatable {
        /// The outcome of a member's change.
        case member(MemberChange.Outcome)
        /// The outcome of a decision of the site.
        case site(SiteChange.Outcome)
        /// The outcome of a removal.
        case removal(RemovalChange.Outcome)
    }
}

extension CatalogChange {
    /// The change as JSON, as journals keep it and send it on.
    public var encoded: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else { preconditionFailure("a change has only texts and integers") }
        return Array(data)
    }

    /// Reads what `encoded` gave.
    ///
    /// - Throws: `CatalogError.Code.badData` if it is something else.
    public init(encoded bytes: [UInt8]) throws(CatalogError) {
        do {
            self = try JSONDecoder().decode(CatalogChange.self, from: Data(bytes))
        } catch { throw CatalogError(.badData, "this is not a change, or one of a newer program") }
        // Tables of interactions are read with times within these bounds.
        guard records.allSatisfy({ Statement.millisecondsBounds.contains($0.atMilliseconds) }) else {
            throw CatalogError(.badData, "a change has an interaction at a time that cannot be")
        }
    }

    /// The interactions that it records.
    private var records: [InteractionRecord] {
        guard case .member(let member) = self, case .record(let records) = member.action else { return [] }
        return records
    }
}

extension Catalog {
    /// Makes changes in one transaction; they are durable when this returns, on a catalog opened for recording.
    ///
    /// The first interaction or interest of an unknown member adds the member. Joins and leaves change the memberships
    /// as well: for a member and a group the latest event counts, and a membership without a time is older than any
    /// event.
    ///
    /// - Returns: the outcome of each change, in their order.
    /// - Throws: `CatalogError`; then no change was made.
    public func apply(_ changes: [CatalogChange]) throws(CatalogError) -> [CatalogChange.Outcome] {
        try database.transaction(wrap: CatalogError.init) { () throws(CatalogError) in
            let members = try wrapping { () throws(DatabaseError) in try InteractionRecorder(database) }
            let site = SiteRecorder(self)
            var outcomes: [CatalogChange.Outcome] = []
            for change in changes {
                switch change {
                case .member(let change):
                    outcomes.append(.member(try wrapping { () throws(DatabaseError) in try members.apply(change) }))
                case .site(let change): outcomes.append(.site(try site.apply(change)))
                case .removal(let change): outcomes.append(.removal(try apply(change)))
                }
            }
            try finish(members, site)
            return outcomes
        }
    }

    /// Records the numbers of changed rows and the columns that have values now.
    func finish(_ members: InteractionRecorder, _ site: SiteRecorder) throws(CatalogError) {
        try wrapping { () throws(DatabaseError) in
            if members.hasJoins { try note([RelationSource.memberships.notedTime]) }
            try recordChanges(members.contentChanges + site.contentChanges)
        }
    }

    /// Makes a decision of the site in a transaction of its own.
    public func apply(_ change: SiteChange) throws(CatalogError) -> SiteChange.Outcome {
        guard case .site(let outcome)? = try apply([.site(change)]).first else {
            preconditionFailure("a decision of the site has the outcome of one")
        }
        return outcome
    }
}
