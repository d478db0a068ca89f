import FoundationEssentials
import Model
import SQLite

/// A change of the catalog between imports.
public enum CatalogChange: Sendable, Equatable, Codable {
    /// By a member.
    case member(MemberChange)
    /// By whoever looks after the site.
    case site(SiteChange)

    /// Whether it is the site's, and not a member's.
    public var isOfSite: Bool {
        guard case .site = self else { return false }
        return true
    }

    /// What came of it.
    public enum Outcome: Sendable, Equatable {
        /// Of a member's change.
        case member(MemberChange.Outcome)
        /// Of the site's.
        case site(SiteChange.Outcome)
    }
}

extension Catalog {
    /// Makes changes in one transaction; they are durable when this returns, on a catalog opened for recording.
    ///
    /// A member who is not known yet becomes so with the first interaction or interest. Joins and leaves change the
    /// memberships as well: of all that is known of a member and a group, the latest event counts, a membership of
    /// unknown time being the oldest.
    ///
    /// - Returns: what came of each change, in their order.
    /// - Throws: `CatalogError`; then nothing of them all was done.
    public func apply(_ changes: [CatalogChange]) throws(CatalogError) -> [CatalogChange.Outcome] {
        try database.transaction(wrap: CatalogError.init) { () throws(CatalogError) in
            try wrapping { () throws(DatabaseError) in
                let members = try InteractionRecorder(database)
                let site = SiteRecorder(database)
                var outcomes: [CatalogChange.Outcome] = []
                for change in changes {
                    switch change {
                    case .member(let change): outcomes.append(.member(try members.apply(change)))
                    case .site(let change): outcomes.append(.site(try site.apply(change)))
                    }
                }
                if members.hasJoins { try note([RelationSource.memberships.notedTime]) }
                try recordChanges(members.contentChanges + site.contentChanges)
                return outcomes
            }
        }
    }

    /// Makes a change of the site's in a transaction of its own.
    public func apply(_ change: SiteChange) throws(CatalogError) -> SiteChange.Outcome {
        guard case .site(let outcome)? = try apply([.site(change)]).first else {
            preconditionFailure("a change of the site's has such an outcome")
        }
        return outcome
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
        } catch { throw CatalogError(.badData, "what should be a change is none, or of a newer program") }
    }
}
