import Basics
import Changes
import Model

/// Removals of one kind and one moment, one after the other in a log.
struct RemovalBatch {
    /// The things that are removed.
    private enum Kind: Equatable {
        case members(withPhotos: Bool)
        case rows(ImportKind)
    }

    private let kind: Kind
    /// The stamp and the time of the order, in milliseconds.
    private let (stamp, time): (Int64, Int64)
    /// The ids of each row.
    private var rows: [[String]]

    /// Begins with a removal; nil if it is about a relation that there is not.
    init?(_ removal: RemovalChange, stamp: Int64, _ relations: RelationTable) {
        let found: (Kind, [String])? =
            switch removal.subject {
            case .member(let id, let withPhotos): (.members(withPhotos: withPhotos), [id])
            case .account(let id): (.rows(.users), [id])
            case .group(let id): (.rows(.groups), [id])
            case .photo(let id): (.rows(.photos), [id])
            case .user(let id, let group, let table), .pooled(let id, let group, let table):
                relations.sources.first { $0.table == table }.map { (.rows(.relation($0)), [group, id]) }
            }
        guard let (kind, ids) = found else { return nil }
        (self.kind, self.stamp, time, rows) = (kind, stamp, removal.atMilliseconds, [ids])
    }

    /// Adds a removal of the same kind and moment.
    ///
    /// - Returns: whether it is one.
    mutating func add(_ removal: RemovalChange, stamp: Int64, _ relations: RelationTable) -> Bool {
        guard let other = RemovalBatch(removal, stamp: stamp, relations),
            (other.kind, other.stamp, other.time) == (kind, self.stamp, time)
        else { return false }
        rows += other.rows
        return true
    }

    /// Removes all, within a transaction of the caller.
    ///
    /// - Returns: the number of removals that were left out, because there was nothing to remove, or because a member
    ///   was readmitted since.
    func remove(from catalog: Catalog) throws(Failure) -> Int {
        switch kind {
        case .rows(let kind):
            return try catalog.removal.removeWithinTransaction(kind, rows, stamp: stamp).unknownCount
        case .members(let withPhotos):
            let ledger = try LedgerTable(catalog.facts.database)
            var ids: [String] = []
            for row in rows where time > (try ledger.times(of: row[0])?.readmitted ?? -1) { ids.append(row[0]) }
            if !ids.isEmpty { _ = try catalog.removal.removeForGood(ids, withPhotos: withPhotos, atMilliseconds: time) }
            return rows.count - ids.count
        }
    }
}
