public import Model
import SQLite

/// A change that was acknowledged by a daemon with a journal of its own.
public struct JournaledChange: Sendable, Equatable {
    /// The journal.
    public var origin: String
    /// Numbers the changes of the journal, ascending.
    public var sequence: Int64
    /// What was changed.
    public var change: CatalogChange

    /// A change.
    public init(origin: String, sequence: Int64, change: CatalogChange) {
        self.origin = origin
        self.sequence = sequence
        self.change = change
    }
}

/// What became of changes that were taken over from journals.
public struct TakeoverCounts: Sendable, Equatable {
    /// Changes made.
    public var taken = 0
    /// Changes that had been taken over before.
    public var repeated = 0
    /// Interactions, and decisions of the site, about groups that the catalog does not have.
    public var leftOut = 0

    /// Nothing yet.
    public init() {}

    /// The sums.
    public static func + (one: TakeoverCounts, other: TakeoverCounts) -> TakeoverCounts {
        var sum = one
        sum.taken += other.taken
        sum.repeated += other.repeated
        sum.leftOut += other.leftOut
        return sum
    }
}

extension Catalog {
    /// Makes changes that daemons acknowledged, each once however often it comes, in one transaction that is durable when
    /// this returns, on a catalog opened for recording.
    ///
    /// What was acknowledged is not refused: interactions with groups that have become private or hidden since are kept,
    /// and only those with groups that do not exist any more are left out.
    ///
    /// - Parameter changes: those of each journal in the order of their numbers.
    /// - Throws: `CatalogError`; then nothing of them all was done.
    public func takeOver(_ changes: [JournaledChange]) throws(CatalogError) -> TakeoverCounts {
        try database.transaction(wrap: CatalogError.init) { () throws(CatalogError) in
            try wrapping { () throws(DatabaseError) in
                let members = try InteractionRecorder(database, takesAnyGroup: true)
                let site = SiteRecorder(database, isTakeover: true)
                let last = try database.prepare("SELECT sequence FROM journals WHERE origin = ?")
                let note = try database.prepare(
                    """
                    INSERT INTO journals VALUES (?, ?) ON CONFLICT DO UPDATE SET sequence = excluded.sequence
                    """)
                var counts = TakeoverCounts()
                for change in changes {
                    last.bind(change.origin, at: 1)
                    let isKnown = try last.step() && last.integer(0) >= change.sequence
                    last.reset()
                    guard !isKnown else {
                        counts.repeated += 1
                        continue
                    }
                    counts.taken += 1
                    switch change.change {
                    case .member(let change): counts.leftOut += try members.applyLeavingOut(change)
                    case .site(let change): if try site.apply(change) == .unknownGroup { counts.leftOut += 1 }
                    }
                    note.bind(change.origin, at: 1)
                    note.bind(change.sequence, at: 2)
                    try note.run()
                }
                if members.hasJoins { try self.note([RelationSource.memberships.notedTime]) }
                try recordChanges(members.contentChanges + site.contentChanges)
                return counts
            }
        }
    }
}

extension Catalog {
    /// Which changes were taken over so far.
    public func takenChanges() throws(CatalogError) -> TakenChanges {
        try wrapping { () throws(DatabaseError) in
            var sequences: [String: Int64] = [:]
            let rows = try database.prepare("SELECT origin, sequence FROM journals")
            while try rows.step() { sequences[rows.text(0)] = rows.integer(1) }
            return TakenChanges(sequences)
        }
    }
}

extension InteractionRecorder {
    /// Makes a change but for interactions with groups that do not exist.
    ///
    /// - Returns: how many were left out.
    fileprivate func applyLeavingOut(_ change: MemberChange) throws(DatabaseError) -> Int {
        var change = change
        var leftOut = 0
        while case .unknownGroup(let place) = try apply(change), case .record(var interactions) = change.action {
            interactions.remove(at: place)
            change.action = .record(interactions)
            leftOut += 1
        }
        return leftOut
    }
}
