package import Basics
package import CatalogStore
package import Changes
package import Model
package import ModelStore
package import Recommendation

/// The changes in a shared store's streams, or in the journal beside a catalog, that a version or a catalog has not
/// taken.
///
/// Members' changes in streams are followed into a journal of this process alone, so that they are read as a daemon
/// reads them. It belongs to one thread at a time.
package final class UntakenChanges {
    /// The members whose changes are kept.
    package enum Members {
        case none
        case all
        case some([String])
    }

    /// The site's decisions and removals.
    package let decisions: RecordedDecisions
    /// The photos, members and entries that were removed.
    package let removed: RemovedThings
    private let journal: ChangeJournal?

    /// The number of changes that are read at a time.
    private static let batchSize = 1000

    /// Reads the streams of a store.
    ///
    /// - Parameters:
    ///   - taken: the changes that are known already.
    ///   - members: the members whose changes are kept.
    /// - Complexity: O(changes that are not known).
    package init(of channel: SharedChannel, beyond taken: AppliedChanges, of members: Members = .none)
        throws(Failure)
    {
        let (wanted, journal): (Set<BytewiseString>?, ChangeJournal?)
        switch members {
        case .none: (wanted, journal) = ([], nil)
        case .all: (wanted, journal) = (nil, try Self.journal())
        case .some(let ids): (wanted, journal) = (Set(ids.map(BytewiseString.init)), try Self.journal())
        }
        self.journal = journal
        var streams = try channel.journals()
        var found: [JournaledChange] = []
        for (origin, numbers) in try streams.survey() {
            var last = max(numbers.after, taken.last(of: origin))
            let known = AppliedChanges([origin: last])
            while last < numbers.last {
                let batch = try streams.changes(of: origin, after: last, limit: Self.batchSize)
                found += batch.lazy.filter { $0.change?.isOfSite ?? false }
                _ = try journal?.follow(batch.map { $0.keeping(wanted) }, beyond: known, at: 0)
                last = batch.last?.sequence ?? numbers.last
            }
        }
        decisions = RecordedDecisions(found.sorted { $0.stamp < $1.stamp })
        removed = RemovedThings(decisions, beyond: .none)
    }

    /// Reads the streams of a store or, if it is not shared, the journal beside a catalog; nil without both.
    ///
    /// - Parameters:
    ///   - catalog: the path of the catalog; nil for none.
    ///   - taken: the changes that are known already.
    ///   - members: the members whose changes are kept.
    package convenience init?(
        of store: any VersionStore, besideCatalog catalog: String?, beyond taken: AppliedChanges,
        of members: Members = .none
    ) throws(Failure) {
        if let channel = store.shared?.channel {
            try self.init(of: channel, beyond: taken, of: members)
        } else if let catalog {
            try self.init(besideCatalog: catalog, beyond: taken)
        } else {
            return nil
        }
    }

    /// Reads the journal beside a catalog, if there is one.
    ///
    /// - Parameter taken: the changes that the catalog has.
    package init(besideCatalog path: String, beyond taken: AppliedChanges) throws(Failure) {
        let path = Catalog.existingJournal(beside: path)
        journal = try path.map { path throws(Failure) in try ChangeJournal(path: path, mode: .reading) }
        let found = try journal?.decisions() ?? []
        decisions = RecordedDecisions(found.filter { !taken.contains($0.sequence, of: $0.origin) })
        removed = RemovedThings(decisions, beyond: .none)
    }

    /// Returns a journal in a file that SQLite keeps in memory while it is small, and removes by itself.
    private static func journal() throws(Failure) -> ChangeJournal {
        return try ChangeJournal(path: "", mode: .recording)
    }

    /// Returns the changes of a member beyond those taken, or nil if there are none.
    package func recentChanges(ofUser id: String, beyond taken: AppliedChanges) throws(Failure)
        -> RecentMemberChanges?
    {
        return try journal?.recentChanges(ofUser: id, beyond: taken)
    }

    /// The ids of the members whom the site has forgotten, in no order.
    package var forgottenMembers: Set<BytewiseString> {
        decisions.removed(beyond: .none) { subject in
            if case .member(let id, _) = subject { id } else { nil }
        }
    }
}

extension SiteDecisions {
    /// Creates the decisions of the catalog, with later decisions applied.
    ///
    /// - Parameters:
    ///   - recorded: decisions that were recorded.
    ///   - taken: the decisions that the catalog has taken.
    package init(
        of catalog: Facts, in model: ModelVersion, _ recorded: RecordedDecisions, beyond taken: AppliedChanges = .none
    ) throws(Failure) {
        self.init(try SiteState(of: catalog, recorded, beyond: taken), in: model)
        // A private group stays hidden, whatever the site has decided.
        hidden.formUnion(Set(groups: try catalog.unshownGroupIDs(withHidden: false), in: model))
        hidden.formUnion(Set(groups: recorded.goneGroups(beyond: taken), in: model))
    }
}

extension SiteState {
    /// Creates the state of the catalog, with later decisions applied.
    package init(of catalog: Facts, _ recorded: RecordedDecisions, beyond taken: AppliedChanges = .none)
        throws(Failure)
    {
        let known = SiteState(hidden: try catalog.hiddenGroups(), curations: try catalog.curations())
        self = recorded.replayed(on: known, beyond: taken)
    }
}

extension Change {
    /// Whether the change is a decision of the site, and not of a member.
    fileprivate var isOfSite: Bool {
        if case .member = self { false } else { true }
    }
}

extension JournaledChange {
    /// Returns the change, or one with the same name and no content if it is about a member who is not wanted.
    fileprivate func keeping(_ wanted: Set<BytewiseString>?) -> JournaledChange {
        guard let wanted, let user = change?.userID, !wanted.contains(BytewiseString(user)) else { return self }
        return erased
    }
}
